"use client";

import { TextInput, type TextInputProps } from "@mantine/core";
import { listsTexts as texts } from "@/app/_texts/ui/lists";
import { IconPhone } from "@/app/_ui/icons/icons";
import { isE164, NUMBER_PART_PATTERN, withoutSeparators } from "@/server/messages/phone";
import { hintBelow } from "./filter-hint";
import { useTypedFilter } from "./use-typed-filter";

type Props = Pick<TextInputProps, "label" | "w" | "maw" | "flex"> & {
  /** The number that the list is filtered by; empty: no filter. */
  number: string;
  onChange: (number: string) => void;
  /** Filters of the list; `part` of a number, or a complete one. */
  accepts?: "number" | "part";
};

const IS_USABLE = { number: isE164, part: (text: string) => NUMBER_PART_PATTERN.test(text) };

/** Filters a list by a phone number as soon as the text can be one; until then a hint says what is missing. */
export function NumberFilter({ number, onChange, accepts = "number", ...props }: Props) {
  const { field, isUnusable } = useTypedFilter({
    value: number,
    onChange,
    filterOf: (text) => {
      const typed = withoutSeparators(text);
      return typed === "" || IS_USABLE[accepts](typed) ? typed : undefined;
    },
  });
  return (
    <TextInput
      type="search"
      placeholder={accepts === "part" ? texts.numberOrPart : "+14155550123"}
      leftSection={<IconPhone size={16} aria-hidden />}
      maxLength={32}
      error={isUnusable && texts.numberHints[accepts]}
      {...hintBelow}
      {...field}
      {...props}
    />
  );
}
