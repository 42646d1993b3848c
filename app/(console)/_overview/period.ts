import type { OverviewQuery } from "@/server/overview/schema";

type Days = OverviewQuery["days"];

type Period = { days: Days; label: string; before: string };

export const FIRST_PERIOD: Period = { days: 7, label: "7 days", before: "in the 7 days before" };

/** The periods that an overview can show, in UTC days that end today. */
export const PERIODS: readonly Period[] = [
  { days: 1, label: "Today", before: "yesterday" },
  FIRST_PERIOD,
  { days: 30, label: "30 days", before: "in the 30 days before" },
  { days: 90, label: "90 days", before: "in the 90 days before" },
];

const percent = new Intl.NumberFormat("en-US", { style: "percent", maximumFractionDigits: 0 });
const points = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });

/** How a count compares: `12% more than yesterday`. `before`: the time of the other period, as in "in the 7 days before". */
export function describeChange(current: number, previous: number, before: string): string {
  if (previous === 0) return current === 0 ? `None ${before} either` : `None ${before}`;
  const change = (current - previous) / previous;
  if (Math.abs(change) < 0.005) return `As many as ${before}`;
  if (change >= 2) return `${(current / previous).toFixed(1)} times as many as ${before}`;
  return `${percent.format(Math.abs(change))} ${change > 0 ? "more" : "fewer"} than ${before}`;
}

/** How a share (0..1) compares, in percentage points; null: there was nothing to divide by. */
export function describeShift(current: number | null, previous: number | null, before: string): string {
  if (current === null || previous === null) return `No messages ${current === null ? "yet" : before}`;
  const shift = (current - previous) * 100;
  if (Math.abs(shift) < 0.05) return `As ${before}`;
  return `${points.format(Math.abs(shift))} points ${shift > 0 ? "higher" : "lower"} than ${before}`;
}

/** `part` of `whole`; null when there is nothing to divide by. */
export const shareOf = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);
