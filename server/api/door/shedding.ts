/**
 * Sheds load early. Whatever limits this process (its processor, the database, connections), overload shows in requests that get
 * no response. New ones are then refused at once: a 503 with Retry-After costs a caller less than a timeout.
 */
import { SECOND_MS } from "../../core/clock";
import { metrics } from "../../core/metrics";
import { defineProcessValue } from "../../core/process";

/** Limits of concurrent requests: `least` is the lowest limit, `first` the initial one, before response times are known. */
const LIMITS = { least: 100, first: 1_000, most: 20_000 };
/** Time without a response after which fewer requests are accepted. */
const WAIT_MAX_MS = SECOND_MS;
const ADAPT_EVERY_MS = 100;
const MORE = 10;
const FEWER = 0.8;

/**
 * `enter` returns null when the request is refused, otherwise a function to be called when it is answered. `isComplete`: whether
 * the request has fully arrived; until then the delay is its caller's.
 */
export type Shedder = { enter: (nowMs: number, isComplete?: () => boolean) => (() => void) | null };

type Entry = { startedAt: number; isComplete: () => boolean };

/**
 * Limits the concurrent requests adaptively, as congestion control does. The limit falls by a fifth while most requests have waited
 * for longer than `waitMaxMs`, if these are at least half of the lowest limit: a few requests may wait for something else, such as a
 * customer's endpoint. Otherwise the limit rises slowly, and above `first` only while it is reached.
 */
export function makeShedder(limits: typeof LIMITS, waitMaxMs: number): Shedder {
  // In the order of their arrival.
  const underWay = new Map<symbol, Entry>();
  let limit = limits.first;
  let adaptedAt = 0;

  /** Requests that have waited too long for us. */
  function countLate(nowMs: number): number {
    let late = 0;
    for (const { startedAt, isComplete } of underWay.values()) {
      if (nowMs - startedAt <= waitMaxMs) break;
      if (isComplete()) late += 1;
    }
    return late;
  }

  function adapt(nowMs: number): void {
    const passedMs = nowMs - adaptedAt;
    if (passedMs < ADAPT_EVERY_MS) return;
    adaptedAt = nowMs;
    const late = countLate(nowMs);
    if (late * 2 >= limits.least && late * 2 > underWay.size) {
      limit = Math.max(limits.least, Math.floor(limit * FEWER));
      return;
    }
    // A quiet time counts too: after it, requests may come all at once.
    const risen = limit + MORE * Math.min(limits.most, Math.floor(passedMs / ADAPT_EVERY_MS));
    if (limit < limits.first) limit = Math.min(limits.first, risen);
    else if (underWay.size >= limit) limit = Math.min(limits.most, limit + MORE);
  }

  return {
    enter: (nowMs, isComplete = () => true) => {
      adapt(nowMs);
      if (underWay.size >= limit) return null;
      const request = Symbol();
      underWay.set(request, { startedAt: nowMs, isComplete });
      return () => void underWay.delete(request);
    },
  };
}

const shedder = defineProcessValue("door.shedder", () => makeShedder(LIMITS, WAIT_MAX_MS));

/**
 * Answers a request unless there are too many. @param isComplete as {@link Shedder}. @returns false when it is to be refused
 * with 503 `overloaded`.
 */
export async function serveUnlessOverloaded(isComplete: () => boolean, answer: () => Promise<void>): Promise<boolean> {
  const leave = shedder().enter(performance.now(), isComplete);
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
