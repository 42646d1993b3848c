/**
 * Deadlines that judge the other side only by time in which this process was awake. After a stall of the event loop (or a
 * SIGSTOP) Node runs timers before it reads sockets, so a response that arrived in time would lose against its own timer.
 */
import { perProcess } from "./process";

/** How often the event loop is asked whether it still turns, in milliseconds. */
const BEAT_MS = 100;
/** A beat later than this counts as a stall; below it is the ordinary jitter of a busy machine. */
const JITTER_MS = 150;
/** A stall shorter than this leaves the other side enough of its time. */
const STALL_MIN_MS = 250;
/** A stall of this length may outlast what others are willing to wait between two requests. */
const LONG_STALL_MS = 500;

/** `endedAt`: when the last long stall was over; `reading`: until the sockets have been read after it. */
type StallMeter = { totalMs: number; beatAt: number; endedAt: number; reading: Promise<void> | null };

const meter = (): StallMeter =>
  perProcess("deadline.stall_meter", () => {
    const own: StallMeter = { totalMs: 0, beatAt: performance.now(), endedAt: Number.NEGATIVE_INFINITY, reading: null };
    setInterval(() => note(own), BEAT_MS).unref();
    return own;
  });

/** Adds to the total what the loop is late by, and starts to count anew. */
function note(own: StallMeter): void {
  const at = performance.now();
  const lateMs = at - own.beatAt - BEAT_MS;
  own.beatAt = at;
  if (lateMs <= JITTER_MS) return;
  own.totalMs += lateMs;
  if (lateMs >= LONG_STALL_MS) own.endedAt = at;
  own.reading ??= nextRead().then(() => {
    own.reading = null;
  });
}

/** Two turns: the first reads the sockets, the second runs after the work that their data set going. */
const nextRead = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

/** Milliseconds for which this process's event loop has stood still since the first call. Only differences mean something. */
export function stalledMs(): number {
  const own = meter();
  noteLateBeat(own);
  return own.totalMs;
}

/** A stall that is just over may not have had its beat yet. */
function noteLateBeat(own: StallMeter): void {
  if (performance.now() - own.beatAt > BEAT_MS + JITTER_MS) note(own);
}

/**
 * Whether this process has stood still, since {@link stalledMs} was `markMs`, for long enough to have spoilt an exchange:
 * `leastMs`, and never less than a quarter of a second.
 */
export const hasStalledSince = (markMs: number, leastMs = 0): boolean =>
  stalledMs() - markMs >= Math.max(leastMs, STALL_MIN_MS);

/** Milliseconds since this process last stood still for half a second or more; infinite when it never did. */
export function sinceLongStallMs(): number {
  const own = meter();
  noteLateBeat(own);
  return performance.now() - own.endedAt;
}

/**
 * Resolves when the sockets have been read after a stall that is just over; at once when there was none. To be awaited
 * before an idle connection is used: the other side may have closed it meanwhile.
 */
export async function socketsRead(): Promise<void> {
  const own = meter();
  noteLateBeat(own);
  if (own.reading) await own.reading;
}

export type Deadline = {
  /** Ends the deadline; safe to call more than once. */
  clear: () => void;
};

/**
 * Calls `expire` once `limitMs` have passed, unless it is cleared before. The sockets are read once more before it
 * judges, and time in which this process stood still is added to the limit (at most the limit again for each stall).
 */
export function startDeadline(limitMs: number, expire: () => void): Deadline {
  let isOver = false;
  let timer: NodeJS.Timeout;
  let seenMs = stalledMs();

  const judge = () => {
    if (isOver) return;
    const stalled = stalledMs() - seenMs;
    if (stalled >= STALL_MIN_MS) {
      seenMs += stalled;
      arm(Math.min(stalled, limitMs));
      return;
    }
    isOver = true;
    expire();
  };
  const arm = (ms: number) => {
    timer = setTimeout(() => void nextRead().then(judge), ms);
  };
  arm(limitMs);
  return {
    clear: () => {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

/** As `AbortSignal.timeout`, by {@link startDeadline}; aborts with a `TimeoutError`. Clear it when the work is over. */
export function deadlineSignal(limitMs: number): Deadline & { signal: AbortSignal } {
  const abort = new AbortController();
  const deadline = startDeadline(limitMs, () =>
    abort.abort(new DOMException("The operation timed out.", "TimeoutError")),
  );
  return { signal: abort.signal, clear: deadline.clear };
}
