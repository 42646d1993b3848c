"use client";

import { requestsTexts as texts } from "@/app/_texts/requests";
import { sharedTexts } from "@/app/_texts/shared";
import { ApiKeyFilter } from "@/app/_ui/lists/api-key-filter";
import { type ChangeFilters, FilterBar } from "@/app/_ui/lists/filter-bar";
import { FilterSelect } from "@/app/_ui/lists/filter-select";
import { TextFilter } from "@/app/_ui/lists/text-filter";
import { oneOf, type UrlPatch } from "@/app/_ui/lists/use-url-state";
import type { ListRequestsQuery } from "@/server/request-log/schema";

type StatusClass = NonNullable<ListRequestsQuery["status_class"]>;

const STATUS_CLASSES: readonly StatusClass[] = ["2xx", "4xx", "5xx"];

/** The status that the address names; undefined: none, or none that exists. */
export const statusOf = (text: string | null): StatusClass | undefined => oneOf(STATUS_CLASSES, text);

export type RequestFilterValues = {
  status: StatusClass | undefined;
  keyId: string;
  path: string;
  address: string;
  requestId: string;
};

/** The patch that clears every filter. */
export const NO_FILTERS: UrlPatch = {
  status: undefined,
  key: undefined,
  path: undefined,
  address: undefined,
  request: undefined,
};

/** Filters of the request log; `change` writes them to the URL. */
export function RequestFilters({
  values,
  isFiltered,
  change,
}: {
  values: RequestFilterValues;
  isFiltered: boolean;
  change: ChangeFilters;
}) {
  return (
    <FilterBar isFiltered={isFiltered} onClear={() => change(NO_FILTERS)}>
      <FilterSelect
        label={sharedTexts.status}
        placeholder={texts.filters.anyStatus}
        options={STATUS_CLASSES.map((value) => ({ value, label: texts.filters.statuses[value] }))}
        value={values.status}
        onChange={(status) => change({ status })}
        flex="1 1 140px"
        maw={{ sm: 200 }}
      />
      <ApiKeyFilter keyId={values.keyId} onChange={(key) => change({ key })} />
      <TextFilter
        label={texts.filters.path}
        placeholder="/messages"
        maxLength={100}
        value={values.path}
        onChange={(path) => change({ path }, "replace")}
      />
      <TextFilter
        label={texts.filters.address}
        placeholder={texts.filters.addressOrPart}
        maxLength={45}
        value={values.address}
        onChange={(address) => change({ address }, "replace")}
      />
      <TextFilter
        label={texts.filters.requestId}
        placeholder="req_…"
        maxLength={40}
        value={values.requestId}
        onChange={(request) => change({ request }, "replace")}
      />
    </FilterBar>
  );
}
