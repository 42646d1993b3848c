import { serverNow } from "@/app/_trpc/clock";
import { DAY_MS } from "@/app/_ui/values/days";
import { sumOfMoney } from "@/app/_ui/values/money";
import type { Usage, UsageSeries } from "@/server/accounts/schema";

/** The longest series that the service returns, in days. */
export const DAYS_MAX = 366;

/** UTC days from `first` to today, both included: as many as a series must have to contain `first`. */
export function daysSince(first: string): number {
  const days = Math.floor(serverNow() / DAY_MS) - Math.floor(Date.parse(first) / DAY_MS) + 1;
  return Math.min(Math.max(days, 1), DAYS_MAX);
}

/** The days of a series within a range; null: open on that side. */
export const within = (series: UsageSeries, first: string | null, last: string | null): UsageSeries =>
  series.filter(({ day }) => (first === null || day >= first) && (last === null || day <= last));

/** The sums of some days. */
export function sumOf(days: UsageSeries): Pick<Usage, "totals" | "by_status"> {
  const sum = (count: (day: UsageSeries[number]) => number) => days.reduce((total, day) => total + count(day), 0);
  return {
    totals: {
      messages: sum(({ messages }) => messages),
      cost: sumOfMoney(days.map(({ cost }) => cost)),
    },
    by_status: {
      pending: sum(({ pending }) => pending),
      sent: sum(({ sent }) => sent),
      delivered: sum(({ delivered }) => delivered),
      failed: sum(({ failed }) => failed),
      undelivered: sum(({ undelivered }) => undelivered),
    },
  };
}
