/** Statistics of a list of values. */

/** The quantile `share` of the values; null when there are none. */
export function percentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
}

/** Milliseconds as text. */
export function duration(ms: number | null): string {
  if (ms === null) return "-";
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** Median, 99th percentile and maximum of durations as text. */
export const spread = (values: readonly number[]): string =>
  values.length === 0
    ? "-"
    : `p50 ${duration(percentile(values, 0.5))}, p99 ${duration(percentile(values, 0.99))}, max ${duration(percentile(values, 1))}`;
