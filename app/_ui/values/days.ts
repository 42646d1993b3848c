import { perLocale } from "@/app/_texts/language";

export const DAY_MS = 86_400_000;

const short = perLocale(
  (locale) => new Intl.DateTimeFormat(locale, { month: "short", day: "numeric", timeZone: "UTC" }),
);
const long = perLocale((locale) => new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" }));

const toDate = (day: string) => new Date(`${day.slice(0, 10)}T00:00:00Z`);

/** A UTC day, "2026-11-21" -> "Nov 21". */
export const formatDayShort = (day: string): string => short().format(toDate(day));

/** A UTC day, "2026-11-21" -> "Nov 21, 2026". */
export const formatDay = (day: string): string => long().format(toDate(day));

/** The day of a time in the browser's time zone, `YYYY-MM-DD`. */
export function localDay(time: Date | string): string {
  const at = new Date(time);
  const twoDigits = (value: number) => String(value).padStart(2, "0");
  return [at.getFullYear(), twoDigits(at.getMonth() + 1), twoDigits(at.getDate())].join("-");
}
