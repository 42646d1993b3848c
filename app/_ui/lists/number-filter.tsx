"use client";

import { TextInput, type TextInputProps } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";
import { listsTexts as texts } from "@/app/_texts/ui/lists";
import { IconPhone } from "@/app/_ui/icons/icons";
import { isE164, NUMBER_PART_PATTERN } from "@/server/messages/phone";

const TYPING_DEBOUNCE_MS = 300;

type Props = Pick<TextInputProps, "label" | "w" | "maw" | "flex"> & {
  /** The number that the list is filtered by; empty: no filter. */
  number: string;
  onChange: (number: string) => void;
  /** Filters of the list; `part` of a number, or a complete one. */
  accepts?: "number" | "part";
};

const IS_USABLE = { number: isE164, part: (text: string) => NUMBER_PART_PATTERN.test(text) };

/**
 * Filters a list by a phone number, with a debounce and only once it can be filtered by. The field follows `number`
 * when the URL changes otherwise, for example by the back button.
 */
export function NumberFilter({ number, onChange, accepts = "number", ...field }: Props) {
  const isUsable = IS_USABLE[accepts];
  const [text, setText] = useState(number);
  const [isIncomplete, setIsIncomplete] = useState(false);
  const applied = useRef(number);
  const apply = useDebouncedCallback((next: string) => {
    applied.current = isUsable(next) ? next : "";
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
      placeholder={accepts === "part" ? texts.numberOrPart : "+14155550123"}
      leftSection={<IconPhone size={16} aria-hidden />}
      maxLength={32}
      error={isIncomplete && texts.numberHints[accepts]}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        apply(event.currentTarget.value.replaceAll(/[\s().-]/g, ""));
      }}
      // Applied before a click on a link navigates: a change of the address during that would end the navigation.
      onBlur={() => apply.flush()}
      {...field}
    />
  );
}
