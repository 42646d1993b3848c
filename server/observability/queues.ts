import { pool } from "../core/db";

/** The jobs of a task. `lag`: seconds for which the oldest due one has waited. */
export type QueueRow = { task: string; due: number; running: number; later: number; givenUp: number; lag: number };

/** The jobs of every task by their state. */
export async function readQueues(): Promise<QueueRow[]> {
  const { rows } = await pool().query<QueueRow>({
    name: "observability.queue_by_task",
    text: `SELECT t.identifier AS task, count(*) FILTER (WHERE is_available AND run_at <= now())::int4 AS due,
             count(*) FILTER (WHERE locked_at IS NOT NULL)::int4 AS running,
             count(*) FILTER (WHERE is_available AND run_at > now())::int4 AS later,
             count(*) FILTER (WHERE locked_at IS NULL AND attempts >= max_attempts)::int4 AS "givenUp",
             coalesce(extract(epoch FROM now() - min(run_at) FILTER (WHERE is_available AND run_at <= now())), 0)::float8
               AS lag
           FROM graphile_worker._private_tasks t LEFT JOIN graphile_worker._private_jobs j ON j.task_id = t.id
           GROUP BY t.identifier`,
  });
  return rows;
}
