/**
 * The schedule of recurring jobs. The database's clock decides, because the workers' clocks may differ: with graphile-worker's own
 * cron, a worker whose clock was a minute ahead kept all others from adding the jobs of every minute, while its own jobs were not due
 * yet.
 */
import { SECOND_MS } from "../server/core/clock";
import { pool } from "../server/core/db";
import type { JobName } from "../server/core/jobs";
import { errorFields, log } from "../server/core/log";
import { keepDoing } from "../server/core/process";
import { unnest } from "../server/core/unnest";

/** `minute`: of every hour; null: every minute. */
type Recurring = { task: JobName; minute: number | null };

const everyMinute = (task: JobName): Recurring => ({ task, minute: null });
const everyHour = (task: JobName, minute: number): Recurring => ({ task, minute });

export const RECURRING: readonly Recurring[] = [
  everyMinute("sweep_messages"),
  everyMinute("sweep_webhooks"),
  everyMinute("sweep_alerts"),
  everyMinute("fold_list_totals"),
  everyMinute("digest_audit"),
  everyHour("mark_lists", 11),
  everyHour("check_ledger", 17),
  everyHour("forget_old_data", 31),
  everyHour("forget_requests", 37),
  everyHour("forget_idempotency_keys", 43),
  everyHour("forget_callbacks", 47),
  everyHour("forget_alerts", 49),
  everyHour("forget_mails", 51),
  everyHour("forget_sign_ins", 53),
  everyHour("forget_audit", 57),
];

const LOOK_EVERY_MS = 10 * SECOND_MS;

const SCHEDULE = unnest<Recurring>({ task: ["text", ({ task }) => task], minute: ["int4", ({ minute }) => minute] });

/**
 * Adds the jobs that became due within the last minute, unless another worker has done so. A missed run is not repeated, because the
 * next run covers everything. A job that is still waiting is replaced, so jobs do not pile up behind a long run. None has a named
 * queue, because its lock would outlive a lost reply by hours. `exclusively` (lease.ts) prevents concurrent runs.
 *
 * The times are kept in the table of graphile-worker's own cron, which workers of earlier versions read. A time ahead of the clock was
 * written by such a worker, or before the clock was set back, and does not count.
 */
export async function addDueJobs(): Promise<void> {
  await pool().query({
    name: "schedule.add_due",
    text: `WITH times AS (
             SELECT r.task, CASE WHEN r.minute IS NULL THEN date_trunc('minute', c.clock) ELSE
               date_trunc('hour', c.clock - r.minute * interval '1 minute', 'UTC') + r.minute * interval '1 minute' END AS at
             FROM ${SCHEDULE.as("r")}, (SELECT clock_timestamp() AS clock) c
           ), due AS (
             INSERT INTO graphile_worker._private_known_crontabs AS k (identifier, known_since, last_execution)
             SELECT task, at, at FROM times WHERE at > clock_timestamp() - interval '1 minute' ORDER BY task
             ON CONFLICT (identifier) DO UPDATE SET last_execution = excluded.last_execution
             WHERE k.last_execution IS NULL OR k.last_execution < excluded.last_execution OR k.last_execution > clock_timestamp()
             RETURNING identifier
           )
           SELECT graphile_worker.add_job(identifier, run_at := now(), job_key := identifier, job_key_mode := 'replace') FROM due`,
    values: SCHEDULE.values(RECURRING),
  });
}

/**
 * The limit for jobs to bring forward: they were due within this time of being added. Later jobs keep their time, which a caller may
 * have named. So do jobs of scheduled messages: run early, they would find nothing due, and would be gone when it is.
 */
const SOON = "interval '1 minute'";

/**
 * Makes jobs due that were added before the database's clock was set back: otherwise they would wait until the clock reaches their time
 * again, for example for two hours. A sweep's recorded time in the future shows a step back, until the next call of
 * {@link addDueJobs}, so this must be called first. Without a step back, no job is read.
 */
export async function bringForward(): Promise<void> {
  const { rowCount } = await pool().query({
    name: "schedule.bring_forward",
    text: `UPDATE graphile_worker._private_jobs SET run_at = clock_timestamp(), updated_at = clock_timestamp() WHERE id IN (
             SELECT id FROM graphile_worker._private_jobs
             WHERE created_at > clock_timestamp() AND run_at < created_at + ${SOON} AND EXISTS (
               SELECT FROM graphile_worker._private_known_crontabs WHERE identifier = $1 AND last_execution > clock_timestamp())
               AND NOT EXISTS (SELECT FROM json_array_elements_text(payload -> 'messageIds') AS i (id)
                 JOIN messages m ON m.id = i.id WHERE m.scheduled_at > clock_timestamp())
             FOR UPDATE SKIP LOCKED)`,
    values: ["sweep_messages" satisfies JobName],
  });
  if (rowCount) log("warn", "schedule.clock_set_back", { jobs: rowCount });
}

async function look(): Promise<void> {
  await bringForward().catch((thrown) => log("warn", "schedule.not_brought_forward", errorFields(thrown)));
  await addDueJobs();
}

/** Adds recurring jobs when they are due until the returned function is called. */
export const keepSchedule = (): (() => Promise<void>) =>
  keepDoing(async () => {
    await look().catch((thrown) => log("warn", "schedule.not_read", errorFields(thrown)));
    return LOOK_EVERY_MS;
  });
