"use client";

import { Button, Group } from "@mantine/core";
import { IconFilterOff } from "@tabler/icons-react";
import { trpc } from "@/app/_trpc/client";
import { Choice } from "@/app/_ui/forms/choice";
import type { DayRange } from "@/app/_ui/lists/created-range";
import { DaysFilter } from "@/app/_ui/lists/days-filter";
import { NumberFilter } from "@/app/_ui/lists/number-filter";
import type { UrlPatch } from "@/app/_ui/lists/use-url-state";

const SENDERS_MAX = 100;

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
export function InboundFilters({
  values,
  change,
}: {
  values: InboundFilterValues;
  change: (patch: UrlPatch, how?: "push" | "replace") => void;
}) {
  const senders = trpc.senders.list.useQuery({ limit: SENDERS_MAX });
  const ownNumbers = (senders.data?.items ?? []).map((sender) => sender.sender_id);
  return (
    <Group gap="sm" align="flex-end" mb="md">
      <NumberFilter
        label="From"
        number={values.from}
        onChange={(from) => change({ from }, "replace")}
        flex="1 1 180px"
        maw={{ sm: 220 }}
      />
      <Choice
        label="To"
        placeholder="Any of your senders"
        data={[...new Set(values.to ? [values.to, ...ownNumbers] : ownNumbers)]}
        value={values.to || null}
        onChange={(to) => change({ to: to ?? undefined })}
        flex="1 1 180px"
        maw={{ sm: 220 }}
      />
      <DaysFilter label="Received" days={values.days} change={change} />
      {isFiltered(values) && (
        <Button variant="subtle" leftSection={<IconFilterOff size={16} />} onClick={() => change(NO_FILTERS)}>
          Clear filters
        </Button>
      )}
    </Group>
  );
}
