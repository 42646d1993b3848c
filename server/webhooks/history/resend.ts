import { inAccountQueue } from "../../accounts/account-queue";
import type { AccountActor } from "../../core/actor";
import { addJobs } from "../../core/add-jobs";
import { type Tx, transaction } from "../../core/db";
import { invalidRequest, notFound } from "../../core/errors";
import { jobsFor, type WaitingDelivery } from "../delivery/outbox";
import { isEvent } from "../derived-ids";
import type { ResendInput, WebhookRecovery } from "../schema";
import { noSuchEndpoint } from "../service";
import { INSERT_MOVES } from "../store";
import { findForgottenTexts } from "./forgotten-texts";

/** A try that is due this soon is not brought forward: its job may run already. */
const DUE_SOON = "interval '1 second'";

/**
 * Console: sends deliveries again now, in the next round of tries: those that ended or are parked, and those that wait for
 * a later try. The job of that try finds another round, and does nothing. A delivery whose try is due is left as it is: it is
 * queued or being sent, and would be sent twice at a time. The tries so far stay listed: a first try that stands in the
 * delivery's own row gets a row of its own.
 * @throws 404 when the endpoint does not have one of them, and 400 `endpoint_disabled` or `text_forgotten`; then none is sent.
 */
export async function resendDeliveries(actor: AccountActor, input: ResendInput): Promise<WebhookRecovery> {
  const recovered = await inAccountQueue(actor.accountId, () => queueAgain(actor.accountId, input));
  return { object: "webhook_recovery", recovered };
}

/** Under the endpoint's lock, like every change of deliveries. @returns how many were queued. */
const queueAgain = (accountId: string, { id, delivery_ids }: ResendInput): Promise<number> =>
  transaction(async (tx) => {
    const chosen = [...new Set(delivery_ids)];
    const { rows: endpoints } = await tx.query<{ isActive: boolean; found: number }>({
      name: "webhooks.lock_endpoint_of_deliveries",
      text: `SELECT is_active AS "isActive",
               (SELECT count(*)::int4 FROM webhook_deliveries d WHERE d.id = ANY($3::text[]) AND d.endpoint_id = e.id) AS found
             FROM webhook_endpoints e WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL FOR NO KEY UPDATE`,
      values: [id, accountId, chosen],
    });
    const [endpoint] = endpoints;
    if (!endpoint) throw noSuchEndpoint();
    if (endpoint.found < chosen.length) {
      throw notFound("There is no delivery with one of these ids.", { param: "delivery_ids" });
    }
    if (!endpoint.isActive) {
      throw invalidRequest("This endpoint is disabled. Enable it first.", { param: "id", reason: "endpoint_disabled" });
    }
    if (await isTextForgotten(tx, chosen)) {
      const message =
        "The text of a message was deleted, on request or because of its age: its event can be sent no more.";
      throw invalidRequest(message, { param: "delivery_ids", reason: "text_forgotten" });
    }
    const { rows } = await tx.query<WaitingDelivery>({
      name: "webhooks.resend_deliveries",
      text: `WITH former AS (
               SELECT * FROM webhook_deliveries
               WHERE id = ANY($1::text[]) AND endpoint_id = $2
                 AND (status <> 'pending' OR next_attempt_at > clock_timestamp() + ${DUE_SOON})
             ), kept AS (
               INSERT INTO webhook_tries
                 (delivery_id, round, attempt, status_code, latency_ms, response_head, created_at)
               SELECT id, 0, 1, status_code, latency_ms, response_head, finished_at FROM former WHERE latency_ms IS NOT NULL
             ), moved AS (
               UPDATE webhook_deliveries d
               SET status = 'pending', round = d.round + 1, attempts = 0, finished_at = NULL,
                 status_code = NULL, latency_ms = NULL, response_head = NULL,
                 next_attempt_at = date_trunc('milliseconds', now())
               FROM former WHERE d.id = former.id
               RETURNING d.id, d.endpoint_id, d.round, d.attempts, former.status AS former, d.status
             ), counted AS (
               ${INSERT_MOVES}
             )
             SELECT id, endpoint_id AS "endpointId", round, attempts FROM moved`,
      values: [chosen, id],
    });
    await addJobs(tx, "deliver_webhooks", jobsFor(rows));
    return rows.length;
  });

async function isTextForgotten(tx: Tx, deliveryIds: readonly string[]): Promise<boolean> {
  const { rows } = await tx.query<{ messageId: string }>({
    name: "webhooks.messages_of_deliveries",
    text: `SELECT DISTINCT e.message_id AS "messageId" FROM webhook_deliveries d
           CROSS JOIN LATERAL (SELECT message_id FROM events e WHERE ${isEvent("e", "d.account_id", "d.event_id")} OFFSET 0) e
           WHERE d.id = ANY($1::text[])`,
    values: [deliveryIds],
  });
  const forgotten = await findForgottenTexts(
    tx,
    rows.map(({ messageId }) => messageId),
  );
  return forgotten.size > 0;
}
