import { localDay } from "../values/days";

/** Days in the browser's time zone, `YYYY-MM-DD`, both inclusive; null: open on that side. */
export type DayRange = readonly [first: string | null, last: string | null];

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** An earlier year is one that is still being typed. */
export const FIRST_DAY = "2000-01-01";
/** A range ends with the midnight after its last day, and the service knows no year after 9999. */
export const LAST_DAY = "9999-12-30";

/** A day from the URL, or null if it is not valid. `Date` reads February 31 as March 3. */
export function dayOf(text: string | null): string | null {
  if (text === null || !DAY.test(text) || text < FIRST_DAY || text > LAST_DAY) return null;
  return localDay(localMidnight(text, 0)) === text ? text : null;
}

/** Whether a range begins after its end, so that it contains no day. */
export const isReversed = ([first, last]: DayRange): boolean => first !== null && last !== null && first > last;

/** Local midnight `plusDays` days after `day`. `Date` adds calendar days, whatever their length. */
function localMidnight(day: string, plusDays: number): Date {
  const [year = Number.NaN, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + plusDays);
}

/** The bounds for the API: from midnight of the first day to midnight after the last one, exclusive. */
export function createdBounds([first, last]: DayRange): { created_after?: string; created_before?: string } {
  return {
    ...(first && { created_after: localMidnight(first, 0).toISOString() }),
    ...(last && { created_before: localMidnight(last, 1).toISOString() }),
  };
}
