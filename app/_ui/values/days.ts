const short = new Intl.DateTimeFormat("en", { month: "short", day: "numeric", timeZone: "UTC" });
const long = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });

const toDate = (day: string) => new Date(`${day.slice(0, 10)}T00:00:00Z`);

/** A UTC day, "2026-11-21" -> "Nov 21". */
export const formatDayShort = (day: string): string => short.format(toDate(day));

/** A UTC day, "2026-11-21" -> "Nov 21, 2026". */
export const formatDay = (day: string): string => long.format(toDate(day));
