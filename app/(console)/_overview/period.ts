import { perLocale } from "@/app/_texts/language";
import { periodsTexts as texts } from "@/app/_texts/overview/periods";
import type { OverviewQuery } from "@/server/overview/schema";

type Days = OverviewQuery["days"];

type Period = { days: Days; readonly label: string; readonly before: string };

const periodOf = (days: Days): Period => ({
  days,
  get label() {
    return texts.labels[days];
  },
  get before() {
    return texts.before[days];
  },
});

export const FIRST_PERIOD: Period = periodOf(7);

/** The periods that an overview can show, in UTC days that end today. */
export const PERIODS: readonly Period[] = [periodOf(1), FIRST_PERIOD, periodOf(30), periodOf(90)];

const percent = perLocale((locale) => new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 0 }));
const points = perLocale((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }));
const factor = perLocale(
  (locale) => new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
);

/** How a count compares: `12% more than yesterday`. `before`: the time of the other period, as in "in the 7 days before". */
export function describeChange(current: number, previous: number, before: string): string {
  if (previous === 0) return current === 0 ? texts.noneEither(before) : texts.none(before);
  const change = (current - previous) / previous;
  if (Math.abs(change) < 0.005) return texts.asMany(before);
  if (change >= 2) return texts.timesAsMany(factor().format(current / previous), before);
  const share = percent().format(Math.abs(change));
  return change > 0 ? texts.more(share, before) : texts.fewer(share, before);
}

/** How a share (0..1) compares, in percentage points; null: there was nothing to divide by. */
export function describeShift(current: number | null, previous: number | null, before: string): string {
  if (current === null) return texts.noMessagesYet;
  if (previous === null) return texts.noMessages(before);
  const shift = (current - previous) * 100;
  if (Math.abs(shift) < 0.05) return texts.asBefore(before);
  const size = points().format(Math.abs(shift));
  return shift > 0 ? texts.higher(size, before) : texts.lower(size, before);
}

/** `part` of `whole`; null when there is nothing to divide by. */
export const shareOf = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);
