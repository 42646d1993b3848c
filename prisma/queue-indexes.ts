/** Indexes on the table of the job queue, which the queue's own migrations create. */
import { createHash } from "node:crypto";
import type pg from "pg";
import { QUEUES } from "../server/core/jobs";
import { buildOnline } from "./online-indexes";

const SCHEMA = "graphile_worker";
const TASKS = `${SCHEMA}._private_tasks`;
const JOBS = `${SCHEMA}._private_jobs`;
/**
 * Indexes of earlier versions, with the task as a key, which PostgreSQL before 17 does not use for a list of tasks.
 */
const OUTDATED = "jobs_by_task";

/** Ids of tasks in this database, in order; added where they are missing. */
async function taskIds(client: pg.Client, names: readonly string[]): Promise<number[]> {
  await client.query(`INSERT INTO ${TASKS} (identifier) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING`, [names]);
  const { rows } = await client.query<{ id: number }>(
    `SELECT id FROM ${TASKS} WHERE identifier = ANY($1::text[]) ORDER BY id`,
    [names],
  );
  return rows.map(({ id }) => id);
}

/**
 * For the queries of locked jobs every few seconds, which would otherwise read all waiting jobs. It costs an entry per run of a
 * job.
 */
const LOCKED = "jobs_locked";

/** Builds an index of jobs while jobs are added and run, because a backlog may have millions. */
const buildOnJobs = (client: pg.Client, name: string, what: string): Promise<void> =>
  buildOnline(client, {
    name: `${SCHEMA}.${name}`,
    table: JOBS,
    statement: `CREATE INDEX CONCURRENTLY ${name} ON ${JOBS} ${what}`,
  });

/**
 * Gives each queue of the workers an index of its own jobs, in the order in which they are fetched. In the shared index, each
 * fetch also reads earlier jobs of other queues: a fetch of webhooks reads a backlog of messages. The name says which tasks an
 * index is for, so a queue with another task gets another index. Locked jobs have one index.
 * @param client as in {@link buildOnline}.
 */
export async function indexQueues(client: pg.Client): Promise<void> {
  await buildOnJobs(client, LOCKED, "(locked_by) WHERE locked_by IS NOT NULL");
  const current: string[] = [];
  for (const [queue, names] of Object.entries(QUEUES)) {
    const ids = (await taskIds(client, names)).join(", ");
    const index = `jobs_of_${queue}_${createHash("sha256").update(ids).digest("hex").slice(0, 8)}`;
    await buildOnJobs(client, index, `(priority, run_at) WHERE is_available = true AND task_id IN (${ids})`);
    current.push(index);
  }
  const { rows } = await client.query<{ name: string }>(
    `SELECT indexname AS name FROM pg_indexes
     WHERE schemaname = $1 AND (indexname = $2 OR indexname ~ '^jobs_of_[a-z]+_[0-9a-f]{8}$') AND NOT indexname = ANY($3::text[])`,
    [SCHEMA, OUTDATED, current],
  );
  for (const { name } of rows) await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${SCHEMA}.${name}`);
}
