/**
 * Where the fetches of a queue begin. Each fetch walks the index of waiting jobs from the oldest on, including removed jobs whose
 * versions PostgreSQL still keeps: while a transaction stays open, these are all jobs since it began. So most fetches begin where
 * the previous one left nothing; occasional fetches from the oldest on find jobs that appeared before that point: a job whose
 * transaction took long, or one that was given back.
 */
import { SECOND_MS } from "../server/core/clock";

/** Between two fetches from the oldest on. */
const OLDEST_EVERY_MS = 2 * SECOND_MS;
/** They take at most this part of the time, */
const OLDEST_SHARE = 1 / 20;
/** but are never put off for longer: one may have taken long because this process or the database stood still. */
const OLDEST_EVERY_MAX_MS = 30 * SECOND_MS;
/** Jobs become visible at most this much later than they are due, except those that the next fetch from the oldest on finds. */
const SETTLED_WITHIN_MS = SECOND_MS;

/** Range of a fetch: all jobs; those due since `runAt`, a time of the database; or those due in the last `withinMs`. */
type Range = { from: "oldest" } | { from: "time"; runAt: Date } | { from: "age"; withinMs: number };

type Fetched = { run_at: Date };

/** Jobs before it, by the order of the queue, were taken: up to a time of the database, or to one of this process's clock. */
type Reached = { runAt: Date } | { atMs: number };

export type FetchBounds = {
  /** The range of the next fetch; `settle` is told its jobs, or null when it failed. */
  next: (limit: number) => { range: Range; settle: (jobs: readonly Fetched[] | null) => void };
};

/** @param clock milliseconds that only go on. */
export function openFetchBounds(clock = () => performance.now()): FetchBounds {
  let reached: Reached | null = null;
  let oldest = { endedMs: Number.NEGATIVE_INFINITY, tookMs: 0 };

  const rangeAt = (atMs: number): Range => {
    const restMs = Math.min(Math.max(OLDEST_EVERY_MS, oldest.tookMs / OLDEST_SHARE), OLDEST_EVERY_MAX_MS);
    if (reached === null || atMs - oldest.endedMs >= restMs) return { from: "oldest" };
    if ("runAt" in reached) return { from: "time", runAt: new Date(reached.runAt.getTime() - SETTLED_WITHIN_MS) };
    return { from: "age", withinMs: atMs - reached.atMs + SETTLED_WITHIN_MS };
  };

  return {
    next(limit) {
      const beganMs = clock();
      const range = rangeAt(beganMs);
      return {
        range,
        settle(jobs) {
          // Ages count from when the database read them: a fetch that was held up on its way has skipped that much.
          const isLate = range.from === "age" && clock() - beganMs >= SETTLED_WITHIN_MS;
          if (jobs === null || isLate) {
            reached = null;
            return;
          }
          const last = Math.max(...jobs.map(({ run_at }) => run_at.getTime()));
          reached = jobs.length < limit ? { atMs: beganMs } : { runAt: new Date(last) };
          if (range.from === "oldest") oldest = { endedMs: clock(), tookMs: clock() - beganMs };
        },
      };
    },
  };
}
