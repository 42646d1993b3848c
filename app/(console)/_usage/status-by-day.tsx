"use client";

import { statusByDayTexts as texts } from "@/app/_texts/status-by-day";
import { StackedBars } from "@/app/_ui/stacked-bars";
import { formatCount } from "@/app/_ui/values/count";
import { formatDayShort } from "@/app/_ui/values/days";
import { MESSAGE_STATUS_VIEWS } from "@/app/_ui/values/message-status-badge";
import { TONE_COLORS } from "@/app/_ui/values/status-badge";
import type { UsageSeries } from "@/server/accounts/schema";

const HEIGHT = 260;

/** Messages per UTC day, stacked by their current status. */
export function StatusByDay({ days }: { days: UsageSeries }) {
  const total = days.reduce((sum, entry) => sum + entry.messages, 0);
  const bars = days.map(({ day, pending, sent, delivered, failed, undelivered }) => ({
    id: day,
    name: formatDayShort(day),
    counts: { pending, sent, delivered, failed, undelivered },
  }));
  const series = MESSAGE_STATUS_VIEWS.map(({ status, label, tone }) => ({
    name: status,
    label,
    color: TONE_COLORS[tone],
  }));
  return <StackedBars label={texts.chart(days.length, formatCount(total))} h={HEIGHT} bars={bars} series={series} />;
}
