import type { Task, TaskList } from "graphile-worker";
import { forgetIdempotencyKeys, watchLedger } from "../server/accounts/tasks";
import { forgetAlerts, postAlert, sweepAlerts } from "../server/alerts/tasks";
import { digestAudit, forgetAudit } from "../server/audit/tasks";
import { forgetSignIns, mailPasswordReset } from "../server/auth/tasks";
import { type JobName, type JobOf, type JobPayload, jobs, type QueueName } from "../server/core/jobs";
import { errorFields, log } from "../server/core/log";
import { inSpan } from "../server/core/spans";
import { takeInbound } from "../server/inbound/tasks";
import { foldListTotals, markLists } from "../server/lists/tasks";
import { forgetMails, sendMail } from "../server/mail/tasks";
import { dispatchMessages, forgetCallbacks, rejoin, sweepMessages, takeReceipts } from "../server/messages/tasks";
import { noteJob, spanOfJob } from "../server/observability/tasks";
import { forgetRequests } from "../server/request-log/tasks";
import { forgetOldData } from "../server/retention/tasks";
import { autoApproveSender } from "../server/senders/tasks";
import { continueRecovery, deliverWebhooks, sweepWebhooks } from "../server/webhooks/tasks";
import { divideJob } from "./divide";
import { exclusively } from "./lease";
import { isReplaced } from "./replaced-jobs";

/** Returned by a job that did nothing, because another run of it was in progress. */
const SKIPPED = Symbol("skipped");

/**
 * Parses the payload, runs the work and logs the result. A throw returns the job to the queue, unless one of its many items may be to
 * blame: then it is divided. `stop` is aborted when the worker is stopping and should begin nothing more.
 */
const task =
  <Name extends JobName>(name: Name, run: (payload: JobPayload<Name>, stop: AbortSignal) => Promise<unknown>): Task =>
  async (payload, { job, abortSignal }) => {
    const facts = { task: name, id: String(job.id), attempt: job.attempts, payload, startedAt: performance.now() };
    try {
      const parsed = jobs[name].parse(payload) as JobPayload<Name>;
      const result = await inSpan(
        () => spanOfJob(facts),
        () => run(parsed, abortSignal),
      );
      noteJob(facts, result === SKIPPED ? "skipped" : "done");
    } catch (thrown) {
      noteJob(facts, "failed");
      const run = { job: name, id: job.id, attempt: job.attempts, ...errorFields(thrown) };
      const items = await divideJob(name, payload, { thrown, attempt: job.attempts }).catch(() => null);
      if (items !== null) return log("warn", "job.divided", { ...run, items });
      log("error", "job.failed", run);
      if (!(await isReplaced(String(job.id)).catch(() => false))) throw thrown;
    }
  };

/** A recurring job, of which at most one run is in progress in all workers. */
const recurringTask = (name: JobName, run: (stop: AbortSignal) => Promise<unknown>): Task =>
  task(name, async (_, stop) => ((await exclusively(name, () => run(stop))) ? null : SKIPPED));

/** The tasks of a queue: exactly those of its index. */
type TasksOf<Queue extends QueueName> = Record<JobOf<Queue>, Task>;

/** Dispatch mostly waits for providers, so it has its own queue and runs many jobs concurrently. */
export const dispatchTasks = {
  dispatch_messages: task("dispatch_messages", dispatchMessages),
} satisfies TasksOf<"dispatch">;

/** Receipts, replies, sender reviews and forgotten passwords: short work that people wait for. */
export const receiptTasks = {
  apply_receipts: task("apply_receipts", takeReceipts),
  join_receipts: task("join_receipts", rejoin),
  apply_inbound: task("apply_inbound", takeInbound),
  request_password_reset: task("request_password_reset", mailPasswordReset),
  review_sender: task("review_sender", autoApproveSender),
} satisfies TasksOf<"receipts">;

/** Jobs of every minute. Late messages, refunds and alerts wait for them, so no other job may delay them. */
export const sweepTasks = {
  sweep_messages: recurringTask("sweep_messages", sweepMessages),
  sweep_webhooks: recurringTask("sweep_webhooks", sweepWebhooks),
  sweep_alerts: recurringTask("sweep_alerts", sweepAlerts),
  fold_list_totals: recurringTask("fold_list_totals", foldListTotals),
  digest_audit: recurringTask("digest_audit", digestAudit),
} satisfies TasksOf<"sweeps">;

/** Jobs of every hour, which may take long and so have their own queue. */
export const housekeepingTasks = {
  check_ledger: recurringTask("check_ledger", watchLedger),
  forget_idempotency_keys: recurringTask("forget_idempotency_keys", forgetIdempotencyKeys),
  forget_callbacks: recurringTask("forget_callbacks", forgetCallbacks),
  forget_audit: recurringTask("forget_audit", forgetAudit),
  forget_requests: recurringTask("forget_requests", forgetRequests),
  forget_mails: recurringTask("forget_mails", forgetMails),
  forget_alerts: recurringTask("forget_alerts", forgetAlerts),
  forget_sign_ins: recurringTask("forget_sign_ins", forgetSignIns),
  forget_old_data: recurringTask("forget_old_data", forgetOldData),
  mark_lists: recurringTask("mark_lists", markLists),
} satisfies TasksOf<"housekeeping">;

/** Webhooks and emails wait for foreign servers, so they have their own queue and run many jobs concurrently. */
export const webhookTasks = {
  post_alert: task("post_alert", postAlert),
  send_mail: task("send_mail", sendMail),
  deliver_events: task("deliver_events", (payload, signal) => deliverWebhooks(payload, { signal })),
  deliver_webhooks: task("deliver_webhooks", (payload, signal) => deliverWebhooks(payload, { signal })),
  recover_deliveries: task("recover_deliveries", continueRecovery),
} satisfies TasksOf<"webhooks">;

// Every job name has exactly one task, and no task lacks a job name.
({ ...dispatchTasks, ...receiptTasks, ...sweepTasks, ...housekeepingTasks, ...webhookTasks }) satisfies TaskList &
  Record<JobName, Task>;
