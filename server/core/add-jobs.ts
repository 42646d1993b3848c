/**
 * Jobs as rows of graphile-worker's table, added in the transaction of the change that causes them. Separate from `jobs.ts`,
 * because the migrations need the names of jobs and run before there is a database client.
 */
import { msUntil, now } from "./clock";
import type { Queryable } from "./db";
import { announceIn } from "./due-jobs";
import type { JobName, JobPayload } from "./jobs";
import { unnest } from "./unnest";

/**
 * Runs of a job before graphile-worker gives it up, within some four days. Only our own crashes and bugs, or a mail server that
 * is unavailable for that long, use them up.
 */
const MAX_JOB_ATTEMPTS = 25;
/** Lower runs first: a receipt must not wait behind a backlog of unsent messages. */
const PRIORITIES: Partial<Record<JobName, number>> = {
  apply_receipts: -10,
  join_receipts: -10,
  apply_inbound: -10,
};

/**
 * Inserts jobs as graphile-worker's own functions do. Those cost three times as much, because they handle queue names and keys that our
 * jobs do not have, job by job. $1 is the name of the task, which the migration has added; without it the insert fails.
 */
const insertJobs = (rows: string, runAt: string): string =>
  `INSERT INTO graphile_worker._private_jobs (task_id, payload, run_at, max_attempts, priority)
   SELECT (SELECT id FROM graphile_worker._private_tasks WHERE identifier = $1::text), j.payload::json, ${runAt}, $4::int2, $5::int2
   FROM ${rows}`;

/** Notifies the workers of a number of due jobs of task $1. Delayed jobs are announced when they are due. */
const announced = (insert: string, count: string): string =>
  `WITH added AS (${insert})
   SELECT pg_notify('jobs:insert', json_build_object('r', random(), 'count', ${count}, 'tasks', ARRAY[$1::text])::text)
   WHERE ${count} > 0`;

type AddedJob = { payload: unknown; runAt: Date | null };

const addedJobs = unnest<AddedJob>(
  {
    payload: ["text", ({ payload }) => JSON.stringify(payload)],
    wait_ms: ["float8", ({ runAt }) => (runAt ? msUntil(runAt) : null)],
  },
  2,
);

const INSERT_ADDED = insertJobs(
  addedJobs.as("j"),
  "coalesce(clock_timestamp() + j.wait_ms * interval '1 millisecond', now())",
);
const ADD_MANY = announced(INSERT_ADDED, "$6::int4");
const ADD_KNOWN = `${INSERT_ADDED} RETURNING id::text AS id, payload`;

/** Announces delayed jobs when they become due; they were added to the database at `addedAt`. */
function announceLater(name: JobName, added: readonly { runAt: Date | null }[], addedAt: Date): void {
  for (const { runAt } of added) if (runAt) announceIn(Math.max(0, runAt.getTime() - addedAt.getTime()), name);
}

const settingsOf = (name: JobName): number[] => [MAX_JOB_ATTEMPTS, PRIORITIES[name] ?? 0];

/**
 * Adds a job in the transaction of `tx`.
 * @param options `runAt`: a time of this process's clock; the job is due after the same duration by the database's clock, which
 *   the queue uses. Null: right after the commit. `key`: replaces a waiting job with the same key and takes its place in the
 *   queue; otherwise a job that is replaced again and again would never reach the head of a lagging queue. Without a key, no
 *   other transaction waits for a lock of this one.
 */
export async function addJob<Name extends JobName>(
  tx: Queryable,
  name: Name,
  payload: JobPayload<Name>,
  { runAt = null, key }: { runAt?: Date | null; key?: string } = {},
): Promise<void> {
  if (key === undefined) return addJobs(tx, name, [{ payload, runAt }]);
  await tx.query({
    name: "jobs.add",
    text: `SELECT 1 FROM graphile_worker.add_job($1, $2::json,
             run_at := clock_timestamp() + $3::float8 * interval '1 millisecond', max_attempts := $4, priority := $5::int, job_key := $6,
             job_key_mode := 'preserve_run_at')`,
    values: [name, JSON.stringify(payload), runAt ? msUntil(runAt) : null, ...settingsOf(name), key],
  });
}

/** Adds many jobs of one name in one statement; `runAt` as in {@link addJob}. */
export async function addJobs<Name extends JobName>(
  tx: Queryable,
  name: Name,
  added: readonly { payload: JobPayload<Name>; runAt: Date | null }[],
): Promise<void> {
  if (added.length === 0) return;
  const addedAt = now();
  const due = added.filter(({ runAt }) => runAt === null).length;
  await tx.query({
    name: "jobs.add_many",
    text: ADD_MANY,
    values: [name, ...addedJobs.values(added), ...settingsOf(name), due],
  });
  announceLater(name, added, addedAt);
}

/** Adds delayed jobs; the caller may do their work before they are due. @returns their ids, in any order. */
export async function addKnownJobs<Name extends JobName>(
  tx: Queryable,
  name: Name,
  added: readonly { payload: JobPayload<Name>; runAt: Date }[],
): Promise<{ id: string; payload: JobPayload<Name> }[]> {
  if (added.length === 0) return [];
  const addedAt = now();
  const { rows } = await tx.query<{ id: string; payload: JobPayload<Name> }>({
    name: "jobs.add_known",
    text: ADD_KNOWN,
    values: [name, ...addedJobs.values(added), ...settingsOf(name)],
  });
  announceLater(name, added, addedAt);
  return rows;
}

type ScheduledJob = { payload: unknown; dueAt: Date };

const scheduledJobs = unnest<ScheduledJob>(
  {
    payload: ["text", ({ payload }) => JSON.stringify(payload)],
    due_at: ["timestamptz", ({ dueAt }) => dueAt.toISOString()],
  },
  2,
);

const ADD_SCHEDULED = announced(insertJobs(scheduledJobs.as("j"), "j.due_at"), "cardinality($2)");

/** Adds jobs that are due at times that callers named: the queue compares these times, unconverted, with the database's clock. */
export async function addScheduledJobs<Name extends JobName>(
  tx: Queryable,
  name: Name,
  added: readonly { payload: JobPayload<Name>; dueAt: Date }[],
): Promise<void> {
  if (added.length === 0) return;
  await tx.query({
    name: "jobs.add_scheduled",
    text: ADD_SCHEDULED,
    values: [name, ...scheduledJobs.values(added), ...settingsOf(name)],
  });
}
