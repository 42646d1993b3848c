import { Anchor, Card, Group, Text, Title } from "@mantine/core";
import type { ComponentProps } from "react";
import { operatorHomeTexts } from "@/app/_texts/operator/home";
import { providerWordsTexts as words } from "@/app/_texts/operator/provider-words";
import { PageLink } from "@/app/_ui/frame/page-link";
import { type Column, PagedTable } from "@/app/_ui/lists/paged-table";
import { QueryState } from "@/app/_ui/lists/query-state";
import { formatCount } from "@/app/_ui/values/count";
import { PROVIDER_NAMES } from "@/app/_ui/values/provider-name";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import type { OperatedProvider } from "@/server/providers/operator-schema";
import { formatLatency, formatNotAccepted, PROVIDER_STATE_TONES } from "../providers/provider-words";

const number = (text: string) => <span className="tabular nowrap">{text}</span>;

const columns = (texts: typeof operatorHomeTexts.providers): ReadonlyArray<Column<OperatedProvider>> => [
  {
    key: "provider",
    header: texts.provider,
    render: ({ id }) => (
      <Anchor component={PageLink} href={`/operator/providers/${id}`} size="sm" fw={600}>
        {PROVIDER_NAMES[id]}
      </Anchor>
    ),
  },
  {
    key: "state",
    header: texts.state,
    render: ({ state }) => <StatusBadge tone={PROVIDER_STATE_TONES[state]}>{words.states[state]}</StatusBadge>,
  },
  {
    key: "calls",
    header: texts.calls,
    align: "right",
    render: ({ last_hour: hour }) => number(formatCount(hour.calls)),
  },
  {
    key: "errors",
    header: texts.notAccepted,
    align: "right",
    visibleFrom: "xs",
    render: ({ last_hour: hour }) => number(formatNotAccepted([hour])),
  },
  {
    key: "latency",
    header: texts.meanLatency,
    align: "right",
    visibleFrom: "sm",
    render: ({ last_hour: hour }) => number(formatLatency(hour.mean_latency_ms)),
  },
];

type Query = ComponentProps<typeof QueryState<OperatedProvider[]>>["query"];

/** The configured providers with their calls of the last hour, the busiest first. */
export function ProvidersInUse({ query }: { query: Query }) {
  const texts = operatorHomeTexts.providers;
  return (
    <Card component="section" aria-labelledby="in-use" padding={0}>
      <Group justify="space-between" p="lg" pb="xs">
        <Title order={2} size="h4" id="in-use">
          {texts.title}
        </Title>
        <Anchor component={PageLink} href="/operator/providers" size="sm">
          {texts.all}
        </Anchor>
      </Group>
      <QueryState query={query}>
        {(providers) => (
          <PagedTable
            label={texts.title}
            columns={columns(texts)}
            rows={providers
              .filter(({ state }) => state !== "not_configured")
              .sort((a, b) => b.last_hour.calls - a.last_hour.calls)}
            rowKey={({ id }) => id}
            empty={
              <Text size="sm" c="dimmed" px="lg" pb="lg">
                {texts.none}
              </Text>
            }
          />
        )}
      </QueryState>
    </Card>
  );
}
