/**
 * Deadlines that count only time in which this process was awake. After a stall of the event loop (or a SIGSTOP) Node
 * runs timers before it reads sockets, so a response that arrived in time would lose against its timer.
 */
import { defineProcessValue } from "./process";

/** Interval at which the stall meter checks the event loop, in milliseconds. */
const BEAT_MS = 100;
/** A beat later than this counts as a stall; a smaller delay is the ordinary jitter of a busy machine. */
const JITTER_MS = 150;
/** A shorter stall leaves the other side enough of its time. */
const STALL_MIN_MS = 250;
/** A stall of this length may exceed the other side's idle timeout between two requests. */
const LONG_STALL_MS = 500;

/** `endedAt`: end of the last long stall; `reading`: resolves when the sockets have been read after a stall. */
type StallMeter = { totalMs: number; beatAt: number; endedAt: number; reading: Promise<void> | null };

const meter = defineProcessValue("deadline.stall_meter", () => {
  const own: StallMeter = { totalMs: 0, beatAt: performance.now(), endedAt: Number.NEGATIVE_INFINITY, reading: null };
  setInterval(() => note(own), BEAT_MS).unref();
  return own;
});

/** Adds the loop's delay since the last beat to the total, and begins the next beat. */
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

/** Resolves after two turns of the loop: the first reads the sockets, the second comes after the work that their data started. */
export const nextRead = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

/**
 * Milliseconds for which this process's event loop has stalled since the first call. Only differences are meaningful.
 */
export function stalledMs(): number {
  const own = meter();
  noteLateBeat(own);
  return own.totalMs;
}

/** Counts a stall that has just ended, before its beat runs. */
function noteLateBeat(own: StallMeter): void {
  if (performance.now() - own.beatAt > BEAT_MS + JITTER_MS) note(own);
}

/**
 * Whether this process has stalled for long enough to spoil an exchange: `minMs`, and at least a quarter of a second.
 * @param markMs {@link stalledMs} when the exchange began.
 */
export const hasStalledSince = (markMs: number, minMs = 0): boolean =>
  stalledMs() - markMs >= Math.max(minMs, STALL_MIN_MS);

/** After a longer stall other processes may have declared this one dead, and may be doing its work. */
const STOOD_STILL_MS = 10_000;

/** Whether this process has stalled since the mark for so long that others may have taken over its work. */
export const hasStoodStill = (markMs: number): boolean => hasStalledSince(markMs, STOOD_STILL_MS);

/** Milliseconds since the last stall of half a second or more; infinite when there was none. */
export function sinceLongStallMs(): number {
  const own = meter();
  noteLateBeat(own);
  return performance.now() - own.endedAt;
}

/**
 * Resolves when the sockets have been read after a stall that has just ended; at once when there was none. Await it
 * before using an idle connection: the other side may have closed it meanwhile.
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
 * Calls `expire` after `limitMs` milliseconds, unless it is cleared before. Pending data of the sockets is read first,
 * and the time of a stall is added to the limit (at most the limit itself for each stall).
 */
export function startDeadline(limitMs: number, expire: () => void): Deadline {
  let isOver = false;
  let timer: NodeJS.Timeout;
  let seenMs = stalledMs();

  const check = () => {
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
    timer = setTimeout(() => void nextRead().then(check), ms);
  };
  arm(limitMs);
  return {
    clear: () => {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

/**
 * `AbortSignal.timeout` on top of {@link startDeadline}: aborts with a `TimeoutError`. Clear it when the work is over.
 */
export function deadlineSignal(limitMs: number): Deadline & { signal: AbortSignal } {
  const abort = new AbortController();
  const deadline = startDeadline(limitMs, () =>
    abort.abort(new DOMException("The operation timed out.", "TimeoutError")),
  );
  return { signal: abort.signal, clear: deadline.clear };
}
