/** The time of this process's clock, with the precision of rows and responses: whole milliseconds. */
export const now = (): Date => new Date();

/**
 * Milliseconds from now until `at`, a time of this process's clock; negative when it has passed. Unlike the time itself, a
 * duration may be added to the database's clock, which decides what is due.
 */
export const msUntil = (at: Date): number => at.getTime() - now().getTime();

/** The UTC day that was last asked for, and its text: nearly all messages of a batch have the same day. */
let lastDay = { number: Number.NaN, text: "" };

/** The UTC day of `at` as `YYYY-MM-DD`. */
export function utcDay(at: Date): string {
  const number = Math.floor(at.getTime() / DAY_MS);
  if (number !== lastDay.number) lastDay = { number, text: at.toISOString().slice(0, 10) };
  return lastDay.text;
}

/** The UTC month of `at` as `YYYY-MM`. */
export const utcMonth = (at: Date): string => at.toISOString().slice(0, 7);

/** Milliseconds as whole seconds, rounded up; at least one. */
export const wholeSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / SECOND_MS));

/** Whole seconds from now until `at`, rounded up; at least one. */
export const secondsUntil = (at: Date): number => wholeSeconds(msUntil(at));

/** Start of the UTC day after `at`. */
export const nextUtcDay = (at: Date): Date =>
  new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + 1));

/** Start of the UTC month after `at`. */
export const nextUtcMonth = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1));

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
