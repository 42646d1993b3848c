"use client";

import { NativeSelect, type NativeSelectProps } from "@mantine/core";

type Option = { value: string; label: string };

/**
 * A choice from a list by the browser's own means, which suit phones and weigh next to nothing. With a `placeholder` nothing
 * may be chosen, which is null.
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
  /** Name of the choice of nothing. */
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
