"use client";

import { BarChart } from "@mantine/charts";
import { Box, ColorSwatch, Group, Text } from "@mantine/core";
import { formatCount } from "@/app/_ui/count";
import { formatDayShort } from "@/app/_ui/days";
import { MESSAGE_STATUS_VIEWS } from "@/app/_ui/message-status-badge";
import { TONE_COLORS } from "@/app/_ui/status-badge";
import type { UsageSeries } from "@/server/accounts/schema";

const SERIES = MESSAGE_STATUS_VIEWS.map(({ status, label, tone }) => ({
  name: status,
  label,
  color: TONE_COLORS[tone],
}));
const HEIGHT = 260;
const BAR_MAX_WIDTH = 28;

/** Messages per UTC day, stacked by their status now. */
export function StatusByDay({ days }: { days: UsageSeries }) {
  const total = days.reduce((sum, entry) => sum + entry.messages, 0);
  const data = days.map((entry) => ({ ...entry, day: formatDayShort(entry.day) }));
  return (
    <Box role="img" aria-label={`Messages per day by status over ${days.length} days, ${formatCount(total)} in all`}>
      <BarChart
        h={HEIGHT}
        type="stacked"
        data={data}
        dataKey="day"
        series={SERIES}
        gridAxis="x"
        tickLine="none"
        maxBarWidth={BAR_MAX_WIDTH}
        valueFormatter={formatCount}
        xAxisProps={{ minTickGap: 28 }}
        yAxisProps={{ allowDecimals: false, width: 44 }}
        barProps={{ isAnimationActive: false }}
        accessibilityLayer={false}
      />
      <Group justify="center" gap="xs" mt="sm">
        {SERIES.map(({ name, label, color }) => (
          <Group key={name} gap={6} wrap="nowrap">
            <ColorSwatch size={10} color={`var(--mantine-color-${color.replace(".", "-")})`} withShadow={false} />
            <Text size="xs" c="dimmed">
              {label}
            </Text>
          </Group>
        ))}
      </Group>
    </Box>
  );
}
