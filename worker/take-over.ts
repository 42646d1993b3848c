/** Takes over the work of workers with expired leases: their attempts, and the jobs that they have locked. */
import { SECOND_MS } from "../server/core/clock";
import { pool } from "../server/core/db";
import { errorFields, log } from "../server/core/log";
import { keepDoing } from "../server/core/process";
import { DEAD_AFTER_S, LEASE_S, workerId } from "../server/core/worker-id";
import { recoverAttempts, takeBackClaims } from "../server/messages/tasks";
import { type HeartbeatWatch, watchHeartbeats } from "./heartbeats";
import { LOCK_SPACE, leasedPools, leaseHeldMs } from "./lease";
import { deleteReplaced } from "./replaced-jobs";

const CHECK_EVERY_MS = SECOND_MS;
/** A lease that is silent for this long, by our own clock, has expired: its worker can no longer begin its claimed attempts. */
const LEASE_MS = LEASE_S * SECOND_MS;
/** A worker that still holds its lock may only be suspended; after this time it counts as dead anyway. */
const DEAD_AFTER_MS = DEAD_AFTER_S * SECOND_MS;
/** Time for the others to send a heartbeat after a restart of the database or an interruption of our own lease. */
const GRACE_MS = 5 * SECOND_MS;
/** A new pool is listed in its worker's lease within this time. */
const POOL_LISTED_WITHIN_MS = 10 * SECOND_MS;
const CHECK_POOLS_EVERY_MS = 5 * SECOND_MS;

/** A worker with an expired lease; `seenAt`: its last heartbeat. */
type Expired = { id: string; pools: string[]; seenAt: Date; isDead: boolean };

/** Finds workers that have been silent for {@link LEASE_MS}. Silence before the first call does not count. */
async function findExpired(watch: HeartbeatWatch): Promise<Expired[]> {
  const askedAtMs = performance.now();
  const { rows: heartbeats } = await pool().query<{ id: string; seenAt: Date }>({
    name: "worker.heartbeats",
    text: `SELECT id, seen_at AS "seenAt" FROM workers WHERE id <> $1`,
    values: [workerId()],
  });
  const silentMs = watch.note(
    heartbeats.map(({ id, seenAt }) => ({ id, seenAt: seenAt.getTime() })),
    askedAtMs,
    performance.now(),
  );
  const silent = heartbeats.filter(({ id }) => (silentMs.get(id) ?? 0) >= LEASE_MS);
  if (silent.length === 0) return [];
  const { rows } = await pool().query<Omit<Expired, "isDead"> & { isLocked: boolean }>({
    name: "worker.run_out",
    text: `SELECT w.id, w.pools, w.seen_at AS "seenAt", EXISTS (
             SELECT 1 FROM pg_locks p WHERE p.locktype = 'advisory' AND p.objsubid = 2 AND p.granted
               AND p.classid = $4::oid AND p.objid::bigint = (hashtext(w.id)::bigint & 4294967295)
               AND p.database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS "isLocked"
           FROM workers w
           WHERE (w.id, w.seen_at) IN (SELECT * FROM unnest($1::text[], $2::timestamptz[]))
             AND pg_postmaster_start_time() < clock_timestamp() - $3 * interval '1 millisecond'`,
    values: [silent.map(({ id }) => id), silent.map(({ seenAt }) => seenAt), GRACE_MS, LOCK_SPACE],
  });
  return rows.map(({ isLocked, ...row }) => ({
    ...row,
    isDead: !isLocked || (silentMs.get(row.id) ?? 0) >= DEAD_AFTER_MS,
  }));
}

/** Unlocks the jobs of these pools, so that any worker may run them. */
export async function unlockJobs(pools: readonly string[]): Promise<void> {
  if (pools.length === 0) return;
  await deleteReplaced(pools);
  await pool().query("SELECT graphile_worker.force_unlock_workers($1::text[])", [pools]);
}

