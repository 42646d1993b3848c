"use client";

import { Anchor, Card, Group, SegmentedControl, Text } from "@mantine/core";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { trpc } from "@/app/_trpc/client";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { IconServer2 } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { oneOf, useUrlState } from "@/app/_ui/lists/use-url-state";
import { formatCount } from "@/app/_ui/values/count";
import { PROVIDER_NAMES } from "@/app/_ui/values/provider-name";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import type { OperatedProvider } from "@/server/providers/operator-schema";
import { formatLatency, formatShare, PROVIDER_STATE_VIEWS, SOURCE_LABELS } from "./provider-words";

const REFRESH_MS = 5_000;
const ALL = "all";
const FILTERS = [
  { value: ALL, label: "All" },
  { value: "in_use", label: "Configured" },
  { value: "in_trouble", label: "With problems" },
];

const SHOWN: Record<string, (provider: OperatedProvider) => boolean> = {
  in_use: ({ state }) => state !== "not_configured",
  in_trouble: ({ state, alarm }) => alarm !== null || ["open", "probing", "misconfigured"].includes(state),
};

const number = (text: string) => <span className="tabular nowrap">{text}</span>;

const columns: ReadonlyArray<Column<OperatedProvider>> = [
  {
    key: "provider",
    header: "Provider",
    render: ({ id, source, alarm, problem }) => (
      <>
        <Anchor component={Link} href={`/operator/providers/${id}`} size="sm" fw={600}>
          {PROVIDER_NAMES[id]}
        </Anchor>
        {(alarm || problem) && (
          <Text size="xs" c="dimmed" lineClamp={2} maw={320} className="break-word">
            {problem ?? alarm}
          </Text>
        )}
        {source && (
          <Text size="xs" c="dimmed" hiddenFrom="md">
            {SOURCE_LABELS[source]}
          </Text>
        )}
      </>
    ),
  },
  {
    key: "state",
    header: "State",
    render: ({ state }) => (
      <StatusBadge tone={PROVIDER_STATE_VIEWS[state].tone}>{PROVIDER_STATE_VIEWS[state].label}</StatusBadge>
    ),
  },
  {
    key: "source",
    header: "Settings from",
    visibleFrom: "md",
    render: ({ source }) => (source ? SOURCE_LABELS[source] : "–"),
  },
  {
    key: "health",
    header: "Health",
    align: "right",
    visibleFrom: "lg",
    render: ({ health, state }) => number(state === "not_configured" ? "–" : formatShare(health)),
  },
  {
    key: "calls",
    header: "Calls",
    align: "right",
    visibleFrom: "sm",
    render: ({ last_hour }) => number(formatCount(last_hour.calls)),
  },
  {
    key: "success",
    header: "Success",
    align: "right",
    visibleFrom: "xs",
    render: ({ last_hour }) => number(formatShare(last_hour.success_share)),
  },
  {
    key: "unknown",
    header: "Unknown",
    align: "right",
    visibleFrom: "lg",
    render: ({ last_hour }) => number(formatCount(last_hour.unknown)),
  },
  {
    key: "latency",
    header: "Mean latency",
    align: "right",
    visibleFrom: "md",
    render: ({ last_hour }) => number(formatLatency(last_hour.mean_latency_ms)),
  },
];

/** All providers with their state and the calls of the last hour. */
export function ProvidersView() {
  const router = useRouter();
  const { params, change } = useUrlState();
  const filter =
    oneOf(
      FILTERS.map(({ value }) => value),
      params.get("show"),
    ) ?? ALL;
  const providers = trpc.operator.providers.list.useQuery(undefined, { refetchInterval: REFRESH_MS });
  return (
    <>
      <PageHeader
        title="Providers"
        description="Upstream services that messages are sent through. Figures cover the last 60 minutes."
      />
      <Card padding={0}>
        <Group className="card-bar">
          <SegmentedControl
            aria-label="Providers shown"
            size="sm"
            value={filter}
            data={FILTERS}
            onChange={(value) => change({ show: value === ALL ? undefined : value })}
          />
        </Group>
        <QueryState query={providers}>
          {(data) => (
            <PagedTable
              label="Providers"
              columns={columns}
              rows={data.filter(SHOWN[filter] ?? (() => true))}
              rowKey={({ id }) => id}
              onRowClick={({ id }) => router.push(`/operator/providers/${id}`)}
              empty={
                <EmptyState
                  icon={IconServer2}
                  title={filter === "in_trouble" ? "No provider has problems" : "No provider is configured"}
                >
                  {filter === "in_use" && "Choose one under “All” and enter its credentials."}
                </EmptyState>
              }
            />
          )}
        </QueryState>
      </Card>
    </>
  );
}
