"use client";

import { Box, ColorSwatch, Group, Paper, Text } from "@mantine/core";
import { useState } from "react";
import { isMinor, isNamed, linesOf } from "./chart-scale";
import classes from "./stacked-bars.module.css";
import { formatCount } from "./values/count";

type Series = { name: string; label: string; color: string };
/** A column: its key, its name, and a count per series. */
type Bar = { id: string; name: string; counts: Record<string, number> };

const NAMED_MAX = 8;
const BAR_MAX_WIDTH = 28;

const colorOf = ({ color }: Series) => `var(--mantine-color-${color.replace(".", "-")})`;

/** A stacked bar chart of counts with a legend. `label` is its accessible description, `h` its height in pixels. */
export function StackedBars({ label, series, bars, h }: { label: string; series: Series[]; bars: Bar[]; h: number }) {
  const [pointed, setPointed] = useState<number | null>(null);
  const totals = bars.map(({ counts }) => series.reduce((sum, { name }) => sum + (counts[name] ?? 0), 0));
  const lines = linesOf(Math.max(0, ...totals));
  const top = lines.at(-1) ?? 1;
  const shown = pointed === null ? undefined : bars[pointed];
  return (
    <Box role="img" aria-label={label}>
      <div className={classes.chart} style={{ height: h }}>
        <div className={classes.scale}>
          {lines.toReversed().map((line) => (
            <span key={line} className={classes.tick}>
              {formatCount(line)}
            </span>
          ))}
        </div>
        <div className={classes.plot}>
          <div className={classes.lines}>
            {lines.map((line) => (
              <div key={line} className={classes.line} />
            ))}
          </div>
          <div className={classes.columns} onPointerLeave={() => setPointed(null)}>
            {bars.map(({ id, counts }, at) => (
              <div key={id} className={classes.column} onPointerEnter={() => setPointed(at)}>
                {series.toReversed().map((one) => {
                  const count = counts[one.name] ?? 0;
                  if (count === 0) return null;
                  const height = `${(count / top) * 100}%`;
                  const style = { height, background: colorOf(one), maxWidth: BAR_MAX_WIDTH };
                  return <div key={one.name} className={classes.part} style={style} />;
                })}
              </div>
            ))}
          </div>
          {shown && pointed !== null && (
            <Tooltip bar={shown} series={series} place={(pointed + 0.5) / bars.length} total={totals[pointed] ?? 0} />
          )}
        </div>
        <div className={classes.names}>
          {bars.map(({ id, name }, at) =>
            isNamed(at, bars.length, NAMED_MAX) ? (
              <span
                key={id}
                className={classes.name}
                // On a phone only half of the labels fit.
                data-minor={isMinor(at, bars.length, NAMED_MAX) || undefined}
                style={{ left: `${((at + 0.5) / bars.length) * 100}%` }}
              >
                {name}
              </span>
            ) : null,
          )}
        </div>
      </div>
      <Group justify="center" gap="xs" mt="sm">
        {series.map((one) => (
          <Group key={one.name} gap={6} wrap="nowrap">
            <ColorSwatch size={10} color={colorOf(one)} withShadow={false} />
            <Text size="xs" c="dimmed">
              {one.label}
            </Text>
          </Group>
        ))}
      </Group>
    </Box>
  );
}

/** The counts of the column under the pointer, on the wider side. `place`: 0 to 1 from the left. */
function Tooltip({ bar, series, place, total }: { bar: Bar; series: Series[]; place: number; total: number }) {
  const side = place < 0.5 ? { left: `${place * 100}%` } : { right: `${(1 - place) * 100}%` };
  return (
    <Paper className={classes.tooltip} style={side} mx="md" p="sm" shadow="md" withBorder>
      <Group justify="space-between" gap="lg" mb={4}>
        <Text size="sm" fw={600}>
          {bar.name}
        </Text>
        <Text size="sm" fw={600} className="tabular">
          {formatCount(total)}
        </Text>
      </Group>
      {series.map((one) => (
        <Group key={one.name} justify="space-between" gap="lg">
          <Group gap={6}>
            <ColorSwatch size={10} color={colorOf(one)} withShadow={false} />
            <Text size="xs">{one.label}</Text>
          </Group>
          <Text size="xs" className="tabular">
            {formatCount(bar.counts[one.name] ?? 0)}
          </Text>
        </Group>
      ))}
    </Paper>
  );
}
