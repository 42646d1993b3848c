"use client";

import { TextInput, type TextInputProps } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";
import { IconSearch } from "@/app/_ui/icons/icons";

const TYPING_DEBOUNCE_MS = 300;

/** A field whose text reaches the address once nobody types; it follows the address when that changes otherwise. */
export function TextFilter({
  value,
  onChange,
  ...field
}: Pick<TextInputProps, "label" | "aria-label" | "placeholder" | "maxLength" | "flex" | "maw" | "w"> & {
  value: string;
  onChange: (text: string) => void;
}) {
  const [text, setText] = useState(value);
  const applied = useRef(value);
  const apply = useDebouncedCallback((next: string) => {
    applied.current = next;
    onChange(next);
  }, TYPING_DEBOUNCE_MS);
  useEffect(() => {
    if (value === applied.current) return;
    applied.current = value;
    setText(value);
  }, [value]);
  return (
    <TextInput
      type="search"
      leftSection={<IconSearch size={16} aria-hidden />}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        apply(event.currentTarget.value.trim());
      }}
      flex="1 1 150px"
      maw={{ sm: 220 }}
      // Applied before a click on a link navigates: a change of the address during that would end the navigation.
      onBlur={() => apply.flush()}
      {...field}
    />
  );
}
