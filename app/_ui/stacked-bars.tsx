"use client";

import { BarChart, type BarChartProps } from "@mantine/charts";
import { Box, ColorSwatch, Group, Text } from "@mantine/core";
import { formatCount } from "./values/count";

type Series = { name: string; label: string; color: string };

/** A stacked bar chart of counts with a legend. `label` is its accessible description. */
export function StackedBars({
  label,
  series,
  minTickGap,
  ...chart
}: { label: string; series: Series[]; minTickGap: number } & Pick<
  BarChartProps,
  "h" | "data" | "dataKey" | "maxBarWidth"
>) {
  return (
    <Box role="img" aria-label={label}>
      <BarChart
        {...chart}
        type="stacked"
        series={series}
        gridAxis="x"
        tickLine="none"
        valueFormatter={formatCount}
        xAxisProps={{ minTickGap }}
        yAxisProps={{ allowDecimals: false, width: 44 }}
        // Room for half of the topmost label, which otherwise slips below its line.
        barChartProps={{ margin: { top: 12 } }}
        barProps={{ isAnimationActive: false }}
        accessibilityLayer={false}
      />
      <Group justify="center" gap="xs" mt="sm">
        {series.map(({ name, label: meaning, color }) => (
          <Group key={name} gap={6} wrap="nowrap">
            <ColorSwatch size={10} color={`var(--mantine-color-${color.replace(".", "-")})`} withShadow={false} />
            <Text size="xs" c="dimmed">
              {meaning}
            </Text>
          </Group>
        ))}
      </Group>
    </Box>
  );
}
