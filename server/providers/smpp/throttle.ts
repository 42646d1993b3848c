/** The throughput of a bind, and the waits before a lost one is bound again. */

const GAP_FIRST_MS = 100;
/** Once the last scheduled submit is sent, the next one can be sent within this time. */
export const GAP_MAX_MS = 1_000;
/** A smaller gap counts as zero. */
const GAP_MIN_MS = 5;
const RECOVERY = 0.9;

/**
 * Spaces out submits: not at all until the centre throttles us, then more and more until it stops. Times are
 * milliseconds of a monotonic clock.
 */
export type Throttle = {
  /** Number of further submits that could be scheduled to be sent within `withinMs`; infinite without a gap. */
  room: (nowMs: number, withinMs: number) => number;
  /** Schedules the next submit. @returns milliseconds to wait before it. */
  schedule: (nowMs: number) => number;
  slowDown: (nowMs: number) => void;
  speedUp: () => void;
};

/** A throttle without any gap yet. */
export function createThrottle(): Throttle {
  let gapMs = 0;
  let nextAt = 0;
  return {
    room: (nowMs, withinMs) => {
      const leftMs = withinMs - Math.max(0, nextAt - nowMs);
      if (leftMs <= 0) return 0;
      return gapMs === 0 ? Number.POSITIVE_INFINITY : Math.ceil(leftMs / gapMs);
    },
    schedule: (nowMs) => {
      const at = Math.max(nowMs, nextAt);
      nextAt = at + gapMs;
      return at - nowMs;
    },
    slowDown: (nowMs) => {
      gapMs = Math.min(Math.max(gapMs * 2, GAP_FIRST_MS), GAP_MAX_MS);
      nextAt = Math.max(nextAt, nowMs + gapMs);
    },
    speedUp: () => {
      gapMs = gapMs * RECOVERY < GAP_MIN_MS ? 0 : gapMs * RECOVERY;
    },
  };
}

/** Bounds of the wait before a lost bind is bound again, in milliseconds. */
export type BackOff = { minMs: number; maxMs: number };

/**
 * Exponential back-off with jitter: doubled with each failure, between half of it and all of it, so that the clients of
 * a centre that comes back do not all call at once.
 * @param failures in a row, at least 1.
 * @param random in [0, 1).
 * @returns milliseconds to wait.
 */
export function backOffMs(failures: number, random: number, { minMs, maxMs }: BackOff): number {
  const full = Math.min(minMs * 2 ** Math.min(failures - 1, 30), maxMs);
  return Math.round(full / 2 + (full / 2) * random);
}
