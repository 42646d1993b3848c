import { Anchor, Card, Group, Text, Title } from "@mantine/core";
import Link from "next/link";
import type { ComponentProps } from "react";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { formatCount } from "@/app/_ui/values/count";
import { PROVIDER_NAMES } from "@/app/_ui/values/provider-name";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import type { OperatedProvider } from "@/server/providers/operator-schema";
import { formatLatency, formatShare, PROVIDER_STATE_VIEWS } from "../providers/provider-words";

const number = (text: string) => <span className="tabular nowrap">{text}</span>;

const columns: ReadonlyArray<Column<OperatedProvider>> = [
  {
    key: "provider",
    header: "Provider",
    render: ({ id }) => (
      <Anchor component={Link} href={`/operator/providers/${id}`} size="sm" fw={600}>
        {PROVIDER_NAMES[id]}
      </Anchor>
    ),
  },
  {
    key: "state",
    header: "State",
    render: ({ state }) => (
      <StatusBadge tone={PROVIDER_STATE_VIEWS[state].tone}>{PROVIDER_STATE_VIEWS[state].label}</StatusBadge>
    ),
  },
  { key: "calls", header: "Calls", align: "right", render: ({ last_hour: hour }) => number(formatCount(hour.calls)) },
  {
    key: "errors",
    header: "Not accepted",
    align: "right",
    visibleFrom: "xs",
    render: ({ last_hour: { success_share: share } }) => number(formatShare(share === null ? null : 1 - share)),
  },
  {
    key: "latency",
    header: "Mean latency",
    align: "right",
    visibleFrom: "sm",
    render: ({ last_hour: hour }) => number(formatLatency(hour.mean_latency_ms)),
  },
];

type Query = ComponentProps<typeof QueryState<OperatedProvider[]>>["query"];

/** The configured providers with their calls of the last hour, the busiest first. */
export function ProvidersInUse({ query }: { query: Query }) {
  return (
    <Card component="section" aria-labelledby="in-use" padding={0}>
      <Group justify="space-between" p="lg" pb="xs">
        <Title order={2} size="h4" id="in-use">
          Providers, last hour
        </Title>
        <Anchor component={Link} href="/operator/providers" size="sm">
          All providers
        </Anchor>
      </Group>
      <QueryState query={query}>
        {(providers) => (
          <PagedTable
            label="Providers, last hour"
            columns={columns}
            rows={providers
              .filter(({ state }) => state !== "not_configured")
              .sort((a, b) => b.last_hour.calls - a.last_hour.calls)}
            rowKey={({ id }) => id}
            empty={
              <Text size="sm" c="dimmed" px="lg" pb="lg">
                No provider is configured.
              </Text>
            }
          />
        )}
      </QueryState>
    </Card>
  );
}
