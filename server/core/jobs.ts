/**
 * Terms.
 * - job: one row in graphile-worker's table: a task's name and a payload of ids. Added in the transaction of the change
 *   that it follows from, so it exists exactly when that change does (transactional outbox).
 * - task: the function that a job's name stands for (worker/tasks.ts).
 * - batch: most jobs carry many ids; a task finishes or re-schedules every one of them before it returns.
 * A task must stand being run twice: a worker that dies leaves its jobs to the next one.
 */
import { z } from "zod";
import { msUntil } from "./clock";
import type { Queryable } from "./db";

const ids = z.array(z.string()).min(1).max(2_000);

/** Recurring jobs carry graphile-worker's own `_cron` field and nothing of ours. */
const recurring = z.object({}).loose();

/** What a provider reported about one of its messages, in our words. `occurredAt` is ISO 8601. */
export const ReceiptReport = z.object({
  providerMessageId: z.string().refine((id) => !id.includes("\0")),
  /** Our name for the attempt, where the provider gives it back (server/providers/reference.ts). */
  reference: z.string().nullish(),
  status: z.enum(["sent", "delivered", "failed", "undelivered"]),
  code: z.string().nullable(),
  detail: z.string().nullable(),
  occurredAt: z.iso.datetime({ offset: true }),
});
export type ReceiptReport = z.output<typeof ReceiptReport>;

/** A message from a handset to one of our numbers. Numbers as the provider wrote them, `receivedAt` ISO 8601. */
export const InboundReport = z.object({
  providerMessageId: z.string(),
  from: z.string(),
  to: z.string(),
  text: z.string(),
  receivedAt: z.iso.datetime({ offset: true }),
});
export type InboundReport = z.output<typeof InboundReport>;

/** Payload of each job by name. Payloads outlive a release: a field added later must be optional. */
export const jobs = {
  dispatch_messages: z.object({ messageIds: ids }),
  apply_receipts: z.object({ provider: z.string(), receipts: z.array(ReceiptReport).min(1) }),
  join_receipts: z.object({ provider: z.string(), providerMessageIds: ids }),
  apply_inbound: z.object({ provider: z.string(), messages: z.array(InboundReport).min(1) }),
  /**
   * `attemptsMade`: only the deliveries that have just so many tries of `round` (absent: 0) behind them; absent: those
   * that are due.
   */
  deliver_webhooks: z.object({
    endpointId: z.string(),
    deliveryIds: ids,
    attemptsMade: z.number().int().min(0).optional(),
    round: z.number().int().min(0).optional(),
  }),
  review_sender: z.object({ senderId: z.string() }),
  sweep_messages: recurring,
  sweep_webhooks: recurring,
  check_ledger: recurring,
  fold_list_totals: recurring,
  forget_idempotency_keys: recurring,
  forget_callbacks: recurring,
  forget_sign_ins: recurring,
} as const;

export type JobName = keyof typeof jobs;
export type JobPayload<Name extends JobName> = z.output<(typeof jobs)[Name]>;

/** Tries of a job before graphile-worker gives it up. Only our own crashes and bugs use them up. */
const MAX_JOB_ATTEMPTS = 25;
/** Lower goes first: a receipt must not wait behind a backlog of messages that have not even been sent. */
const PRIORITIES: Partial<Record<JobName, number>> = {
  apply_receipts: -10,
  join_receipts: -10,
  apply_inbound: -10,
};

/**
 * Adds a job in the transaction of `tx`. `runAt` null: as soon as that transaction is committed. It is a time of this
 * process's clock; the job is due as far from now by the database's clock, which the queue goes by. A waiting job with
 * the same `key` is replaced. A transaction that adds several jobs takes no lock that another could wait for.
 */
export async function addJob<Name extends JobName>(
  tx: Queryable,
  name: Name,
  payload: JobPayload<Name>,
  options: { runAt?: Date | null; key?: string } = {},
): Promise<void> {
  await tx.query({
    name: "jobs.add",
    text: `SELECT 1 FROM graphile_worker.add_job($1, $2::json,
             run_at := clock_timestamp() + $3::float8 * interval '1 millisecond', max_attempts := $4, job_key := $5, priority := $6::int)`,
    values: [
      name,
      JSON.stringify(payload),
      options.runAt ? msUntil(options.runAt) : null,
      MAX_JOB_ATTEMPTS,
      options.key ?? null,
      PRIORITIES[name] ?? 0,
    ],
  });
}

/** Adds many jobs of one name in one statement; otherwise as {@link addJob}. */
export async function addJobs<Name extends JobName>(
  tx: Queryable,
  name: Name,
  added: readonly { payload: JobPayload<Name>; runAt: Date | null }[],
): Promise<void> {
  if (added.length === 0) return;
  await tx.query({
    name: "jobs.add_many",
    text: `SELECT count(*) FROM graphile_worker.add_jobs(ARRAY(
             SELECT ROW($1, j.payload::json, NULL, clock_timestamp() + j.wait_ms * interval '1 millisecond', $4::int2, NULL,
               $5::int2, NULL)::graphile_worker.job_spec
             FROM unnest($2::text[], $3::float8[]) AS j (payload, wait_ms)))`,
    values: [
      name,
      added.map((job) => JSON.stringify(job.payload)),
      added.map((job) => (job.runAt ? msUntil(job.runAt) : null)),
      MAX_JOB_ATTEMPTS,
      PRIORITIES[name] ?? 0,
    ],
  });
}
