"use client";

import { Anchor, Card, Group, SegmentedControl, Text } from "@mantine/core";
import { useRouter } from "next/navigation";
import { providerWordsTexts as words } from "@/app/_texts/operator/provider-words";
import { providersTexts as texts } from "@/app/_texts/operator/providers";
import { trpc } from "@/app/_trpc/client";
import { PageHeader } from "@/app/_ui/frame/page-header";
import { PageLink } from "@/app/_ui/frame/page-link";
import { IconServer2 } from "@/app/_ui/icons/icons";
import { EmptyState } from "@/app/_ui/lists/empty-state";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { oneOf, useUrlState } from "@/app/_ui/lists/use-url-state";
import { formatCount } from "@/app/_ui/values/count";
import { PROVIDER_NAMES } from "@/app/_ui/values/provider-name";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import type { OperatedProvider } from "@/server/providers/operator-schema";
import { formatLatency, formatRoundedDown, PROVIDER_STATE_TONES } from "./provider-words";

const REFRESH_MS = 5_000;
const ALL = "all";
const FILTERS = [ALL, "in_use", "in_trouble"] as const;

const SHOWN: Record<string, (provider: OperatedProvider) => boolean> = {
  in_use: ({ state }) => state !== "not_configured",
  in_trouble: ({ state, alarm }) => alarm !== null || ["open", "probing", "misconfigured"].includes(state),
};

const number = (text: string) => <span className="tabular nowrap">{text}</span>;

const columns = (): ReadonlyArray<Column<OperatedProvider>> => [
  {
    key: "provider",
    header: texts.provider,
    render: ({ id, source, alarm, problem }) => (
      <>
        <Anchor component={PageLink} href={`/operator/providers/${id}`} size="sm" fw={600}>
          {PROVIDER_NAMES[id]}
        </Anchor>
        {(alarm || problem) && (
          <Text size="xs" c="dimmed" lineClamp={2} maw={320} className="break-word">
            {problem ?? alarm}
          </Text>
        )}
        {source && (
          <Text size="xs" c="dimmed" hiddenFrom="md">
            {texts.sources[source]}
          </Text>
        )}
      </>
    ),
  },
  {
    key: "state",
    header: texts.state,
    render: ({ state }) => <StatusBadge tone={PROVIDER_STATE_TONES[state]}>{words.states[state]}</StatusBadge>,
  },
  {
    key: "source",
    header: texts.settingsFrom,
    visibleFrom: "md",
    render: ({ source }) => (source ? texts.sources[source] : "–"),
  },
  {
    key: "health",
    header: texts.health,
    align: "right",
    visibleFrom: "lg",
    render: ({ health, state }) => number(state === "not_configured" ? "–" : formatRoundedDown(health)),
  },
  {
    key: "calls",
    header: texts.calls,
    align: "right",
    visibleFrom: "sm",
    render: ({ last_hour }) => number(formatCount(last_hour.calls)),
  },
  {
    key: "success",
    header: texts.success,
    align: "right",
    visibleFrom: "xs",
    render: ({ last_hour }) => number(formatRoundedDown(last_hour.success_share)),
  },
  {
    key: "unknown",
    header: texts.unknown,
    align: "right",
    visibleFrom: "lg",
    render: ({ last_hour }) => number(formatCount(last_hour.unknown)),
  },
  {
    key: "latency",
    header: texts.meanLatency,
    align: "right",
    visibleFrom: "md",
    render: ({ last_hour }) => number(formatLatency(last_hour.mean_latency_ms)),
  },
];

/** All providers with their state and the calls of the last hour. */
export function ProvidersView() {
  const router = useRouter();
  const { params, change } = useUrlState();
  const filter = oneOf(FILTERS, params.get("show")) ?? ALL;
  const providers = trpc.operator.providers.list.useQuery(undefined, { refetchInterval: REFRESH_MS });
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      <Card padding={0}>
        <Group className="card-bar">
          <SegmentedControl
            aria-label={texts.shown}
            size="sm"
            value={filter}
            data={FILTERS.map((value) => ({ value, label: texts.filters[value] }))}
            onChange={(value) => change({ show: value === ALL ? undefined : value })}
          />
        </Group>
        <QueryState query={providers}>
          {(data) => (
            <PagedTable
              label={texts.title}
              columns={columns()}
              rows={data.filter(SHOWN[filter] ?? (() => true))}
              rowKey={({ id }) => id}
              onRowClick={({ id }) => router.push(`/operator/providers/${id}`)}
              empty={
                <EmptyState
                  icon={IconServer2}
                  title={filter === "in_trouble" ? texts.noneInTrouble : texts.noneConfigured}
                >
                  {filter === "in_use" && texts.chooseOne}
                </EmptyState>
              }
            />
          )}
        </QueryState>
      </Card>
    </>
  );
}
