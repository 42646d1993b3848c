"use client";

import { useDebouncedCallback } from "@mantine/hooks";
import { type ChangeEvent, useEffect, useRef, useState } from "react";
import { onNavigationStart } from "@/app/_ui/frame/navigations";
import { notRestored } from "./filter-hint";

const TYPING_DEBOUNCE_MS = 300;

type TypedFilter = {
  /** The filter in the address. */
  value: string;
  onChange: (value: string) => void;
  /** The filter that a text means; `undefined` if the list cannot be filtered by it. */
  filterOf: (text: string) => string | undefined;
};

/**
 * A text field for a filter, which is written to the address when typing pauses. The field follows the address when something else
 * changes it, and is reset to it when a navigation starts: a navigation to the list without filters may be rendered before the
 * filter ever was.
 */
export function useTypedFilter({ value, onChange, filterOf }: TypedFilter) {
  const [text, setText] = useState(value);
  const [isUnusable, setUnusable] = useState(false);
  const applied = useRef(value);
  const apply = useDebouncedCallback((typed: string) => {
    const filter = filterOf(typed);
    applied.current = filter ?? "";
    setUnusable(filter === undefined);
    onChange(applied.current);
  }, TYPING_DEBOUNCE_MS);
  useEffect(() => {
    const follow = () => {
      applied.current = value;
      setText(value);
      setUnusable(false);
    };
    if (value !== applied.current) follow();
    return onNavigationStart(() => {
      apply.cancel();
      follow();
    });
  }, [value, apply]);
  const field = {
    value: text,
    ...notRestored,
    onChange: (event: ChangeEvent<HTMLInputElement>) => {
      setText(event.currentTarget.value);
      apply(event.currentTarget.value);
    },
    // Applied before a click on a link navigates, because a change of the address during a navigation would cancel it.
    onBlur: () => apply.flush(),
  };
  return { field, isUnusable };
}
