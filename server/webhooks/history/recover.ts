import { inAccountQueue } from "../../accounts/account-queue";
import { transactionBy } from "../../auth/authority";
import type { AccountActor } from "../../core/actor";
import { addJob } from "../../core/add-jobs";
import { transaction } from "../../core/db";
import { type ApiError, isApiError, serviceUnavailable } from "../../core/errors";
import type { JobPayload } from "../../core/jobs";
import { log } from "../../core/log";
import { IS_PAUSED } from "../present";
import type { RecoverInput, WebhookRecovery } from "../schema";
import { endpointIsDisabled, noSuchEndpoint } from "../service";
import { type Position, sendMissedAgain } from "./missed";
import { STEPS_OF_A_CALL } from "./release";

type Options = {
  /** How many steps are made at most. A job does the rest. */
  stepsMax?: number;
};

/**
 * Sends missed events again: parked and abandoned deliveries since `since` begin the next round of tries; those with a request
 * still under way do so after it, if it fails. Each step is a transaction with its jobs, so the next call does the rest of an
 * interrupted one; concurrent calls share the work. Events of messages whose text was deleted are left alone. Ends early when
 * the endpoint is disabled meanwhile. The last step that a call may make commits the job that continues behind it.
 * @returns how many were sent again by this call.
 * @throws 404, and 400 `endpoint_disabled`; 503 `recovery_interrupted` when a step fails after others recovered deliveries.
 */
export async function recoverDeliveries(
  actor: AccountActor,
  input: RecoverInput,
  { stepsMax = STEPS_OF_A_CALL }: Options = {},
): Promise<WebhookRecovery> {
  // No delivery is older than 1970, and PostgreSQL has no year 0.
  let after: Position | null = { createdAt: new Date(Math.max(Date.parse(input.since), 0)), id: "" };
  let count = 0;
  for (let steps = 1; after !== null; steps += 1) {
    const recovery: Recovery = { accountId: actor.accountId, endpointId: input.id, after };
    // The first step accepts the request; a job would do the others too.
    const run: typeof transaction = steps === 1 ? (work) => transactionBy(actor, work) : transaction;
    const step = await inAccountQueue(actor.accountId, () => recoverStep(recovery, steps >= stepsMax, run)).catch(
      (thrown) => {
        throw count > 0 && isApiError(thrown) ? interrupted(count, thrown) : thrown;
      },
    );
    if (steps === 1 && step === "missing") throw noSuchEndpoint();
    if (steps === 1 && typeof step === "string") throw endpointIsDisabled(step === "paused");
    if (typeof step === "string") break;
    count += step.count;
    after = step.next;
  }
  return { object: "webhook_recovery", recovered: count };
}

/**
 * The task of `recover_deliveries`: continues a recovery that was too long for its call. Its last step commits the job that
 * continues behind it. It may run twice: what was sent again is pending, and is left out.
 * @param signal no step begins once it is aborted; a job does the rest.
 */
export async function continueRecovery(
  { accountId, endpointId, createdAt, id }: JobPayload<"recover_deliveries">,
  signal?: AbortSignal,
  { stepsMax = STEPS_OF_A_CALL }: Options = {},
): Promise<void> {
  let after: Position | null = { createdAt: new Date(createdAt), id };
  let count = 0;
  for (let steps = 1; after !== null; steps += 1) {
    const isLast = steps >= stepsMax || signal?.aborted === true;
    const step: Step | Closed = await recoverStep({ accountId, endpointId, after }, isLast);
    if (typeof step === "string") break;
    count += step.count;
    after = step.next;
  }
  if (count > 0) log("info", "webhooks.recovery_continued", { endpoint: endpointId, count });
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

type Recovery = { accountId: string; endpointId: string; after: Position };
type Closed = "missing" | "disabled" | "paused";
/** `next`: where the next step begins; null: there is none, or a job makes it. */
type Step = { count: number; next: Position | null };

/** One step, under the endpoint's lock like every change of deliveries. @param isLast a job continues behind it. */
const recoverStep = (
  { accountId, endpointId, after }: Recovery,
  isLast: boolean,
  run = transaction,
): Promise<Step | Closed> =>
  run(async (tx) => {
    const { rows: endpoints } = await tx.query<{ isActive: boolean; isPaused: boolean }>({
      name: "webhooks.lock_own_endpoint",
      text: `SELECT is_active AS "isActive", ${IS_PAUSED} AS "isPaused" FROM webhook_endpoints e
             WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL FOR NO KEY UPDATE`,
      values: [endpointId, accountId],
    });
    const [endpoint] = endpoints;
    if (!endpoint) return "missing";
    if (!endpoint.isActive) return endpoint.isPaused ? "paused" : "disabled";
    const { count, last } = await sendMissedAgain(tx, endpointId, after);
    if (!isLast || !last) return { count, next: last };
    const position = { createdAt: last.createdAt.toISOString(), id: last.id };
    await addJob(tx, "recover_deliveries", { accountId, endpointId, ...position });
    return { count, next: null };
  });
