"use client";

import { Anchor, Card, Title } from "@mantine/core";
import { keepPreviousData } from "@tanstack/react-query";
import { alertsTexts as texts } from "@/app/_texts/settings/alerts";
import { trpc } from "@/app/_trpc/client";
import { PageLink } from "@/app/_ui/frame/page-link";
import { IconBell } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { useUrlState } from "@/app/_ui/lists/use-url-state";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import { Time } from "@/app/_ui/values/time";
import type { Alert } from "@/server/alerts/schema";

const PER_PAGE = 25;

const columns = (): ReadonlyArray<Column<Alert>> => [
  {
    key: "state",
    header: texts.past.state,
    render: ({ state }) => (
      <StatusBadge tone={state === "raised" ? "warning" : "success"}>
        {state === "raised" ? texts.past.raised : texts.past.cleared}
      </StatusBadge>
    ),
  },
  {
    key: "text",
    header: texts.past.alert,
    render: ({ text, created_at, state, traffic }) => (
      <>
        <span className="break-word">{text}</span>
        {traffic && state === "raised" && (
          <div>
            <Anchor
              component={PageLink}
              href={traffic.country === null ? "/settings/sending" : `/settings/sending?without=${traffic.country}`}
              inherit
            >
              {texts.past.limitCountries}
            </Anchor>
          </div>
        )}
        <div className="small dimmed mantine-hidden-from-sm">
          <Time value={created_at} />
        </div>
      </>
    ),
  },
  {
    key: "when",
    header: texts.past.when,
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
        {texts.past.title}
      </Title>
      <QueryState query={alerts}>
        {({ items, pagination }) => (
          <PagedTable
            label={texts.past.title}
            columns={columns()}
            rows={items}
            rowKey={({ id }) => id}
            pagination={pagination}
            onPage={setPage}
            busy={alerts.isPlaceholderData}
            empty={
              <EmptyState icon={IconBell} title={texts.past.none}>
                {texts.past.noneHint}
              </EmptyState>
            }
          />
        )}
      </QueryState>
    </Card>
  );
}
