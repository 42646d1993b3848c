/**
 * Sheds load early. Whatever limits this process (its processor, the database, connections), too much of it shows in requests
 * that stay unanswered. New ones are then refused at once: a caller that is told to wait loses less than one that times out.
 */
import { SECOND_MS } from "../../core/clock";
import { metrics } from "../../core/metrics";
import { defineProcessValue } from "../../core/process";

/** Requests under way: never fewer than `least` are taken, and `first` until it is known how fast they are served. */
const LIMITS = { least: 100, first: 1_000, most: 20_000 };
/** How long a request may stay unanswered before fewer are taken. */
const WAIT_MAX_MS = 3 * SECOND_MS;
const ADAPT_EVERY_MS = 100;
const MORE = 10;
const FEWER = 0.8;

/** `enter` returns null when the request is refused, else a function to be called when it is answered. */
export type Shedder = { enter: (nowMs: number) => (() => void) | null };

/**
 * Bounds the requests under way by a limit that adapts, as congestion control does: it falls by a fifth while the oldest request
 * has waited for longer than `waitMaxMs`, and rises slowly while it is reached and they are served in time.
 */
export function makeShedder(limits: typeof LIMITS, waitMaxMs: number): Shedder {
  // In the order of their arrival.
  const startedAt = new Map<symbol, number>();
  let limit = limits.first;
  let adaptedAt = Number.NEGATIVE_INFINITY;

  function adapt(nowMs: number): void {
    if (nowMs - adaptedAt < ADAPT_EVERY_MS) return;
    adaptedAt = nowMs;
    const [oldest = nowMs] = startedAt.values();
    if (nowMs - oldest > waitMaxMs) limit = Math.max(limits.least, Math.floor(limit * FEWER));
    else if (startedAt.size >= limit) limit = Math.min(limits.most, limit + MORE);
  }

  return {
    enter: (nowMs) => {
      adapt(nowMs);
      if (startedAt.size >= limit) return null;
      const request = Symbol();
      startedAt.set(request, nowMs);
      return () => void startedAt.delete(request);
    },
  };
}

const shedder = defineProcessValue("door.shedder", () => makeShedder(LIMITS, WAIT_MAX_MS));

/** Answers a request unless there are too many. @returns false when it is to be refused with 503 `overloaded`. */
export async function answerUnlessOverloaded(answer: () => Promise<void>): Promise<boolean> {
  const leave = shedder().enter(performance.now());
  if (!leave) {
    metrics().shed.inc();
    return false;
  }
  try {
    await answer();
  } finally {
    leave();
  }
  return true;
}
