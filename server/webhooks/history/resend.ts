import { inAccountQueue } from "../../accounts/account-queue";
import { transactionBy } from "../../auth/authority";
import type { AccountActor } from "../../core/actor";
import type { Tx } from "../../core/db";
import { invalidRequest, notFound } from "../../core/errors";
import { isEvent } from "../derived-ids";
import { IS_PAUSED } from "../present";
import type { ResendInput, WebhookResend } from "../schema";
import { endpointIsDisabled, noSuchEndpoint } from "../service";
import { IS_DUE, IS_UNDER_WAY } from "../store";
import { type DueTries, findDueTries } from "./due-tries";
import { findForgottenTexts } from "./forgotten-texts";
import { queueAgain, SEND_AGAIN, type SentAgain } from "./send-again";

/**
 * Console: sends deliveries again now, in the next round of tries: those that ended or are parked, and those that wait for a
 * later try. The job of that try then finds another round and does nothing. A delivery whose try is due is left alone unless
 * that try was lost: it is queued or being sent, and would be sent twice at the same time. The result says how many were left
 * alone, and when they are tried at the latest. Earlier tries stay listed: a first try in the delivery's own row gets a
 * separate row.
 * @throws 404 when the endpoint does not have one of them, and 400 `endpoint_disabled` or `text_forgotten`; then none is sent.
 */
export async function resendDeliveries(actor: AccountActor, input: ResendInput): Promise<WebhookResend> {
  return inAccountQueue(actor.accountId, () => resend(actor, input));
}

/** Under the endpoint's lock, like every change of deliveries; the queue is read before it is taken. */
const resend = (actor: AccountActor, { id, delivery_ids }: ResendInput): Promise<WebhookResend> =>
  transactionBy(actor, async (tx) => {
    const chosen = [...new Set(delivery_ids)];
    const due = await findDueTries(tx, id, chosen);
    const { rows: endpoints } = await tx.query<{ isActive: boolean; isPaused: boolean; found: number }>({
      name: "webhooks.lock_endpoint_of_deliveries",
      text: `SELECT is_active AS "isActive", ${IS_PAUSED} AS "isPaused",
               (SELECT count(*)::int4 FROM webhook_deliveries d WHERE d.id = ANY($3::text[]) AND d.endpoint_id = e.id) AS found
             FROM webhook_endpoints e WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL FOR NO KEY UPDATE`,
      values: [id, actor.accountId, chosen],
    });
    const [endpoint] = endpoints;
    if (!endpoint) throw noSuchEndpoint();
    if (endpoint.found < chosen.length) {
      throw notFound("There is no delivery with one of these ids.", { param: "delivery_ids" });
    }
    if (!endpoint.isActive) throw endpointIsDisabled(endpoint.isPaused);
    if (await isTextForgotten(tx, chosen)) {
      const message =
        "The text of a message was deleted, on request or because of its age: its event can no longer be sent.";
      throw invalidRequest(message, { param: "delivery_ids", reason: "text_forgotten" });
    }
    const sent = await sendAgain(tx, id, chosen, due.lost);
    await queueAgain(tx, sent);
    return { object: "webhook_recovery", recovered: sent.length, ...leftOf(chosen, sent, due) };
  });

/** @param lost due tries that no job will make; they count only if they have not changed since. */
async function sendAgain(tx: Tx, id: string, chosen: readonly string[], lost: DueTries["lost"]): Promise<SentAgain[]> {
  const { rows } = await tx.query<SentAgain>({
    name: "webhooks.resend_deliveries",
    text: `WITH former AS (
             SELECT * FROM webhook_deliveries
             WHERE id = ANY($1::text[]) AND endpoint_id = $2
               AND (status <> 'pending' OR NOT (${IS_DUE} OR ${IS_UNDER_WAY}) OR (id, round, attempts, next_attempt_at) IN (
                 SELECT * FROM unnest($3::text[], $4::int2[], $5::int2[], $6::timestamptz[])))
           ), kept AS (
             INSERT INTO webhook_tries
               (delivery_id, round, attempt, status_code, latency_ms, response_head, created_at)
             SELECT id, 0, 1, status_code, latency_ms, response_head, finished_at FROM former WHERE latency_ms IS NOT NULL
           ), ${SEND_AGAIN}`,
    values: [
      chosen,
      id,
      lost.map((made) => made.id),
      lost.map((made) => made.round),
      lost.map((made) => made.attempts),
      lost.map((made) => made.nextAttemptAt.toISOString()),
    ],
  });
  return rows;
}

function leftOf(chosen: readonly string[], sent: readonly SentAgain[], { triedBy }: DueTries) {
  const sentIds = new Set(sent.map((each) => each.id));
  const left = chosen.filter((each) => !sentIds.has(each));
  const times = left.flatMap((each) => triedBy.get(each)?.getTime() ?? []);
  return { left: left.length, tried_by: times.length > 0 ? new Date(Math.max(...times)).toISOString() : null };
}

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
