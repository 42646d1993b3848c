/**
 * Handles runs of recurring jobs that outlast the time of the next one. graphile-worker then gives their key to the next job, and
 * takes away their remaining tries: a run that fails, or whose worker is killed, would stay behind as a dead job, although the next
 * run does its work.
 */
import { pool } from "../server/core/db";
import { RECURRING } from "./schedule";

const IS_REPLACED = `j.key IS NULL AND j.attempts >= j.max_attempts AND j.task_id IN (
  SELECT id FROM graphile_worker._private_tasks WHERE identifier = ANY($2::text[]))`;

const names = (): string[] => RECURRING.map(({ task }) => task);

/** Whether a failed recurring job was already replaced by the next one while it ran. */
export async function isReplaced(id: string): Promise<boolean> {
  const { rowCount } = await pool().query({
    name: "jobs.is_replaced",
    text: `SELECT FROM graphile_worker._private_jobs j WHERE j.id = $1::int8 AND ${IS_REPLACED}`,
    values: [id, names()],
  });
  return rowCount === 1;
}

/** Deletes such runs that ended pools have left behind. */
export async function deleteReplaced(pools: readonly string[]): Promise<void> {
  await pool().query({
    name: "jobs.delete_replaced",
    text: `DELETE FROM graphile_worker._private_jobs j WHERE j.locked_by = ANY($1::text[]) AND ${IS_REPLACED}`,
    values: [pools, names()],
  });
}