/**
 * Ends the lease sessions of stalled workers, whose locks (`exclusively`) would otherwise block the sweeps that they were running for
 * as long as they are stalled.
 */
export async function endSessions(ids: readonly string[]): Promise<void> {
  await pool().query({
    name: "worker.end_sessions",
    text: `SELECT pg_terminate_backend(p.pid) FROM pg_locks p
           WHERE p.locktype = 'advisory' AND p.objsubid = 2 AND p.granted AND p.classid = $2::oid
             AND p.objid::bigint IN (SELECT hashtext(w.id)::bigint & 4294967295 FROM unnest($1::text[]) AS w (id))
             AND p.database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    values: [ids, LOCK_SPACE],
  });
}

async function takeOver(dead: readonly Expired[]): Promise<void> {
  if (dead.length === 0) return;
  const ids = dead.map(({ id }) => id);
  await endSessions(ids);
  await unlockJobs(dead.flatMap(({ pools }) => pools));
  await recoverAttempts(ids);
  // A worker that has sent a heartbeat since then is alive after all, and keeps its row.
  await pool().query(
    "DELETE FROM workers WHERE (id, seen_at) IN (SELECT * FROM unnest($1::text[], $2::timestamptz[]))",
    [ids, dead.map(({ seenAt }) => seenAt)],
  );
  log("warn", "worker.dead", { workers: ids });
}

/** Unlocks jobs of pools that no lease lists: the pool ended without its worker, or the worker is long gone. */
export async function unlockOrphanedJobs(): Promise<void> {
  const { rows } = await pool().query<{ id: string }>({
    name: "worker.pools_of_nobody",
    text: `SELECT DISTINCT j.locked_by AS id FROM graphile_worker._private_jobs j
           WHERE j.locked_by IS NOT NULL AND j.locked_at < clock_timestamp() - $1 * interval '1 millisecond'
             AND NOT EXISTS (SELECT 1 FROM workers w WHERE j.locked_by = ANY(w.pools))`,
    values: [POOL_LISTED_WITHIN_MS],
  });
  const pools = rows.map((row) => row.id).filter((id) => !leasedPools().has(id));
  await unlockJobs(pools);
  if (pools.length > 0) log("warn", "worker.jobs_unlocked", { pools });
}

/** Takes over from workers with expired leases until the returned function is called, which waits for a running check. */
export function keepTakingOver(): () => Promise<void> {
  const watch = watchHeartbeats();
  let checkPoolsAt = 0;
  let checkedAtMs = performance.now();
  let awakeSinceMs = checkedAtMs - GRACE_MS;
  return keepDoing(async () => {
    // After a stall, perhaps of the whole machine, or the loss of its own lease, a process takes over nothing for a while.
    if (performance.now() - checkedAtMs > LEASE_MS) {
      awakeSinceMs = performance.now();
      watch.forget();
    }
    checkedAtMs = performance.now();
    const isReady = Math.min(leaseHeldMs(), checkedAtMs - awakeSinceMs) >= GRACE_MS;
    try {
      // Watched in the meantime, too, so that workers that died before are taken over at once afterwards.
      const expired = await findExpired(watch);
      if (isReady) await takeOverExpired(expired);
      if (isReady && performance.now() >= checkPoolsAt) {
        await unlockOrphanedJobs();
        checkPoolsAt = performance.now() + CHECK_POOLS_EVERY_MS;
      }
    } catch (thrown) {
      // The other workers may have been unable to send heartbeats, too.
      watch.forget();
      log("warn", "worker.take_over_failed", errorFields(thrown));
    }
    // A check that took long was no stall.
    checkedAtMs = performance.now();
    return CHECK_EVERY_MS;
  });
}

async function takeOverExpired(expired: readonly Expired[]): Promise<void> {
  const stopped = expired.filter(({ isDead }) => !isDead).map(({ id }) => id);
  if (stopped.length > 0) await takeBackClaims(stopped);
  await takeOver(expired.filter(({ isDead }) => isDead));
}
