"use client";

import { Card, SimpleGrid, Text, Title } from "@mantine/core";
import { currentLocale } from "@/app/_texts/language";
import { providerTexts } from "@/app/_texts/operator/provider";
import { StackedBars } from "@/app/_ui/stacked-bars";
import { StatCard } from "@/app/_ui/stat-card";
import { formatCount } from "@/app/_ui/values/count";
import { FigureList } from "@/app/_ui/values/figure-list";
import { TONE_COLORS } from "@/app/_ui/values/status-badge";
import type { OperatedProvider } from "@/server/providers/operator-schema";
import { formatLatency, formatRoundedDown } from "../provider-words";

const HEIGHT = 180;
const CLOCK = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;

const series = ({ series: texts }: typeof providerTexts.lastHour) => [
  { name: "accepted", label: texts.accepted, color: TONE_COLORS.success },
  { name: "failed", label: texts.failed, color: TONE_COLORS.danger },
  { name: "unknown", label: texts.unknown, color: TONE_COLORS.warning },
];

/** The calls of the last 60 minutes: totals, a chart by minute, and failures by kind. */
export function LastHour({ provider: { last_hour: hour, minutes, health, state } }: { provider: OperatedProvider }) {
  const texts = providerTexts.lastHour;
  const clock = new Intl.DateTimeFormat(currentLocale(), CLOCK);
  const failures = [
    [texts.failures.refusedPermanently, hour.refused],
    [texts.failures.providerFailures, hour.failed],
    [texts.failures.throttled, hour.throttled],
    [texts.failures.accountProblems, hour.account_refused],
    [texts.failures.messageProblems, hour.message_refused],
    [texts.failures.egressProxy, hour.egress_failed],
  ] as const;
  const shown = failures.filter(([, count]) => count > 0);
  return (
    <>
      <SimpleGrid cols={{ base: 2, md: 5 }} spacing={{ base: "sm", sm: "md" }}>
        <StatCard label={texts.calls} value={formatCount(hour.calls)} hint={texts.period} />
        <StatCard label={texts.success} value={formatRoundedDown(hour.success_share)} hint={texts.ofKnownOutcome} />
        <StatCard label={texts.meanLatency} value={formatLatency(hour.mean_latency_ms)} />
        <StatCard label={texts.unknown} value={formatCount(hour.unknown)} hint={texts.noReadableResponse} />
        <StatCard
          label={texts.health}
          value={state === "not_configured" ? "–" : formatRoundedDown(health)}
          hint={texts.shareOfWeight}
        />
      </SimpleGrid>
      <Card component="section" aria-labelledby="calls-per-minute">
        <Title order={2} size="h4" id="calls-per-minute" mb="md">
          {texts.callsPerMinute}
        </Title>
        {hour.calls === 0 ? (
          <Text size="sm" c="dimmed">
            {texts.noCalls}
          </Text>
        ) : (
          <StackedBars
            label={texts.chart(formatCount(hour.calls))}
            h={HEIGHT}
            bars={minutes.map(({ minute, ...counts }) => ({
              id: minute,
              name: clock.format(new Date(minute)),
              counts,
            }))}
            series={series(texts)}
          />
        )}
        {shown.length > 0 && <FigureList figures={shown} mt="md" />}
      </Card>
    </>
  );
}
