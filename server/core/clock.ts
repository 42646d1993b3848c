/** A point in time as every row and answer carries it: whole milliseconds. */
export const now = (): Date => new Date();

/** The UTC day of `at` as `YYYY-MM-DD`. */
export const utcDay = (at: Date): string => at.toISOString().slice(0, 10);

/** The UTC month of `at` as `YYYY-MM`. */
export const utcMonth = (at: Date): string => at.toISOString().slice(0, 7);

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
