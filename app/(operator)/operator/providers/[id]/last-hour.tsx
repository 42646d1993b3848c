"use client";

import { Card, SimpleGrid, Text, Title } from "@mantine/core";
import { StackedBars } from "@/app/_ui/stacked-bars";
import { StatCard } from "@/app/_ui/stat-card";
import { formatCount } from "@/app/_ui/values/count";
import { FigureList } from "@/app/_ui/values/figure-list";
import { TONE_COLORS } from "@/app/_ui/values/status-badge";
import type { OperatedProvider } from "@/server/providers/operator-schema";
import { formatLatency, formatShare } from "../provider-words";

const HEIGHT = 180;
const SERIES = [
  { name: "accepted", label: "Accepted", color: TONE_COLORS.success },
  { name: "failed", label: "Not accepted", color: TONE_COLORS.danger },
  { name: "unknown", label: "Unknown", color: TONE_COLORS.warning },
];

const clock = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

/** The calls of the last 60 minutes: totals, a chart by minute, and failures by kind. */
export function LastHour({ provider: { last_hour: hour, minutes, health } }: { provider: OperatedProvider }) {
  const failures = [
    ["Refused permanently", hour.refused],
    ["Provider failures", hour.failed],
    ["Throttled", hour.throttled],
    ["Account problems", hour.account_refused],
    ["Message problems", hour.message_refused],
  ] as const;
  const shown = failures.filter(([, count]) => count > 0);
  return (
    <>
      <SimpleGrid cols={{ base: 2, md: 5 }} spacing={{ base: "sm", sm: "md" }}>
        <StatCard label="Calls" value={formatCount(hour.calls)} hint="Last 60 minutes" />
        <StatCard label="Success" value={formatShare(hour.success_share)} hint="Of calls with a known outcome" />
        <StatCard label="Mean latency" value={formatLatency(hour.mean_latency_ms)} />
        <StatCard label="Unknown" value={formatCount(hour.unknown)} hint="No readable response" />
        <StatCard label="Health" value={formatShare(health)} hint="Share of its route weight in use" />
      </SimpleGrid>
      <Card component="section" aria-labelledby="calls-per-minute">
        <Title order={2} size="h4" id="calls-per-minute" mb="md">
          Calls per minute
        </Title>
        {hour.calls === 0 ? (
          <Text size="sm" c="dimmed">
            No calls in the last hour.
          </Text>
        ) : (
          <StackedBars
            label={`Calls per minute by outcome, ${formatCount(hour.calls)} in all`}
            h={HEIGHT}
            bars={minutes.map(({ minute, ...counts }) => ({
              id: minute,
              name: clock.format(new Date(minute)),
              counts,
            }))}
            series={SERIES}
          />
        )}
        {shown.length > 0 && <FigureList figures={shown} mt="md" />}
      </Card>
    </>
  );
}
