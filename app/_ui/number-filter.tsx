"use client";

import { TextInput, type TextInputProps } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconPhone } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { isE164 } from "@/server/messages/phone";

const TYPING_DEBOUNCE_MS = 300;

type Props = Pick<TextInputProps, "label" | "w" | "maw" | "flex"> & {
  /** The number that the list is filtered by; empty: none. */
  number: string;
  onChange: (number: string) => void;
};

/**
 * Filters a list by a phone number. The list follows the typing with a short delay, once the number is whole; the field
 * follows the address bar when that changes otherwise.
 */
export function NumberFilter({ number, onChange, ...field }: Props) {
  const [text, setText] = useState(number);
  const [isPart, setIsPart] = useState(false);
  const applied = useRef(number);
  const apply = useDebouncedCallback((next: string) => {
    applied.current = isE164(next) ? next : "";
    setIsPart(next !== applied.current);
    onChange(applied.current);
  }, TYPING_DEBOUNCE_MS);
  useEffect(() => {
    if (number === applied.current) return;
    applied.current = number;
    setText(number);
    setIsPart(false);
  }, [number]);
  return (
    <TextInput
      type="search"
      placeholder="+14155550123"
      leftSection={<IconPhone size={16} aria-hidden />}
      maxLength={32}
      error={isPart && "The whole number, with its plus and country"}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        apply(event.currentTarget.value.replaceAll(/[\s().-]/g, ""));
      }}
      {...field}
    />
  );
}
