"use client";

import { Card, Title } from "@mantine/core";
import { keepPreviousData } from "@tanstack/react-query";
import { trpc } from "@/app/_trpc/client";
import { IconBell } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { useUrlState } from "@/app/_ui/lists/use-url-state";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import { Time } from "@/app/_ui/values/time";
import type { Alert } from "@/server/alerts/schema";

const PER_PAGE = 25;

const columns: ReadonlyArray<Column<Alert>> = [
  {
    key: "state",
    header: "State",
    render: ({ state }) => (
      <StatusBadge tone={state === "raised" ? "warning" : "success"}>
        {state === "raised" ? "Raised" : "Cleared"}
      </StatusBadge>
    ),
  },
  {
    key: "text",
    header: "Alert",
    render: ({ text, created_at }) => (
      <>
        <span className="break-word">{text}</span>
        <div className="small dimmed mantine-hidden-from-sm">
          <Time value={created_at} />
        </div>
      </>
    ),
  },
  {
    key: "when",
    header: "When",
    align: "right",
    visibleFrom: "sm",
    render: ({ created_at }) => <Time value={created_at} />,
  },
];

/** Alerts of the last 90 days, newest first. */
export function AlertsCard() {
  const { page, setPage } = useUrlState();
  const alerts = trpc.alerts.list.useQuery({ page, limit: PER_PAGE }, { placeholderData: keepPreviousData });
  return (
    <Card component="section" aria-labelledby="alerts" padding={0}>
      <Title order={2} size="h4" id="alerts" p="lg">
        Past alerts
      </Title>
      <QueryState query={alerts}>
        {({ items, pagination }) => (
          <PagedTable
            label="Past alerts"
            columns={columns}
            rows={items}
            rowKey={({ id }) => id}
            pagination={pagination}
            onPage={setPage}
            busy={alerts.isPlaceholderData}
            empty={
              <EmptyState icon={IconBell} title="No alerts">
                Nothing went wrong in the last 90 days.
              </EmptyState>
            }
          />
        )}
      </QueryState>
    </Card>
  );
}
