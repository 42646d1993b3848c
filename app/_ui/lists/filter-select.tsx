import type { ComponentProps } from "react";
import { Choice } from "../forms/choice";
import { notRestored } from "./filter-hint";

type Props = Omit<ComponentProps<typeof Choice>, "data" | "value" | "onChange"> & {
  options: ComponentProps<typeof Choice>["data"];
  /** Undefined or empty: not filtered. */
  value: string | undefined;
  /** `undefined` when the filter is cleared. */
  onChange: (value: string | undefined) => void;
};

/** Filters a list by one of several values, or by none. */
export function FilterSelect({ options, value, onChange, ...field }: Props) {
  return (
    <Choice
      data={options}
      value={value || null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
      {...notRestored}
      {...field}
    />
  );
}
