import { cachedRead } from "../core/cached-read";
import { SECOND_MS } from "../core/clock";
import { isConnectionFailure } from "../core/database/connection-failure";
import { pool } from "../core/db";
import { errorFields, log } from "../core/log";

/** A database that is slower than this would not serve callers in time either. */
const CHECK_TIMEOUT_MS = 5_000;

type Health = {
  ok: boolean;
  /** `latencyMs`: one round trip, including the wait for a connection; null when there was no response. */
  database: { ok: boolean; latencyMs: number | null };
  /** Due jobs that no worker has taken, and for how long the oldest has been due; null when unknown. */
  queue: { readyJobs: number; oldestReadyS: number } | null;
};

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Connects without waiting for an unavailable database, unlike all other queries. A connection of the pool may have died
 * unnoticed, which says nothing about the database: the next one is tried, and finally a new one.
 */
async function databaseLatencyMs(): Promise<number> {
  const begunAt = performance.now();
  for (;;) {
    const startedAt = performance.now();
    const isReused = pool().idleCount > 0;
    const client = await pool().reachAtOnce();
    try {
      await client.query("SELECT 1");
      client.release();
      return Math.round(performance.now() - startedAt);
    } catch (thrown) {
      client.release(true);
      const isLate = performance.now() - begunAt > CHECK_TIMEOUT_MS;
      if (!isReused || isLate || !isConnectionFailure(thrown)) throw thrown;
    }
  }
}

async function readQueue(): Promise<Health["queue"]> {
  const { rows } = await pool().query<{ readyJobs: number; oldestReadyS: number }>({
    name: "health.queue",
    text: `SELECT count(*)::int AS "readyJobs",
             coalesce(extract(epoch FROM now() - min(run_at)), 0)::float8 AS "oldestReadyS"
           FROM graphile_worker._private_jobs WHERE is_available AND run_at <= now()`,
  });
  return rows[0] ?? null;
}

/** Cached, because callers need no key, and counting a long queue takes the database a while. */
const queue = cachedRead("health.queue", SECOND_MS, readQueue, { isCostly: true });

/** The next check counts the queue again. */
export const invalidateHealth = (): void => queue.invalidate();

/**
 * Checks the database and the job queue, which is counted at most once a second for all callers. Never throws: failures are
 * part of the result.
 */
export async function checkHealth(): Promise<Health> {
  const health: Health = { ok: false, database: { ok: false, latencyMs: null }, queue: null };
  try {
    health.database = { ok: true, latencyMs: await within(CHECK_TIMEOUT_MS, databaseLatencyMs()) };
    health.queue = await within(CHECK_TIMEOUT_MS, queue.get());
    health.ok = true;
  } catch (thrown) {
    log("error", "health.failed", errorFields(thrown));
  }
  return health;
}
