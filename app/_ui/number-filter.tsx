"use client";

import { TextInput, type TextInputProps } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconPhone } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { isE164 } from "@/server/messages/phone";

const TYPING_DEBOUNCE_MS = 300;

type Props = Pick<TextInputProps, "label" | "w" | "maw" | "flex"> & {
  /** The number that the list is filtered by; empty: no filter. */
  number: string;
  onChange: (number: string) => void;
};

/**
 * Filters a list by a phone number, with a debounce and only once the number is complete. The field follows `number`
 * when the URL changes otherwise, for example by the back button.
 */
export function NumberFilter({ number, onChange, ...field }: Props) {
  const [text, setText] = useState(number);
  const [isIncomplete, setIsIncomplete] = useState(false);
  const applied = useRef(number);
  const apply = useDebouncedCallback((next: string) => {
    applied.current = isE164(next) ? next : "";
    setIsIncomplete(next !== applied.current);
    onChange(applied.current);
  }, TYPING_DEBOUNCE_MS);
  useEffect(() => {
    if (number === applied.current) return;
    applied.current = number;
    setText(number);
    setIsIncomplete(false);
  }, [number]);
  return (
    <TextInput
      type="search"
      placeholder="+14155550123"
      leftSection={<IconPhone size={16} aria-hidden />}
      maxLength={32}
      error={isIncomplete && "Enter the complete number, with + and country code"}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        apply(event.currentTarget.value.replaceAll(/[\s().-]/g, ""));
      }}
      {...field}
    />
  );
}
