import { inTurn } from "../../accounts/turns";
import type { AccountActor } from "../../core/actor";
import { transaction } from "../../core/db";
import { invalidRequest } from "../../core/errors";
import { addDeliveryJobs, jobsFor, type WaitingDelivery } from "../delivery/outbox";
import type { RecoverInput, WebhookRecovery } from "../schema";
import { noSuchEndpoint } from "../service";
import { INSERT_MOVES } from "../store";

type Recovered = WaitingDelivery & { createdAt: Date };
/** The last delivery of the previous step, in the order of `createdAt`, then id. */
type Position = { createdAt: Date; id: string };

const RECOVERED_PER_STEP = 1_000;

/**
 * Sends missed events again: deliveries since `since` that are held or abandoned begin the next round of tries. Each step
 * is a transaction with its jobs, so an interrupted call has done part of the work and the next one does the rest;
 * concurrent calls share it. Ends early when the endpoint is disabled meanwhile.
 * @throws 404, and 400 `endpoint_disabled`.
 */
export async function recoverDeliveries(actor: AccountActor, input: RecoverInput): Promise<WebhookRecovery> {
  // No delivery is older than 1970, and PostgreSQL has no year 0.
  let after: Position = { createdAt: new Date(Math.max(Date.parse(input.since), 0)), id: "" };
  let count = 0;
  for (let isFirst = true; ; isFirst = false) {
    const position = after;
    const step = await inTurn(actor.accountId, () => recoverStep(actor.accountId, input.id, position));
    if (isFirst && step === "missing") throw noSuchEndpoint();
    if (isFirst && step === "disabled") {
      throw invalidRequest("This endpoint is disabled. Enable it first.", { param: "id", reason: "endpoint_disabled" });
    }
    const last = typeof step === "string" ? undefined : step.at(-1);
    if (!last) return { object: "webhook_recovery", recovered: count };
    count += step.length;
    after = last;
  }
}

/** One step, under the endpoint's lock like every change of deliveries. @returns the recovered deliveries, in order. */
const recoverStep = (
  accountId: string,
  endpointId: string,
  after: Position,
): Promise<Recovered[] | "missing" | "disabled"> =>
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
    const { rows } = await tx.query<Recovered>({
      name: "webhooks.recover_deliveries",
      text: `WITH missed AS (
               SELECT id, status FROM webhook_deliveries
               WHERE endpoint_id = $1 AND status IN ('held', 'abandoned') AND (created_at, id) > ($2::timestamptz, $3)
               ORDER BY created_at, id LIMIT $4
             ), moved AS (
               UPDATE webhook_deliveries d
               SET status = 'pending', round = d.round + 1, attempts = 0, finished_at = NULL,
                 next_attempt_at = date_trunc('milliseconds', now())
               FROM missed WHERE d.id = missed.id
               RETURNING d.id, d.endpoint_id, d.round, d.attempts, d.created_at, missed.status AS former, d.status
             ), counted AS (
               ${INSERT_MOVES}
             )
             SELECT id, endpoint_id AS "endpointId", round, attempts, created_at AS "createdAt" FROM moved`,
      values: [endpointId, after.createdAt.toISOString(), after.id, RECOVERED_PER_STEP],
    });
    const recovered = rows.sort(
      (one, other) => one.createdAt.getTime() - other.createdAt.getTime() || (one.id < other.id ? -1 : 1),
    );
    await addDeliveryJobs(tx, jobsFor(recovered));
    return recovered;
  });
