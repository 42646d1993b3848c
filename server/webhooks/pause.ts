/** Pauses and resumes endpoints by hand. */
import { inAccountQueue } from "../accounts/account-queue";
import { recordAudit } from "../audit/store";
import { transactionBy } from "../auth/authority";
import type { AccountActor } from "../core/actor";
import type { Tx } from "../core/db";
import { errorFields, log } from "../core/log";
import { releaseParked, STEPS_OF_A_CALL } from "./history/release";
import { isPaused } from "./present";
import type { WebhookEndpoint } from "./schema";
import { endpointIsDisabled, getEndpoint, lockEndpoint } from "./service";
import { parkAllPending } from "./store";

const ACTIVE = { is_active: true };
const INACTIVE = { is_active: false };

/**
 * Pauses an endpoint: its events are parked until it is resumed. Requests that are under way are neither ended nor repeated; jobs
 * that send to it learn of the pause within a second. An endpoint that is paused or disabled is left unchanged.
 * @throws 404
 */
export async function pauseEndpoint(actor: AccountActor, id: string): Promise<WebhookEndpoint> {
  const { accountId } = actor;
  const pause = async (tx: Tx) => {
    const { isActive } = await lockEndpoint(tx, actor, id);
    if (!isActive) return;
    await tx.query(
      `UPDATE webhook_endpoints e SET is_active = false, disabled_at = t.now, disabled_reason = NULL, paused_at = t.now, paused_by = $2,
         resume_from = coalesce(e.resume_from, t.now)
       FROM (SELECT date_trunc('milliseconds', clock_timestamp()) AS now) t WHERE e.id = $1`,
      [id, actor.kind === "apiKey" ? actor.keyId : actor.userId],
    );
    const change = { action: "endpoint.paused", accountId, subjectId: id } as const;
    await recordAudit(tx, actor, { ...change, before: ACTIVE, after: INACTIVE });
  };
  await inAccountQueue(accountId, () => transactionBy(actor, pause));
  // Deliveries that this leaves are parked when their tries are due.
  await whatCanWait("webhooks.parking_interrupted", id, () =>
    parkAllPending(id, { stepsMax: STEPS_OF_A_CALL, inTurn: (step) => inAccountQueue(accountId, step) }),
  );
  return getEndpoint(actor, id);
}

/**
 * Resumes a paused endpoint: it gets events from now on, and those that the pause has parked are sent, in the next round of
 * tries. Deliveries that were parked before the pause stay parked. An active endpoint and its failure count are left unchanged.
 * @throws 404, and 400 `endpoint_disabled` when it was disabled by failures
 */
export async function resumeEndpoint(actor: AccountActor, id: string): Promise<WebhookEndpoint> {
  const { accountId } = actor;
  const resume = async (tx: Tx) => {
    const endpoint = await lockEndpoint(tx, actor, id, "UPDATE");
    if (endpoint.isActive) return;
    if (!isPaused(endpoint)) throw endpointIsDisabled(false);
    await tx.query(
      `UPDATE webhook_endpoints SET is_active = true, failure_count = 0, disabled_at = NULL, disabled_reason = NULL,
         paused_at = NULL, paused_by = NULL, generation = generation + 1 WHERE id = $1`,
      [id],
    );
    const change = { action: "endpoint.resumed", accountId, subjectId: id } as const;
    await recordAudit(tx, actor, { ...change, before: INACTIVE, after: ACTIVE });
  };
  await inAccountQueue(accountId, () => transactionBy(actor, resume));
  await whatCanWait("webhooks.release_interrupted", id, () =>
    releaseParked(id, { stepsMax: STEPS_OF_A_CALL, inTurn: (step) => inAccountQueue(accountId, step) }),
  );
  return getEndpoint(actor, id);
}

/** Does work that is done later if it fails now: the endpoint is paused or resumed already. */
async function whatCanWait(event: string, endpointId: string, run: () => Promise<unknown>): Promise<void> {
  await run().catch((thrown) => log("warn", event, { endpoint: endpointId, ...errorFields(thrown) }));
}
