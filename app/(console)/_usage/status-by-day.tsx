"use client";

import { StackedBars } from "@/app/_ui/stacked-bars";
import { formatCount } from "@/app/_ui/values/count";
import { formatDayShort } from "@/app/_ui/values/days";
import { MESSAGE_STATUS_VIEWS } from "@/app/_ui/values/message-status-badge";
import { TONE_COLORS } from "@/app/_ui/values/status-badge";
import type { UsageSeries } from "@/server/accounts/schema";

const SERIES = MESSAGE_STATUS_VIEWS.map(({ status, label, tone }) => ({
  name: status,
  label,
  color: TONE_COLORS[tone],
}));
const HEIGHT = 260;
const BAR_MAX_WIDTH = 28;

/** Messages per UTC day, stacked by their current status. */
export function StatusByDay({ days }: { days: UsageSeries }) {
  const total = days.reduce((sum, entry) => sum + entry.messages, 0);
  const data = days.map((entry) => ({ ...entry, day: formatDayShort(entry.day) }));
  return (
    <StackedBars
      label={`Messages per day by status over ${days.length} days, ${formatCount(total)} in all`}
      h={HEIGHT}
      data={data}
      dataKey="day"
      series={SERIES}
      maxBarWidth={BAR_MAX_WIDTH}
      minTickGap={28}
    />
  );
}
