"use client";

import { MultiSelect, type MultiSelectProps } from "@mantine/core";

const OPTIONS_SHOWN_MAX = 60;

/** A select of several countries with a search. It weighs as much as a seventh of a page: the card loads it when it is needed. */
export function CountrySelect(props: MultiSelectProps) {
  return <MultiSelect limit={OPTIONS_SHOWN_MAX} searchable hidePickedOptions {...props} />;
}
