"use client";

import { inboundTexts as texts } from "@/app/_texts/inbound";
import { trpc } from "@/app/_trpc/client";
import type { DayRange } from "@/app/_ui/lists/created-range";
import { DaysFilter } from "@/app/_ui/lists/days-filter";
import { type ChangeFilters, FilterBar } from "@/app/_ui/lists/filter-bar";
import { FilterSelect } from "@/app/_ui/lists/filter-select";
import { NumberFilter } from "@/app/_ui/lists/number-filter";
import type { UrlPatch } from "@/app/_ui/lists/use-url-state";

export type InboundFilterValues = { from: string; to: string; days: DayRange };

/** The patch that clears every filter. */
export const NO_FILTERS: UrlPatch = {
  from: undefined,
  to: undefined,
  created_from: undefined,
  created_to: undefined,
};

/** Whether any filter is set. */
export const isFiltered = ({ from, to, days }: InboundFilterValues) => Boolean(from || to || days[0] || days[1]);

/** Filters of the list of inbound messages; `change` writes them to the URL. */
export function InboundFilters({ values, change }: { values: InboundFilterValues; change: ChangeFilters }) {
  const { data: ownNumbers = [] } = trpc.senders.names.useQuery();
  return (
    <FilterBar isFiltered={isFiltered(values)} onClear={() => change(NO_FILTERS)}>
      <NumberFilter
        label={texts.from}
        number={values.from}
        onChange={(from) => change({ from }, "replace")}
        flex="1 1 150px"
        maw={{ sm: 220 }}
      />
      <FilterSelect
        label={texts.to}
        placeholder={texts.anySender}
        options={[...new Set(values.to ? [values.to, ...ownNumbers] : ownNumbers)]}
        value={values.to}
        onChange={(to) => change({ to })}
        flex="1 1 150px"
        maw={{ sm: 220 }}
      />
      <DaysFilter label={texts.received} days={values.days} change={change} />
    </FilterBar>
  );
}
