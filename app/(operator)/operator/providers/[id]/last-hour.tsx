"use client";

import { Card, SimpleGrid, Text, Title } from "@mantine/core";
import { formatCount } from "@/app/_ui/count";
import { FigureList } from "@/app/_ui/figure-list";
import { StackedBars } from "@/app/_ui/stacked-bars";
import { StatCard } from "@/app/_ui/stat-card";
import { TONE_COLORS } from "@/app/_ui/status-badge";
import type { OperatedProvider } from "@/server/providers/operator-schema";
import { formatLatency, formatShare } from "../provider-words";

const HEIGHT = 180;
const SERIES = [
  { name: "accepted", label: "Accepted", color: TONE_COLORS.success },
  { name: "failed", label: "Not accepted", color: TONE_COLORS.danger },
  { name: "unknown", label: "Unknown", color: TONE_COLORS.warning },
];

const clock = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

/** The last 60 minutes of a provider in figures and minute by minute. */
export function LastHour({ provider: { last_hour: hour, minutes, health } }: { provider: OperatedProvider }) {
  const endings = [
    ["Refused for good", hour.refused],
    ["Failing", hour.failed],
    ["Throttled", hour.throttled],
    ["Our account with it", hour.account_refused],
    ["This message only", hour.message_refused],
  ] as const;
  const refusals = endings.filter(([, count]) => count > 0);
  return (
    <>
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing={{ base: "sm", sm: "md" }}>
        <StatCard label="Calls" value={formatCount(hour.calls)} hint="Last 60 minutes" />
        <StatCard label="Success" value={formatShare(hour.success_share)} hint="Of calls whose end is known" />
        <StatCard label="Mean latency" value={formatLatency(hour.mean_latency_ms)} />
        <StatCard label="Unknown" value={formatCount(hour.unknown)} hint="No answer that could be read" />
        <StatCard label="Health" value={formatShare(health)} hint="Share of its weight that it keeps" />
      </SimpleGrid>
      <Card component="section" aria-labelledby="minute-by-minute">
        <Title order={2} size="h4" id="minute-by-minute" mb="md">
          Minute by minute
        </Title>
        {hour.calls === 0 ? (
          <Text size="sm" c="dimmed">
            Nothing was handed to it in the last hour.
          </Text>
        ) : (
          <StackedBars
            label={`Calls per minute by outcome, ${formatCount(hour.calls)} in all`}
            h={HEIGHT}
            data={minutes.map((point) => ({ ...point, minute: clock.format(new Date(point.minute)) }))}
            dataKey="minute"
            series={SERIES}
            minTickGap={40}
          />
        )}
        {refusals.length > 0 && <FigureList figures={refusals} mt="md" />}
      </Card>
    </>
  );
}
