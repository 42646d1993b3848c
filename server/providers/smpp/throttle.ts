/** How fast a bind is used, and how soon a lost one is sought again. */

const GAP_FIRST_MS = 100;
const GAP_MAX_MS = 1_000;
/** A gap below this is none. */
const GAP_LEAST_MS = 5;
const RECOVERY = 0.9;

/**
 * Spaces out submits: not at all until the centre says that it is asked too much, then ever more until it stops. Times are
 * milliseconds of a clock that never goes back.
 */
export type Pace = {
  /** Whether a submit would have its turn soon: otherwise others wait for theirs, and it may come back when one had it. */
  hasTurn: (nowMs: number) => boolean;
  /** Milliseconds to wait before the next submit, which is thereby given its turn. */
  turn: (nowMs: number) => number;
  slower: (nowMs: number) => void;
  faster: () => void;
};

/** A pace without any gap. */
export function createThrottle(): Pace {
  let gapMs = 0;
  let nextAt = 0;
  return {
    // Timers may be a little early: when the last turn is had, the next one must count as soon.
    hasTurn: (nowMs) => nextAt - nowMs < GAP_MAX_MS * 2,
    turn: (nowMs) => {
      const at = Math.max(nowMs, nextAt);
      nextAt = at + gapMs;
      return at - nowMs;
    },
    slower: (nowMs) => {
      gapMs = Math.min(Math.max(gapMs * 2, GAP_FIRST_MS), GAP_MAX_MS);
      nextAt = Math.max(nextAt, nowMs + gapMs);
    },
    faster: () => {
      gapMs = gapMs * RECOVERY < GAP_LEAST_MS ? 0 : gapMs * RECOVERY;
    },
  };
}

/** Bounds of the waiting time before a lost bind is sought again, in milliseconds. */
export type BackOff = { minMs: number; maxMs: number };

/**
 * Milliseconds to wait after `failures` (at least 1) in a row: doubled each time, between half of it and all of it by chance
 * so that clients of a centre that comes back do not all call at once.
 * @param random in [0, 1).
 */
export function backOffMs(failures: number, random: number, { minMs, maxMs }: BackOff): number {
  const full = Math.min(minMs * 2 ** Math.min(failures - 1, 30), maxMs);
  return Math.round(full / 2 + (full / 2) * random);
}
