"use client";

import { DatePickerInput } from "@mantine/dates";
import type { DayRange } from "./created-range";
import type { UrlPatch } from "./use-url-state";

/** Filters a list by days, which stand in the URL as `created_from` and `created_to`. */
export function DaysFilter({
  label,
  days,
  change,
}: {
  label: string;
  days: DayRange;
  change: (patch: UrlPatch) => void;
}) {
  return (
    <DatePickerInput
      type="range"
      label={label}
      placeholder="Any time"
      valueFormat="MMM D, YYYY"
      clearable
      allowSingleDateInRange
      maxDate={new Date()}
      value={[days[0], days[1]]}
      onChange={([first, last]) => change({ created_from: first ?? undefined, created_to: last ?? undefined })}
      flex="1 1 220px"
      maw={{ sm: 280 }}
    />
  );
}
