/**
 * Announces jobs when they become due. Workers are notified at once of a job that is due when it is added; they would find a
 * delayed job only by their next poll, up to half a second after its time. The process that added the job announces it; if that
 * process dies first, the poll still finds the job.
 */
import { pool } from "./db";
import type { JobName } from "./jobs";
import { defineProcessValue } from "./process";

/** Jobs further ahead than this are left to the polls: their delays are coarse. */
const HORIZON_MS = 10_000;
/** Times as close as this are announced together. */
const TICK_MS = 10;
/** Shortest mean time between announcements: under load, batches of receipts and retries become due all the time. */
const INTERVAL_MS = 50;
/** Announcements that may follow each other without a pause, so that those of a quiet installation are not late. */
const BURST = 5;

/**
 * Notifies the workers that jobs of some tasks are due, as graphile-worker's own insert does. The commit does not wait for the
 * disk, because no other session can notify until it is done.
 */
const ANNOUNCEMENT = `SELECT set_config('synchronous_commit', 'off', true),
  pg_notify('jobs:insert', json_build_object('r', random(), 'count', 1, 'tasks', $1::text[])::text)`;

type Announcer = {
  /** Tasks by the time of their jobs, in ms of a clock that is never set back, rounded up to ticks. */
  tasks: Map<number, Set<JobName>>;
  timer: NodeJS.Timeout | null;
  timerMs: number;
  /** When the burst will be whole again (generic cell rate algorithm). */
  refilledMs: number;
};

const announcer = defineProcessValue(
  "jobs.announcer",
  (): Announcer => ({ tasks: new Map(), timer: null, timerMs: Number.POSITIVE_INFINITY, refilledMs: 0 }),
);

/**
 * Announces a job that is due in the database after `waitMs`. Called when the database has responded: the wait began before that,
 * so the announcement never comes too early.
 */
export function announceIn(waitMs: number, task: JobName): void {
  if (waitMs > HORIZON_MS) return;
  const own = announcer();
  const timeMs = Math.ceil((performance.now() + waitMs) / TICK_MS) * TICK_MS;
  const alike = own.tasks.get(timeMs);
  if (alike) alike.add(task);
  else own.tasks.set(timeMs, new Set([task]));
  schedule(own);
}

/** Sets the timer for the earliest time, unless it is already set for that time or an earlier one. */
function schedule(own: Announcer): void {
  if (own.tasks.size === 0) return;
  const nextMs = Math.max(Math.min(...own.tasks.keys()), own.refilledMs - (BURST - 1) * INTERVAL_MS);
  if (own.timer && own.timerMs <= nextMs) return;
  if (own.timer) clearTimeout(own.timer);
  own.timerMs = nextMs;
  // Timers drop fractions of a millisecond, and would run before the time.
  own.timer = setTimeout(() => announceDue(own), Math.ceil(nextMs - performance.now()));
  own.timer.unref();
}

function announceDue(own: Announcer): void {
  const nowMs = performance.now();
  own.timer = null;
  const due = new Set<JobName>();
  for (const [timeMs, tasks] of own.tasks) {
    if (timeMs > nowMs) continue;
    own.tasks.delete(timeMs);
    for (const task of tasks) due.add(task);
  }
  // A timer may still run a little early.
  if (due.size > 0) {
    own.refilledMs = Math.max(own.refilledMs, nowMs) + INTERVAL_MS;
    // A lost announcement costs the pause until the next poll.
    pool()
      .query({ name: "jobs.announce", text: ANNOUNCEMENT, values: [[...due]] })
      .catch(() => undefined);
  }
  schedule(own);
}
