"use client";

import { TextInput, type TextInputProps } from "@mantine/core";
import { useEffect, useRef } from "react";

/** The value of a field with an incomplete date. */
export const UNFINISHED = "unfinished";

type Props = Omit<TextInputProps, "type" | "value" | "onChange"> & {
  type: "date" | "datetime-local";
  value?: string;
  onChange?: (value: string) => void;
};

/**
 * A form field for a date, or for a date and a time. Browsers show an incomplete date, but report it as an empty field and mostly
 * fire no event. So the field is read after every key, and when its form is submitted, before the form checks its values. It is
 * not read when it loses the focus: an error that disappears then would move the button that is being clicked.
 */
export function DateInput({ value = "", onChange, ...field }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const read = useRef(() => {});
  useEffect(() => {
    read.current = () => {
      const now = input.current?.validity.badInput ? UNFINISHED : (input.current?.value ?? "");
      if (now !== value) onChange?.(now);
    };
  });
  useEffect(() => {
    const form = input.current?.form;
    const onSubmit = () => read.current();
    form?.addEventListener("submit", onSubmit, { capture: true });
    return () => form?.removeEventListener("submit", onSubmit, { capture: true });
  }, []);
  return (
    <TextInput
      ref={input}
      {...field}
      // Any other text would make the browser empty the field.
      value={value === UNFINISHED ? "" : value}
      onChange={({ currentTarget }) => onChange?.(currentTarget.value)}
      onKeyUp={() => read.current()}
    />
  );
}
