"use client";

import { NativeSelect, type NativeSelectProps } from "@mantine/core";

type Option = { value: string; label: string };

/**
 * A native select, which suits phones and adds almost no code. With a `placeholder`, nothing may be chosen; the value is then null.
 */
export function Choice({
  data,
  value = null,
  onChange,
  placeholder,
  ...field
}: Omit<NativeSelectProps, "data" | "value" | "onChange"> & {
  data: readonly (string | Option)[];
  value?: string | null;
  onChange?: (value: string | null) => void;
  /** The label of choosing nothing. */
  placeholder?: string;
}) {
  const none = placeholder === undefined ? [] : [{ value: "", label: placeholder }];
  return (
    <NativeSelect
      data={[...none, ...data]}
      value={value ?? ""}
      onChange={({ currentTarget }) => onChange?.(currentTarget.value || null)}
      className="choice"
      {...field}
    />
  );
}
