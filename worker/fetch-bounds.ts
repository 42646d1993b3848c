/**
 * Decides where the fetches of a queue begin. A fetch walks the index of waiting jobs from the oldest, including removed jobs whose
 * versions PostgreSQL still keeps: while a transaction stays open, these are all jobs since it began. So most fetches begin at the
 * point up to which the previous one took everything. Occasional fetches from the oldest find jobs that appeared before that point: a
 * job whose transaction took long, or one that was given back.
 */
import { SECOND_MS } from "../server/core/clock";

/** Shortest interval of fetches from the oldest. */
const OLDEST_EVERY_MS = 2 * SECOND_MS;
/** Largest share of the time that fetches from the oldest may take; slow ones are made less often. */
const OLDEST_SHARE = 1 / 20;
/** Longest interval of fetches from the oldest: one may have been slow only because this process or the database stalled. */
const OLDEST_EVERY_MAX_MS = 30 * SECOND_MS;
/** Jobs become visible at most this long after they are due, except those that the next fetch from the oldest finds. */
const SETTLED_WITHIN_MS = SECOND_MS;

/** Range of a fetch: all jobs; those due since `runAt`, a time of the database; or those due in the last `withinMs`. */
type Range = { from: "oldest" } | { from: "time"; runAt: Date } | { from: "age"; withinMs: number };

type Fetched = { run_at: Date };

/** The point before which all jobs were taken, in the queue's order: a time of the database, or of this process's clock. */
type Reached = { runAt: Date } | { atMs: number };

export type FetchBounds = {
  /** The range of the next fetch; call `settle` with its jobs, or with null when it failed. */
  next: (limit: number) => { range: Range; settle: (jobs: readonly Fetched[] | null) => void };
};

/** @param clock monotonic milliseconds. */
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
          // The database counts the age from when it runs the fetch: one that was delayed on its way has skipped that much.
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
