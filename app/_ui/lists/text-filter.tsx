"use client";

import { TextInput, type TextInputProps } from "@mantine/core";
import { IconSearch } from "@/app/_ui/icons/icons";
import { useTypedFilter } from "./use-typed-filter";

const trimmed = (text: string) => text.trim();

/** Filters a list by a text. */
export function TextFilter({
  value,
  onChange,
  ...props
}: Pick<TextInputProps, "label" | "aria-label" | "placeholder" | "maxLength" | "flex" | "maw" | "w"> & {
  value: string;
  onChange: (text: string) => void;
}) {
  const { field } = useTypedFilter({ value, onChange, filterOf: trimmed });
  return (
    <TextInput
      type="search"
      leftSection={<IconSearch size={16} aria-hidden />}
      flex="1 1 150px"
      maw={{ sm: 220 }}
      {...field}
      {...props}
    />
  );
}
