/** Goes on with the work of workers whose leases have run out: their attempts, and the jobs that they have locked. */
import { SECOND_MS } from "../server/core/clock";
import { pool } from "../server/core/db";
import { errorFields, log } from "../server/core/log";
import { keepDoing } from "../server/core/process";
import { workerId } from "../server/core/worker-id";
import { recoverAttempts, takeBackClaims } from "../server/messages/tasks";
import { LOCK_SPACE, leasedPools, leaseHeldMs } from "./lease";

const LOOK_EVERY_MS = SECOND_MS;
/** A worker that was not seen for so long has lost its lease: what it has claimed, it cannot begin any more. */
const LEASE_MS = 4 * SECOND_MS;
/** One that still holds its lock may only be stopped; after this time it is taken for dead all the same. */
const DEAD_AFTER_MS = 60 * SECOND_MS;
/** After a restart of the database, or a break of our own lease, the others have so long to show themselves. */
const GRACE_MS = 5 * SECOND_MS;
/** A pool that has just been made is part of its worker's lease at the next beat. */
const POOL_LISTED_WITHIN_MS = 10 * SECOND_MS;
const LOOK_AT_POOLS_EVERY_MS = 5 * SECOND_MS;

type RunOut = { id: string; pools: string[]; isDead: boolean };

async function findRunOut(): Promise<RunOut[]> {
  const { rows } = await pool().query<RunOut>({
    name: "worker.run_out",
    text: `SELECT w.id, w.pools, w.seen_at < clock_timestamp() - $3 * interval '1 millisecond' OR NOT EXISTS (
             SELECT 1 FROM pg_locks p WHERE p.locktype = 'advisory' AND p.objsubid = 2 AND p.granted
               AND p.classid = $5::oid AND p.objid::bigint = (hashtext(w.id)::bigint & 4294967295)
               AND p.database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS "isDead"
           FROM workers w
           WHERE w.id <> $1 AND w.seen_at < clock_timestamp() - $2 * interval '1 millisecond'
             AND pg_postmaster_start_time() < clock_timestamp() - $4 * interval '1 millisecond'`,
    values: [workerId(), LEASE_MS, DEAD_AFTER_MS, GRACE_MS, LOCK_SPACE],
  });
  return rows;
}

/** Unlocks the jobs of these pools, so that any worker may run them. */
export async function unlockJobs(pools: readonly string[]): Promise<void> {
  if (pools.length > 0) await pool().query("SELECT graphile_worker.force_unlock_workers($1::text[])", [pools]);
}

async function takeOver(dead: readonly RunOut[]): Promise<void> {
  if (dead.length === 0) return;
  const ids = dead.map(({ id }) => id);
  await unlockJobs(dead.flatMap(({ pools }) => pools));
  await recoverAttempts(ids);
  // One that has been seen since is alive after all, and keeps its row.
  await pool().query(
    "DELETE FROM workers WHERE id = ANY($1::text[]) AND seen_at < clock_timestamp() - $2 * interval '1 millisecond'",
    [ids, LEASE_MS],
  );
  log("warn", "worker.dead", { workers: ids });
}

/** Unlocks jobs that are locked by a pool of no worker: one that ended without its worker, or whose worker is long gone. */
async function unlockJobsOfNobody(): Promise<void> {
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

/** Looks for workers whose leases have run out, until the returned function is called, which waits for the look under way. */
export function keepTakingOver(): () => Promise<void> {
  let lookAtPoolsAt = 0;
  let lookedAtMs = performance.now();
  let awakeSinceMs = lookedAtMs - GRACE_MS;
  return keepDoing(async () => {
    // A process that stood still, perhaps with all others on its machine, or that lost its own lease, judges nobody for a while.
    if (performance.now() - lookedAtMs > LEASE_MS) awakeSinceMs = performance.now();
    lookedAtMs = performance.now();
    if (Math.min(leaseHeldMs(), lookedAtMs - awakeSinceMs) < GRACE_MS) return LOOK_EVERY_MS;
    try {
      const runOut = await findRunOut();
      const stopped = runOut.filter(({ isDead }) => !isDead).map(({ id }) => id);
      if (stopped.length > 0) await takeBackClaims(stopped);
      await takeOver(runOut.filter(({ isDead }) => isDead));
      if (performance.now() >= lookAtPoolsAt) {
        await unlockJobsOfNobody();
        lookAtPoolsAt = performance.now() + LOOK_AT_POOLS_EVERY_MS;
      }
    } catch (thrown) {
      log("warn", "worker.take_over_failed", errorFields(thrown));
    }
    // A look that took long was no standstill.
    lookedAtMs = performance.now();
    return LOOK_EVERY_MS;
  });
}
