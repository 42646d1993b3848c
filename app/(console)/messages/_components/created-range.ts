/** Days of the reader's own calendar, `YYYY-MM-DD`, both inclusive; null: open on that side. */
export type DayRange = readonly [first: string | null, last: string | null];

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** A day from the address bar, or null when it is none. */
export function dayOf(text: string | null): string | null {
  return text !== null && DAY.test(text) && !Number.isNaN(localMidnight(text, 0).getTime()) ? text : null;
}

/** Midnight in the reader's zone, `plusDays` days later; the calendar adds the days, so a clock change does no harm. */
function localMidnight(day: string, plusDays: number): Date {
  const [year = Number.NaN, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + plusDays);
}

/** The bounds as the API takes them: from the first day's midnight up to, not including, the midnight after the last. */
export function createdBounds([first, last]: DayRange): { created_after?: string; created_before?: string } {
  return {
    ...(first && { created_after: localMidnight(first, 0).toISOString() }),
    ...(last && { created_before: localMidnight(last, 1).toISOString() }),
  };
}
