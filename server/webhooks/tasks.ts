import { MINUTE_MS } from "../core/clock";
import { pool } from "../core/db";
import { env } from "../core/env";
import type { JobPayload } from "../core/jobs";
import { defineProcessValue } from "../core/process";
import { runParts } from "../retention/steps";
import type { WaitingJob } from "./delivery/delegated-jobs";
import { type DeliverOptions, type SendOptions, sendDeliveries } from "./delivery/deliver";
import { createFairSlots, type EndpointPace, REQUEUE_AFTER_MS, type Slot } from "./delivery/fair-slots";
import { addDeliveryJobs, DELIVERIES_PER_JOB, isFirstTry } from "./delivery/outbox";
import { pace } from "./delivery/pace";
import { REQUESTS_END_WITHIN_MS, WEBHOOK_TIMEOUT_MS } from "./delivery/retry";
import { eraseExpiredSecrets, requeueOrphanedDeliveries, reviveFirstTries } from "./delivery/sweep";
import { claimJobs, createRequeue, endJobs } from "./delivery/waiting-jobs";
import { releaseInterrupted } from "./history/release";
import {
  isOpen,
  loadDue,
  loadTarget,
  ownerOf,
  parkAllPending,
  parkDeliveries,
  recordWaiting,
  type Target,
} from "./store";

export { continueRecovery } from "./history/recover";

type Payload = JobPayload<"deliver_webhooks">;

/**
 * Delegated deliveries that a slot takes at once: more from a fast endpoint, so that turns stay short for the others.
 */
const QUICK = { withinMs: 1_000, deliveries: 4 * DELIVERIES_PER_JOB };
/** Between the end of a job's last request and the time at which its deliveries may be sent by another job. */
const MARGIN_MS = 2_000;
/** A job begins no request later than this after its own start; the remaining deliveries go to a new job. */
const BEGIN_WITHIN_MS = REQUESTS_END_WITHIN_MS - WEBHOOK_TIMEOUT_MS - MARGIN_MS;
/** A delivery that is overdue by this much and that no job carries has lost its job. */
const ORPHANED_AFTER_MS = 5 * MINUTE_MS;

const slots = defineProcessValue("webhooks.slots", () => createFairSlots(env().WEBHOOK_CONCURRENCY, paceOf));

/** A slot waits for a paced endpoint as long as its job may begin requests; a longer pause is waited for in the queue. */
function paceOf(endpointId: string): EndpointPace {
  if (pace().waitMs(endpointId, performance.now()) >= BEGIN_WITHIN_MS) return "paused";
  return pace().isPaced(endpointId) ? "paced" : "unpaced";
}

const requeue = defineProcessValue("webhooks.requeues", () => createRequeue(slots()));

/**
 * The task of `deliver_events` and `deliver_webhooks`: sends the deliveries that are due, and schedules the next try of those that
 * fail. A job that gets no slot, because its endpoint's slots or its account share are used up, is queued again for later and
 * delegated to the running jobs of its account (fair-slots.ts). When it has waited before, its deliveries get rows, so that lists show
 * them as pending.
 * May run twice: an event may then be sent twice, which receivers expect, but a try never counts twice.
 * @throws only for failures of our own (database, machine, a stall), so that the job is run again; it uses up no try.
 */
export async function deliverWebhooks(payload: Payload, options: DeliverOptions = {}): Promise<void> {
  const { endpointId, deliveryIds } = payload;
  const accountId = await ownerOf(endpointId);
  if (accountId === null) return;
  const slot = slots().acquire(accountId, endpointId);
  if (slot && (await runUntilIdle(accountId, slot, payload, options))) return;
  if (payload.isRequeued && isFirstTry(payload)) await recordWaiting(endpointId, deliveryIds);
  await requeue()({ accountId, payload });
  // A slot may have become free meanwhile, and perhaps no running job would take this one.
  const free = slots().acquire(accountId, endpointId);
  if (free) await runUntilIdle(accountId, free, null, options);
}

