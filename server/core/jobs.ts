/**
 * Terms.
 * - job: one row in graphile-worker's table: a task's name and a payload of ids. Added in the transaction of the change
 *   that causes it, so it exists exactly when that change does (transactional outbox).
 * - task: the function behind a job's name (worker/tasks.ts).
 * - batch: most jobs carry many ids; a task finishes or re-schedules each of them before it returns.
 * A task must be safe to run twice: the jobs of a dead worker go to another one.
 */
import { z } from "zod";

const ids = z.array(z.string()).min(1).max(2_000);

/** Spans of the callbacks that a job comes from, as `traceparent`; absent when they are not traced. */
const traces = z.array(z.string()).optional();

/** Recurring jobs carry graphile-worker's own `_cron` field and nothing of ours. */
const recurring = z.object({}).loose();

/** A provider's report about one of its messages, translated into our terms. `occurredAt` is ISO 8601. */
export const ReceiptReport = z.object({
  providerMessageId: z.string().refine((id) => !id.includes("\0")),
  /** Our reference to the attempt, if the provider returns it (server/providers/reference.ts). */
  reference: z.string().nullish(),
  status: z.enum(["sent", "delivered", "failed", "undelivered"]),
  code: z.string().nullable(),
  detail: z.string().nullable(),
  occurredAt: z.iso.datetime({ offset: true }),
  /** Number that the report came from, if anybody could have sent it: it must be the message's recipient. */
  recipient: z.string().optional(),
  /** Number that a marked receipt came from: it decides between messages that got the same id from the provider. */
  source: z.string().optional(),
  /** The report is about the whole text, not one part, whatever the provider's reports usually are about. */
  isOfWhole: z.boolean().optional(),
  /** Second and last look: the first one found no message. */
  isLastTry: z.boolean().optional(),
});
export type ReceiptReport = z.output<typeof ReceiptReport>;

/**
 * A message from a handset to one of our numbers. Numbers in the provider's notation, times ISO 8601. `keyword`: the provider's own
 * reading of the text; `occurredAt`: when the provider got it; either is absent if the provider does not say.
 */
export const InboundReport = z.object({
  providerMessageId: z.string(),
  from: z.string(),
  to: z.string(),
  text: z.string(),
  keyword: z.enum(["stop", "start"]).optional(),
  receivedAt: z.iso.datetime({ offset: true }),
  occurredAt: z.iso.datetime({ offset: true }).optional(),
});
export type InboundReport = z.output<typeof InboundReport>;

/**
 * `attemptsMade`: only the deliveries that have made exactly this number of tries in `round` (absent: 0). Without it: all due
 * deliveries. Elsewhere it is called `triesMade`; jobs keep the old name, because versions that run side by side share them.
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
  /** `isLast`: no other job follows for receipts whose message is still unknown. */
  join_receipts: z.object({ provider: z.string(), providerMessageIds: ids, isLast: z.boolean().optional() }),
  apply_inbound: z.object({ provider: z.string(), messages: z.array(InboundReport).min(1), traces }),
  /**
   * First tries of deliveries, most of which have no row yet. Versions that need a row do not know this name. `isRequeued`:
   * the job has already waited for a slot.
   */
  deliver_events: deliveries,
  deliver_webhooks: deliveries,
  /** Continues a recovery behind the delivery `id`, which was created at `createdAt`. */
  recover_deliveries: z.object({
    accountId: z.string(),
    endpointId: z.string(),
    createdAt: z.iso.datetime(),
    id: z.string(),
  }),
  post_alert: z.object({ alertId: z.string() }),
  send_mail: z.object({ mailId: z.string() }),
  /** Anybody can ask for it. The job, not the request, finds out whether the email address exists, so the response does not reveal it. */
  request_password_reset: z.object({ email: z.string(), mailId: z.string() }),
  review_sender: z.object({ senderId: z.string() }),
  sweep_messages: recurring,
  sweep_webhooks: recurring,
  check_ledger: recurring,
  fold_list_totals: recurring,
  digest_audit: recurring,
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

/** Jobs of each queue of the workers. Queues do not wait for each other, and each has its own index. */
export const QUEUES = {
  dispatch: ["dispatch_messages"],
  receipts: ["apply_receipts", "join_receipts", "apply_inbound", "request_password_reset", "review_sender"],
  sweeps: ["sweep_messages", "sweep_webhooks", "sweep_alerts", "fold_list_totals", "digest_audit"],
  housekeeping: [
    "check_ledger",
    "forget_idempotency_keys",
    "forget_callbacks",
    "forget_audit",
    "forget_requests",
    "forget_mails",
    "forget_alerts",
    "forget_sign_ins",
    "forget_old_data",
    "mark_lists",
  ],
  webhooks: ["post_alert", "send_mail", "deliver_events", "deliver_webhooks", "recover_deliveries"],
} as const satisfies Record<string, readonly JobName[]>;
export type QueueName = keyof typeof QUEUES;
/** Names of a queue's jobs. */
export type JobOf<Queue extends QueueName> = (typeof QUEUES)[Queue][number];

export type JobPayload<Name extends JobName> = z.output<(typeof jobs)[Name]>;
