import { afterEach } from "vitest";
import { pool, transaction } from "@/server/core/db";
import { newId } from "@/server/core/ids";
import { type JobPayload, jobs } from "@/server/core/jobs";
import { eventTypeFor, type MessageStatus } from "@/server/messages/status";
import { recordEvents } from "@/server/webhooks/delivery/outbox";
import { createEndpoint } from "@/server/webhooks/service";
import { recordWaiting } from "@/server/webhooks/store";
import { deliverWebhooks } from "@/server/webhooks/tasks";
import { type Responder, startReceiver } from "../network/receiver";
import { unstalled } from "../network/stalls";
import { makeAccount, type TestAccount } from "./seed";

export type TestWebhook = Awaited<ReturnType<typeof startWebhook>>;

/** Starts a receiver, with a new account that has an endpoint there. */
export async function startWebhook(answer?: Responder) {
  const receiver = await startReceiver(answer);
  const account = await makeAccount();
  const endpoint = await createEndpoint(account.actor, { url: receiver.url });
  return { account, endpoint, receiver };
}

/**
 * For a test file with webhooks: closes their receivers after each test.
 * @returns {@link startWebhook}.
 */
export function webhooksOfFile(): typeof startWebhook {
  const started: TestWebhook[] = [];
  afterEach(async () => {
    await Promise.all(started.splice(0).map(({ receiver }) => receiver.close()));
  });
  return async (answer) => {
    const webhook = await startWebhook(answer);
    started.push(webhook);
    return webhook;
  };
}

/** Inserts messages of the account with `status`, without a send; returns their ids. */
export async function makeMessages(
  account: Pick<TestAccount, "accountId" | "senderId">,
  count: number,
  status: MessageStatus = "sent",
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId("message"));
  await pool().query(
    `INSERT INTO messages (id, account_id, to_number, from_sender, body, encoding, segments, status, cost_micros, currency,
       chain, provider, provider_message_id, attempts, reference, created_at, sent_at, delivered_at, failed_at,
       error_code, error_message)
     SELECT id, $2, '+14155550123', $3, 'Grüße', 'GSM-7', 1, $4, 10000, 'USD', '{sandbox}', 'sandbox', 'up-' || id, 1,
       'order 7', now(), now(), CASE WHEN $4 = 'delivered' THEN now() END, CASE WHEN $4 = 'failed' THEN now() END,
       CASE WHEN $4 = 'failed' THEN 'rejected' END, CASE WHEN $4 = 'failed' THEN 'Refused by the carrier.' END
     FROM unnest($1::text[]) AS id`,
    [ids, account.accountId, account.senderId, status],
  );
  return ids;
}

/** Raises the event of `status` for every message, as the transaction that moves them does. */
export async function raiseEvents(
  account: Pick<TestAccount, "accountId">,
  messageIds: readonly string[],
  status: MessageStatus = "sent",
  at = new Date(),
): Promise<void> {
  const type = eventTypeFor(status);
  if (!type) throw new Error(`No event is raised for ${status}.`);
  await transaction((tx) =>
    recordEvents(
      tx,
      messageIds.map((messageId) => ({ accountId: account.accountId, messageId, type, status, at })),
    ),
  );
}

export type WaitingJob = { payload: JobPayload<"deliver_webhooks">; runAt: Date };

/** Takes the delivery jobs of an endpoint off the queue, in the order in which they are due. */
export const takeDeliveryJobs = (endpointId: string): Promise<WaitingJob[]> =>
  readJobs(
    `DELETE FROM graphile_worker._private_jobs WHERE payload->>'endpointId' = $1 RETURNING payload, run_at AS "runAt"`,
    endpointId,
  );

/** The delivery jobs of an endpoint, which stay in the queue. */
export const deliveryJobsOf = (endpointId: string): Promise<WaitingJob[]> =>
  readJobs(
    `SELECT payload, run_at AS "runAt" FROM graphile_worker._private_jobs WHERE payload->>'endpointId' = $1`,
    endpointId,
  );

async function readJobs(text: string, endpointId: string): Promise<WaitingJob[]> {
  const { rows } = await pool().query<{ payload: unknown; runAt: Date }>(text, [endpointId]);
  return rows
    .map((row) => ({ payload: jobs.deliver_webhooks.parse(row.payload), runAt: row.runAt }))
    .sort((one, other) => one.runAt.getTime() - other.runAt.getTime());
}

/** Inserts rows for the deliveries of waiting jobs, as happens when they wait for long. */
export async function recordWaitingOf(endpointId: string): Promise<void> {
  const { rows } = await pool().query<{ payload: unknown }>(
    "SELECT payload FROM graphile_worker._private_jobs WHERE payload->>'endpointId' = $1",
    [endpointId],
  );
  for (const { payload } of rows) await recordWaiting(endpointId, jobs.deliver_events.parse(payload).deliveryIds);
}

/** Runs the jobs that wait for the endpoint now, even if they are not due; returns their due times. */
export async function runDeliveryJobs(
  endpointId: string,
  options?: Parameters<typeof deliverWebhooks>[1],
): Promise<Date[]> {
  const waiting = await takeDeliveryJobs(endpointId);
  for (const { payload } of waiting) await unstalled(() => deliverWebhooks(payload, options));
  return waiting.map((job) => job.runAt);
}

export type DeliveryState = {
  id: string;
  eventId: string;
  status: string;
  round: number;
  attempts: number;
  nextAttemptAt: Date | null;
  finishedAt: Date | null;
};

/** The stored deliveries of an endpoint, oldest first; deliveries that wait for their first try exist only in jobs. */
export async function deliveriesOf(endpointId: string): Promise<DeliveryState[]> {
  const { rows } = await pool().query<DeliveryState>(
    `SELECT id, event_id AS "eventId", status, round, attempts, next_attempt_at AS "nextAttemptAt", finished_at AS "finishedAt"
     FROM webhook_deliveries WHERE endpoint_id = $1 ORDER BY id`,
    [endpointId],
  );
  return rows;
}

export type StoredTry = {
  round: number;
  attempt: number;
  statusCode: number | null;
  error: string | null;
  responseHead: string | null;
};

/** Tries of every delivery of an endpoint, including first tries that were acknowledged. */
export async function triesOf(endpointId: string): Promise<StoredTry[]> {
  const { rows } = await pool().query<StoredTry>(
    `SELECT round, attempt, "statusCode", error, "responseHead" FROM (
       SELECT d.id, t.round, t.attempt, t.status_code AS "statusCode", t.error, t.response_head AS "responseHead"
       FROM webhook_tries t JOIN webhook_deliveries d ON d.id = t.delivery_id WHERE d.endpoint_id = $1
       UNION ALL
       SELECT id, 0, 1, status_code, NULL, response_head FROM webhook_deliveries
       WHERE endpoint_id = $1 AND latency_ms IS NOT NULL) made
     ORDER BY id, round, attempt`,
    [endpointId],
  );
  return rows;
}

/** Stores messages of the webhook's account as sent, and raises their events. */
export const raiseSent = async ({ account }: Pick<TestWebhook, "account">, count = 1): Promise<void> =>
  raiseEvents(account, await makeMessages(account, count));
