/**
 * Terms.
 * - job: one row in graphile-worker's table: a task's name and a payload of ids. Added in the transaction of the change
 *   that causes it, so it exists exactly when that change does (transactional outbox).
 * - task: the function behind a job's name (worker/tasks.ts).
 * - batch: most jobs carry many ids; a task finishes or re-schedules each of them before it returns.
 * A task must be safe to run twice: the jobs of a dead worker go to another one.
 */
import { z } from "zod";
import { msUntil } from "./clock";
import type { Queryable } from "./db";
import { unnest } from "./unnest";

const ids = z.array(z.string()).min(1).max(2_000);

/** Spans of the callbacks that a job comes from, as `traceparent`; absent when they are not traced. */
const traces = z.array(z.string()).optional();

/** Recurring jobs carry graphile-worker's own `_cron` field and nothing of ours. */
const recurring = z.object({}).loose();

/** A provider's report about one of its messages, in our terms. `occurredAt` is ISO 8601. */
export const ReceiptReport = z.object({
  providerMessageId: z.string().refine((id) => !id.includes("\0")),
  /** Our reference to the attempt, if the provider returns it (server/providers/reference.ts). */
  reference: z.string().nullish(),
  status: z.enum(["sent", "delivered", "failed", "undelivered"]),
  code: z.string().nullable(),
  detail: z.string().nullable(),
  occurredAt: z.iso.datetime({ offset: true }),
  /** Number that the report came from, where anybody could have sent it: it must be the message's recipient. */
  recipient: z.string().optional(),
  /** Such a report was about no known message before. */
  isLastTry: z.boolean().optional(),
});
export type ReceiptReport = z.output<typeof ReceiptReport>;

/**
 * A message from a handset to one of our numbers. Numbers in the provider's notation, `receivedAt` ISO 8601. `keyword`:
 * the provider's own reading of the text; absent: it has none.
 */
export const InboundReport = z.object({
  providerMessageId: z.string(),
  from: z.string(),
  to: z.string(),
  text: z.string(),
  keyword: z.enum(["stop", "start"]).optional(),
  receivedAt: z.iso.datetime({ offset: true }),
});
export type InboundReport = z.output<typeof InboundReport>;

/**
 * `attemptsMade`: only the deliveries that have made exactly this number of tries in `round` (absent: 0); absent: the due
 * ones.
 */
const deliveries = z.object({
  endpointId: z.string(),
  deliveryIds: ids,
  attemptsMade: z.number().int().min(0).optional(),
  round: z.number().int().min(0).optional(),
  isRequeued: z.boolean().optional(),
});

/** Payload of each job by name. Payloads survive a release: a field added later must be optional. */
export const jobs = {
  dispatch_messages: z.object({ messageIds: ids }),
  apply_receipts: z.object({ provider: z.string(), receipts: z.array(ReceiptReport).min(1), traces }),
  join_receipts: z.object({ provider: z.string(), providerMessageIds: ids }),
  apply_inbound: z.object({ provider: z.string(), messages: z.array(InboundReport).min(1), traces }),
  /**
   * First tries of deliveries, most of which have no row yet. Versions that need one do not know this name. `isRequeued`:
   * the job has waited before, for a slot.
   */
  deliver_events: deliveries,
  deliver_webhooks: deliveries,
  post_alert: z.object({ alertId: z.string() }),
  send_mail: z.object({ mailId: z.string() }),
  /** Asked for by a stranger: whether anybody has the email is found out by the job, so that the request does not tell. */
  request_password_reset: z.object({ email: z.string(), mailId: z.string() }),
  review_sender: z.object({ senderId: z.string() }),
  sweep_messages: recurring,
  sweep_webhooks: recurring,
  check_ledger: recurring,
  fold_list_totals: recurring,
  forget_idempotency_keys: recurring,
  forget_callbacks: recurring,
  forget_sign_ins: recurring,
  forget_audit: recurring,
  forget_requests: recurring,
  forget_old_data: recurring,
  mark_lists: recurring,
  forget_mails: recurring,
  sweep_alerts: recurring,
  forget_alerts: recurring,
} as const;

