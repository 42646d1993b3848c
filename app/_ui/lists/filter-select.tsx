import { Select, type SelectProps } from "@mantine/core";

type Props = Pick<SelectProps, "label" | "placeholder" | "searchable" | "flex" | "maw" | "w"> & {
  options: NonNullable<SelectProps["data"]>;
  /** Undefined or empty: not filtered. */
  value: string | undefined;
  /** `undefined` when the filter is cleared. */
  onChange: (value: string | undefined) => void;
};

/** Filters a list by one of several values, or by none. */
export function FilterSelect({ options, value, onChange, ...field }: Props) {
  return (
    <Select
      comboboxProps={{ keepMounted: false }}
      clearable
      data={options}
      value={value || null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
      {...field}
    />
  );
}
