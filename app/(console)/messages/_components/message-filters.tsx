"use client";

import { Button, Group } from "@mantine/core";
import { IconFilterOff } from "@tabler/icons-react";
import { Choice } from "@/app/_ui/forms/choice";
import type { DayRange } from "@/app/_ui/lists/created-range";
import { DaysFilter } from "@/app/_ui/lists/days-filter";
import { NumberFilter } from "@/app/_ui/lists/number-filter";
import type { UrlPatch } from "@/app/_ui/lists/use-url-state";
import { MESSAGE_STATUS_VIEWS, type MessageStatus } from "@/app/_ui/values/message-status-badge";

const STATUS_OPTIONS = MESSAGE_STATUS_VIEWS.map(({ status, label }) => ({ value: status, label }));

export type MessageFilterValues = { status: MessageStatus | undefined; to: string; days: DayRange };

/** The patch that clears every filter. */
export const NO_FILTERS: UrlPatch = {
  status: undefined,
  to: undefined,
  created_from: undefined,
  created_to: undefined,
};

/** Whether any filter is set. */
export const isFiltered = ({ status, to, days }: MessageFilterValues) => Boolean(status || to || days[0] || days[1]);

/** Filters of the message list; `change` writes them to the URL. */
export function MessageFilters({
  values,
  change,
}: {
  values: MessageFilterValues;
  change: (patch: UrlPatch, how?: "push" | "replace") => void;
}) {
  return (
    <Group gap="sm" align="flex-end" mb="md">
      <Choice
        label="Status"
        placeholder="Any status"
        data={STATUS_OPTIONS}
        value={values.status ?? null}
        onChange={(status) => change({ status: status ?? undefined })}
        flex="1 1 140px"
        maw={{ sm: 180 }}
      />
      <NumberFilter
        label="Recipient"
        accepts="part"
        number={values.to}
        onChange={(to) => change({ to }, "replace")}
        flex="1 1 180px"
        maw={{ sm: 220 }}
      />
      <DaysFilter label="Created" days={values.days} change={change} />
      {isFiltered(values) && (
        <Button variant="subtle" leftSection={<IconFilterOff size={16} />} onClick={() => change(NO_FILTERS)}>
          Clear filters
        </Button>
      )}
    </Group>
  );
}
