import { inAccountQueue } from "../../accounts/account-queue";
import type { AccountActor } from "../../core/actor";
import { transaction } from "../../core/db";
import { type ApiError, invalidRequest, isApiError, serviceUnavailable } from "../../core/errors";
import { isEvent } from "../derived-ids";
import type { RecoverInput, WebhookRecovery } from "../schema";
import { noSuchEndpoint } from "../service";
import { findForgottenTexts } from "./forgotten-texts";
import { queueAgain, SEND_AGAIN, type SentAgain } from "./send-again";

type Missed = Position & { messageId: string };
/** The last delivery of the previous step, in the order of `createdAt`, then id. */
type Position = { createdAt: Date; id: string };

/** `count`: deliveries that were recovered; `last`: the last one that was read, null when there was none. */
type Step = { count: number; last: Position | null };

const RECOVERED_PER_STEP = 1_000;

/**
 * Sends missed events again: deliveries since `since` that are parked or abandoned begin the next round of tries, those with a
 * request still under way after that request, if it fails. Each step
 * is a transaction with its jobs, so an interrupted call has done part of the work and the next one does the rest;
 * concurrent calls share it. Events of messages whose text was deleted stay as they are. Ends early when the endpoint is
 * disabled meanwhile.
 * @throws 404, and 400 `endpoint_disabled`; 503 `recovery_interrupted` when a step fails after others recovered deliveries.
 */
export async function recoverDeliveries(actor: AccountActor, input: RecoverInput): Promise<WebhookRecovery> {
  // No delivery is older than 1970, and PostgreSQL has no year 0.
  let after: Position = { createdAt: new Date(Math.max(Date.parse(input.since), 0)), id: "" };
  let count = 0;
  for (let isFirst = true; ; isFirst = false) {
    const position = after;
    const step = await inAccountQueue(actor.accountId, () => recoverStep(actor.accountId, input.id, position)).catch(
      (thrown) => {
        throw count > 0 && isApiError(thrown) ? interrupted(count, thrown) : thrown;
      },
    );
    if (isFirst && step === "missing") throw noSuchEndpoint();
    if (isFirst && step === "disabled") {
      throw invalidRequest("This endpoint is disabled. Enable it first.", { param: "id", reason: "endpoint_disabled" });
    }
    if (typeof step === "string" || !step.last) return { object: "webhook_recovery", recovered: count };
    count += step.count;
    after = step.last;
  }
}

const RETRY_AFTER_S = 1;

/** Replaces the failure of a later step, which would say that nothing was carried out, although earlier steps were. */
const interrupted = (recovered: number, cause: ApiError) =>
  serviceUnavailable("Only a part of the deliveries was recovered. Repeat the request: it recovers the rest.", {
    reason: "recovery_interrupted",
    details: { recovered },
    retryAfterS: cause.retryAfterS ?? RETRY_AFTER_S,
    cause,
  });

/** One step, under the endpoint's lock like every change of deliveries. */
const recoverStep = (accountId: string, endpointId: string, after: Position): Promise<Step | "missing" | "disabled"> =>
  transaction(async (tx) => {
    const { rows: endpoints } = await tx.query<{ isActive: boolean }>({
      name: "webhooks.lock_own_endpoint",
      text: `SELECT is_active AS "isActive" FROM webhook_endpoints
             WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL FOR NO KEY UPDATE`,
      values: [endpointId, accountId],
    });
    const [endpoint] = endpoints;
    if (!endpoint) return "missing";
    if (!endpoint.isActive) return "disabled";
    const missed = await tx.query<Missed>({
      name: "webhooks.missed_deliveries",
      text: `SELECT d.id, d.created_at AS "createdAt", e.message_id AS "messageId"
             FROM webhook_deliveries d
             CROSS JOIN LATERAL (SELECT message_id FROM events e WHERE ${isEvent("e", "d.account_id", "d.event_id")} OFFSET 0) e
             WHERE d.endpoint_id = $1 AND d.status IN ('held', 'abandoned') AND (d.created_at, d.id) > ($2::timestamptz, $3)
             ORDER BY d.created_at, d.id LIMIT $4`,
      values: [endpointId, after.createdAt.toISOString(), after.id, RECOVERED_PER_STEP],
    });
    const forgotten = await findForgottenTexts(tx, [...new Set(missed.rows.map(({ messageId }) => messageId))]);
    const { rows } = await tx.query<SentAgain>({
      name: "webhooks.recover_deliveries",
      // Written this way, the status matches no partial index, which would be searched once for each of its deliveries.
      text: `WITH former AS (
               SELECT * FROM webhook_deliveries WHERE id = ANY($1::text[]) AND status || '' IN ('held', 'abandoned')
             ), ${SEND_AGAIN}`,
      values: [missed.rows.flatMap(({ id, messageId }) => (forgotten.has(messageId) ? [] : [id]))],
    });
    const recovered = rows.sort(
      (one, other) => one.createdAt.getTime() - other.createdAt.getTime() || (one.id < other.id ? -1 : 1),
    );
    await queueAgain(tx, recovered);
    return { count: recovered.length, last: missed.rows.at(-1) ?? null };
  });