export type JobName = keyof typeof jobs;

/** Jobs of each queue of the workers. Queues do not wait for each other, and each has an index of its own jobs. */
export const QUEUES = {
  dispatch: ["dispatch_messages"],
  receipts: ["apply_receipts", "join_receipts", "apply_inbound", "request_password_reset", "review_sender"],
  housekeeping: [
    "sweep_messages",
    "sweep_webhooks",
    "check_ledger",
    "fold_list_totals",
    "forget_idempotency_keys",
    "forget_callbacks",
    "forget_audit",
    "forget_requests",
    "forget_mails",
    "sweep_alerts",
    "forget_alerts",
    "forget_sign_ins",
    "forget_old_data",
    "mark_lists",
  ],
  webhooks: ["post_alert", "send_mail", "deliver_events", "deliver_webhooks"],
} as const satisfies Record<string, readonly JobName[]>;
export type QueueName = keyof typeof QUEUES;
/** Names of a queue's jobs. */
export type JobOf<Queue extends QueueName> = (typeof QUEUES)[Queue][number];

export type JobPayload<Name extends JobName> = z.output<(typeof jobs)[Name]>;

/** Runs of a job before graphile-worker gives it up. Only our own crashes and bugs use them up. */
const MAX_JOB_ATTEMPTS = 25;
/** Lower runs first: a receipt must not wait behind a backlog of unsent messages. */
const PRIORITIES: Partial<Record<JobName, number>> = {
  apply_receipts: -10,
  join_receipts: -10,
  apply_inbound: -10,
};

/**
 * Inserts jobs as graphile-worker's own functions do, which cost three times as much: they take care of names and keys that our
 * jobs do not have, job by job. $1 is the name of the task, which the migration has added; without it the insert fails.
 */
const insertJobs = (rows: string, runAt: string): string =>
  `INSERT INTO graphile_worker._private_jobs (task_id, payload, run_at, max_attempts, priority)
   SELECT (SELECT id FROM graphile_worker._private_tasks WHERE identifier = $1), j.payload::json, ${runAt}, $4::int2, $5::int2
   FROM ${rows}`;

/** Tells the workers that a number of jobs is due. They find jobs of later by themselves. */
const announced = (insert: string, count: string): string =>
  `WITH added AS (${insert})
   SELECT pg_notify('jobs:insert', json_build_object('r', random(), 'count', ${count})::text) WHERE ${count} > 0`;

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

const settingsOf = (name: JobName): number[] => [MAX_JOB_ATTEMPTS, PRIORITIES[name] ?? 0];

/**
 * Adds a job in the transaction of `tx`.
 * @param options `runAt`: a time of this process's clock; the job is due after the same duration by the database's
 *   clock, which the queue uses. Null: at once after the commit. `key`: replaces a waiting job with the same key.
 *   Without a key no other transaction waits for a lock of this one.
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
             run_at := clock_timestamp() + $3::float8 * interval '1 millisecond', max_attempts := $4, priority := $5::int, job_key := $6)`,
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
  const due = added.filter(({ runAt }) => runAt === null).length;
  await tx.query({
    name: "jobs.add_many",
    text: ADD_MANY,
    values: [name, ...addedJobs.values(added), ...settingsOf(name), due],
  });
}

/** Adds jobs of later, for a caller that may do their work before. @returns their ids, in any order. */
export async function addKnownJobs<Name extends JobName>(
  tx: Queryable,
  name: Name,
  added: readonly { payload: JobPayload<Name>; runAt: Date }[],
): Promise<{ id: string; payload: JobPayload<Name> }[]> {
  if (added.length === 0) return [];
  const { rows } = await tx.query<{ id: string; payload: JobPayload<Name> }>({
    name: "jobs.add_known",
    text: ADD_KNOWN,
    values: [name, ...addedJobs.values(added), ...settingsOf(name)],
  });
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

/** Adds jobs that are due at times that callers named: the queue compares these with the database's clock as they are. */
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
