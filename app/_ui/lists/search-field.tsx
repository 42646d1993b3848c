"use client";

import { TextInput, type TextInputProps } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@/app/_ui/icons/icons";

const SEARCH_DELAY_MS = 250;

type Props = Pick<TextInputProps, "aria-label" | "placeholder" | "maxLength" | "flex" | "maw" | "w"> & {
  /** The text that the list is searched for at first. */
  initial: string;
  /** Called with the trimmed text shortly after the last keystroke. */
  onSearch: (text: string) => void;
};

/** The search field in the bar above a list. */
export function SearchField({ initial, onSearch, ...field }: Props) {
  const search = useDebouncedCallback((text: string) => onSearch(text.trim()), SEARCH_DELAY_MS);
  return (
    <TextInput
      type="search"
      leftSection={<IconSearch size={16} aria-hidden />}
      defaultValue={initial}
      onChange={(event) => search(event.currentTarget.value)}
      onBlur={() => search.flush()}
      {...field}
    />
  );
}
