/** Days in the browser's time zone, `YYYY-MM-DD`, both inclusive; null: open on that side. */
export type DayRange = readonly [first: string | null, last: string | null];

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** A day from the URL, or null if it is not valid. */
export function dayOf(text: string | null): string | null {
  return text !== null && DAY.test(text) && !Number.isNaN(localMidnight(text, 0).getTime()) ? text : null;
}

/** Whether it begins after its end, so that no day is in it. */
export const isReversed = ([first, last]: DayRange): boolean => first !== null && last !== null && first > last;

/** Local midnight `plusDays` days after `day`. `Date` adds calendar days, so changes to summer time do no harm. */
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
