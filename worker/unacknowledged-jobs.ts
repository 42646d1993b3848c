/** Jobs that this process has locked without knowing it. */
import { createBatcher } from "../server/core/batcher";
import { pool } from "../server/core/db";
import { log } from "../server/core/log";
import { defineProcessValue } from "../server/core/process";
import { LOCK_SETTLED_MS, type Running } from "./runner";

/** More pools than a worker has. */
const POOLS_PER_READ = 100;

/** Reads which jobs runners have locked for a while, in one statement for all concurrent callers. */
const readLocks = defineProcessValue("queue.read_locks", () =>
  createBatcher<string, string[]>(
    async (poolIds) => {
      const { rows } = await pool().query<{ id: string; poolId: string }>({
        name: "queue.own_locks",
        text: `SELECT id::text AS id, locked_by AS "poolId" FROM graphile_worker._private_jobs
               WHERE locked_by = ANY($1::text[]) AND locked_at < clock_timestamp() - $2 * interval '1 millisecond'`,
        values: [poolIds, LOCK_SETTLED_MS],
      });
      return poolIds.map((poolId) => ({
        ok: true,
        value: rows.filter((row) => row.poolId === poolId).map(({ id }) => id),
      }));
    },
    { maxWeight: POOLS_PER_READ },
  ),
);

/** Unlocks jobs of a runner that it does not know of, because the reply to their fetch was lost. */
export async function unlockUnacknowledged({ poolId, jobs }: Pick<Running, "poolId" | "jobs">): Promise<void> {
  const now = performance.now();
  for (const [id, { doneAtMs }] of jobs) {
    if (doneAtMs !== null && now - doneAtMs > 10 * LOCK_SETTLED_MS) jobs.delete(id);
  }
  const unacknowledged = (await readLocks()(poolId)).filter((id) => !jobs.has(id));
  if (unacknowledged.length === 0) return;
  await pool().query(
    `WITH unlocked AS (
       UPDATE graphile_worker._private_jobs SET locked_by = NULL, locked_at = NULL
       WHERE id = ANY($1::int8[]) AND locked_by = $2 RETURNING job_queue_id)
     UPDATE graphile_worker._private_job_queues q SET locked_by = NULL, locked_at = NULL
     FROM unlocked u WHERE q.id = u.job_queue_id AND q.locked_by = $2`,
    [unacknowledged, poolId],
  );
  log("warn", "queue.unheard_jobs_unlocked", { count: unacknowledged.length });
}
