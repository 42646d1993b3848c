import { inAccountQueue } from "../../accounts/account-queue";
import type { AccountActor } from "../../core/actor";
import { transaction } from "../../core/db";
import { type ApiError, isApiError, serviceUnavailable } from "../../core/errors";
import { IS_PAUSED } from "../present";
import type { RecoverInput, WebhookRecovery } from "../schema";
import { endpointIsDisabled, noSuchEndpoint } from "../service";
import { type Position, type Step, sendMissedAgain } from "./missed";

/**
 * Sends missed events again: parked and abandoned deliveries since `since` begin the next round of tries; those with a request
 * still under way do so after it, if it fails. Each step is a transaction with its jobs, so the next call does the rest of an
 * interrupted one; concurrent calls share the work. Events of messages whose text was deleted are left alone. Ends early when
 * the endpoint is disabled meanwhile.
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
    if (isFirst && typeof step === "string") throw endpointIsDisabled(step === "paused");
    if (typeof step === "string" || !step.last) return { object: "webhook_recovery", recovered: count };
    count += step.count;
    after = step.last;
  }
}

const RETRY_AFTER_S = 1;

/** Replaces the failure of a later step, which would say that nothing was carried out although earlier steps were. */
const interrupted = (recovered: number, cause: ApiError) =>
  serviceUnavailable("Only a part of the deliveries was recovered. Repeat the request: it recovers the rest.", {
    reason: "recovery_interrupted",
    details: { recovered },
    retryAfterS: cause.retryAfterS ?? RETRY_AFTER_S,
    cause,
  });

/** One step, under the endpoint's lock like every change of deliveries. */
const recoverStep = (
  accountId: string,
  endpointId: string,
  after: Position,
): Promise<Step | "missing" | "disabled" | "paused"> =>
  transaction(async (tx) => {
    const { rows: endpoints } = await tx.query<{ isActive: boolean; isPaused: boolean }>({
      name: "webhooks.lock_own_endpoint",
      text: `SELECT is_active AS "isActive", ${IS_PAUSED} AS "isPaused" FROM webhook_endpoints e
             WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL FOR NO KEY UPDATE`,
      values: [endpointId, accountId],
    });
    const [endpoint] = endpoints;
    if (!endpoint) return "missing";
    if (!endpoint.isActive) return endpoint.isPaused ? "paused" : "disabled";
    return sendMissedAgain(tx, endpointId, after);
  });
