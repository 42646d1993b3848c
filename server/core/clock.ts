/** A point in time as every row and answer carries it: whole milliseconds. */
export const now = (): Date => new Date();

/**
 * Milliseconds from now until `at`, a time of this process's clock; negative when it has passed. As a duration it may be
 * added to the database's clock, which decides what is due.
 */
export const msUntil = (at: Date): number => at.getTime() - now().getTime();

/** The UTC day of `at` as `YYYY-MM-DD`. */
export const utcDay = (at: Date): string => at.toISOString().slice(0, 10);

/** The UTC month of `at` as `YYYY-MM`. */
export const utcMonth = (at: Date): string => at.toISOString().slice(0, 7);

/** The whole seconds, rounded up, in which so many milliseconds are over; at least one. */
export const wholeSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / SECOND_MS));

/** When the UTC day after that of `at` begins. */
export const nextUtcDay = (at: Date): Date =>
  new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + 1));

/** When the UTC month after that of `at` begins. */
export const nextUtcMonth = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1));

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