/**
 * Delivers `own`, then the jobs of the same account that were delegated meanwhile, and releases the slot.
 * @returns false when `own` may not run now because its endpoint fails and another job is trying it.
 */
async function runUntilIdle(
  accountId: string,
  slot: Slot,
  own: Payload | null,
  options: DeliverOptions,
): Promise<boolean> {
  let startedAt = performance.now();
  const next = () => {
    if (options.signal?.aborted) return [];
    const isQuick = performance.now() - startedAt < QUICK.withinMs;
    startedAt = performance.now();
    return slot.takeNext(Date.now(), isQuick ? QUICK.deliveries : DELIVERIES_PER_JOB);
  };
  try {
    if (own && !(await deliverOwn(slot, own, options))) return false;
    for (let jobs = next(); jobs.length > 0; jobs = next()) {
      if (await deliverDelegated(slot, jobs, options)) continue;
      // The job that is trying the endpoint takes them before it releases its slot.
      for (const job of jobs) slots().delegate(accountId, job, Date.now());
    }
    return true;
  } finally {
    slot.release();
  }
}

/** @returns false when the endpoint fails and another job is trying it. */
async function deliverOwn(slot: Slot, payload: Payload, options: DeliverOptions): Promise<boolean> {
  const target = await loadTarget(payload.endpointId);
  if (!target) return true;
  if (!mayTry(slot, target)) return false;
  const untilMs = performance.now() + (options.beginWithinMs ?? BEGIN_WITHIN_MS);
  const deliveryIds = await deliver(target, payload, { ...options, untilMs });
  if (deliveryIds.length > 0) await addDeliveryJobs(pool(), [{ payload: { ...payload, deliveryIds }, runAt: null }]);
  return true;
}

/** Does the work of waiting jobs, which are alike. @returns false when the endpoint fails and another job is trying it. */
async function deliverDelegated(slot: Slot, jobs: readonly WaitingJob[], options: DeliverOptions): Promise<boolean> {
  const [first] = jobs;
  const target = first && (await loadTarget(first.endpointId));
  if (!target) return true;
  if (!mayTry(slot, target)) return false;
  const untilMs = performance.now() + REQUEUE_AFTER_MS - (options.limitMs ?? WEBHOOK_TIMEOUT_MS) - MARGIN_MS;
  const claimed = await claimJobs(
    jobs.map((job) => job.id),
    REQUEUE_AFTER_MS,
  );
  if (claimed.length === 0) return true;
  const { endpointId, round, triesMade } = first;
  const deliveryIds = claimed.flatMap((job) => job.deliveryIds);
  const leftIds = await deliver(
    target,
    { endpointId, round, attemptsMade: triesMade, deliveryIds },
    { ...options, untilMs },
  );
  // The rest is sent when its job is due.
  if (leftIds.length === 0) await endJobs(claimed.map((job) => job.id));
  return true;
}

const mayTry = (slot: Slot, target: Target): boolean => !isOpen(target) || slot.mayStart(target.failureCount > 0);

/** Sends the deliveries, or parks them if the endpoint is closed. @returns the ids of those that still need a job. */
async function deliver(target: Target, payload: Payload, options: SendOptions): Promise<string[]> {
  if (!isOpen(target)) return (await parkDeliveries(target.id, payload.deliveryIds)) ? [] : payload.deliveryIds;
  const { unsentIds, wasClosed } = await sendDeliveries(target, await loadDue(target.accountId, payload), options);
  return wasClosed && (await parkAllPending(target.id, { unsentIds, signal: options.signal })) ? [] : unsentIds;
}

/**
 * Every minute: requeues deliveries that a crash may have left without a job, revives first tries that were given up, erases
 * expired secrets, and sends what a pause has parked where the call that ended it did not. No step begins once `stop` is aborted.
 */
export const sweepWebhooks = (stop?: AbortSignal): Promise<void> =>
  runParts([
    () => requeueOrphanedDeliveries(ORPHANED_AFTER_MS, { signal: stop }),
    () => reviveFirstTries(ORPHANED_AFTER_MS),
    eraseExpiredSecrets,
    () => releaseInterrupted({ signal: stop }),
  ]);
