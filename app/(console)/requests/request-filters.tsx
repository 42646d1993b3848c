"use client";

import { Button, Group, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconFilterOff, IconSearch } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { trpc } from "@/app/_trpc/client";
import { Choice } from "@/app/_ui/forms/choice";
import type { UrlPatch } from "@/app/_ui/lists/use-url-state";
import type { ListRequestsQuery } from "@/server/request-log/schema";

const TYPING_DEBOUNCE_MS = 300;

type StatusClass = NonNullable<ListRequestsQuery["status_class"]>;

const STATUS_OPTIONS: Array<{ value: StatusClass; label: string }> = [
  { value: "2xx", label: "Succeeded (2xx)" },
  { value: "4xx", label: "Refused (4xx)" },
  { value: "5xx", label: "Failed (5xx)" },
];

/** The status that the address names; undefined: none, or none that exists. */
export const statusOf = (text: string | null): StatusClass | undefined =>
  STATUS_OPTIONS.find(({ value }) => value === text)?.value;

export type RequestFilterValues = {
  status: StatusClass | undefined;
  keyId: string;
  path: string;
  requestId: string;
};

/** The patch that clears every filter. */
export const NO_FILTERS: UrlPatch = { status: undefined, key: undefined, path: undefined, request: undefined };

/** Filters of the request log; `change` writes them to the URL. */
export function RequestFilters({
  values,
  isFiltered,
  change,
}: {
  values: RequestFilterValues;
  isFiltered: boolean;
  change: (patch: UrlPatch, how?: "push" | "replace") => void;
}) {
  const { data: keys } = trpc.apiKeys.list.useQuery();
  return (
    <Group gap="sm" align="flex-end" mb="md">
      <Choice
        label="Status"
        placeholder="Any status"
        data={STATUS_OPTIONS}
        value={values.status ?? null}
        onChange={(status) => change({ status: status ?? undefined })}
        flex="1 1 140px"
        maw={{ sm: 200 }}
      />
      <Choice
        label="API key"
        placeholder="Any key"
        data={(keys?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={values.keyId || null}
        onChange={(key) => change({ key: key ?? undefined })}
        flex="1 1 140px"
        maw={{ sm: 220 }}
      />
      <TextFilter
        label="Path"
        placeholder="/messages"
        maxLength={100}
        value={values.path}
        onChange={(path) => change({ path }, "replace")}
      />
      <TextFilter
        label="Request id"
        placeholder="req_…"
        maxLength={40}
        value={values.requestId}
        onChange={(request) => change({ request }, "replace")}
      />
      {isFiltered && (
        <Button variant="subtle" leftSection={<IconFilterOff size={16} />} onClick={() => change(NO_FILTERS)}>
          Clear filters
        </Button>
      )}
    </Group>
  );
}

/** A field whose text reaches the address once nobody types; it follows the address when that changes otherwise. */
function TextFilter({
  value,
  onChange,
  ...field
}: {
  label: string;
  placeholder: string;
  maxLength: number;
  value: string;
  onChange: (text: string) => void;
}) {
  const [text, setText] = useState(value);
  const applied = useRef(value);
  const apply = useDebouncedCallback((next: string) => {
    applied.current = next;
    onChange(next);
  }, TYPING_DEBOUNCE_MS);
  useEffect(() => {
    if (value === applied.current) return;
    applied.current = value;
    setText(value);
  }, [value]);
  return (
    <TextInput
      type="search"
      leftSection={<IconSearch size={16} aria-hidden />}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        apply(event.currentTarget.value.trim());
      }}
      flex="1 1 160px"
      maw={{ sm: 220 }}
      {...field}
    />
  );
}
