"use client";

import { TextInput } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { listsTexts as texts } from "@/app/_texts/ui/lists";
import { type DayRange, FIRST_DAY, isReversed, LAST_DAY } from "./created-range";
import { hintBelow, notRestored } from "./filter-hint";
import type { UrlPatch } from "./use-url-state";

/** Filters a list by days, which stand in the URL as `created_from` and `created_to`. */
export function DaysFilter({
  label,
  days: [first, last],
  change,
}: {
  label: string;
  days: DayRange;
  change: (patch: UrlPatch) => void;
}) {
  return (
    <>
      <DayField label={texts.daysFrom(label)} day={first} onChange={(created_from) => change({ created_from })} />
      <DayField
        label={texts.daysTo(label)}
        day={last}
        error={isReversed([first, last]) && texts.beforeFirst}
        onChange={(created_to) => change({ created_to })}
      />
    </>
  );
}

/** A field with the browser's own calendar. It follows the address when something else changes it. */
function DayField({
  label,
  day,
  error,
  onChange,
}: {
  label: string;
  day: string | null;
  error?: string | false;
  onChange: (day: string | undefined) => void;
}) {
  const [text, setText] = useState(day ?? "");
  const applied = useRef(day);
  useEffect(() => {
    if (day === applied.current) return;
    applied.current = day;
    setText(day ?? "");
  }, [day]);
  const take = ({ value, validity }: HTMLInputElement) => {
    setText(value);
    if (!validity.valid || (value || null) === applied.current) return;
    applied.current = value || null;
    onChange(value || undefined);
  };
  return (
    <TextInput
      type="date"
      label={label}
      min={FIRST_DAY}
      max={LAST_DAY}
      error={error}
      {...hintBelow}
      {...notRestored}
      value={text}
      onChange={(event) => take(event.currentTarget)}
      // Browsers fire no change event when an incomplete date is removed.
      onBlur={(event) => take(event.currentTarget)}
      flex="1 1 140px"
      maw={{ sm: 170 }}
    />
  );
}
