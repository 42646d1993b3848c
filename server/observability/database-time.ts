/** The time by the database's clock, as this process estimates it without a query. */
import { now } from "../core/clock";
import { defineProcessValue } from "../core/process";

/** `aheadMs`: how far our clock was ahead; `skewMs`: our clock at that time minus the monotonic clock. */
type Compared = { aheadMs: number; skewMs: number };

const compared = defineProcessValue("clock.compared", (): { last: Compared | null } => ({ last: null }));

const skew = (): number => now().getTime() - performance.now();

/** Stores how far this process's clock is ahead of the database's. */
export function noteAhead(aheadMs: number): void {
  compared().last = { aheadMs, skewMs: skew() };
}

/**
 * Milliseconds by which this process's clock is ahead, even if it was set after the last comparison; 0 while unknown.
 */
export function knownAheadMs(): number {
  const { last } = compared();
  return last === null ? 0 : last.aheadMs + (skew() - last.skewMs);
}
