import { createBatcher, type Settled } from "../core/batcher";
import { MINUTE_MS, now } from "../core/clock";
import { pool } from "../core/db";
import { env } from "../core/env";
import type { JobPayload } from "../core/jobs";
import { defineProcessValue } from "../core/process";
import { type DeliverOptions, sendDeliveries } from "./delivery/deliver";
import { createFairSlots, type Slot, type Work } from "./delivery/fair-slots";
import { addDeliveryJobs, DELIVERIES_PER_JOB, isFirstTry, jobBatches } from "./delivery/outbox";
import { WEBHOOK_TIMEOUT_MS } from "./delivery/retry";
import { eraseExpiredSecrets, requeueStranded, reviveFirstTries } from "./delivery/sweep";
import { isOpen, loadDue, loadTarget, ownerOf, parkAllPending, parkDeliveries, recordWaiting } from "./store";

type Payload = JobPayload<"deliver_webhooks">;

const REQUEUES_PER_FLUSH = 500;
/** Between the end of the last request of delegated work and its requeued job. */
const MARGIN_MS = 2_000;
/** A delivery that is overdue by this much, and that no job carries, has lost its job. */
const STRANDED_AFTER_MS = 5 * MINUTE_MS;

const slots = defineProcessValue("webhooks.slots", () => createFairSlots(env().WEBHOOK_CONCURRENCY));

/**
 * The task of `deliver_events` and `deliver_webhooks`: sends the deliveries that are due, and schedules the next try of those that fail. A job
 * that gets no slot, because its endpoint's slots or its account share are used up, ends at once (see fair-slots.ts).
 * May run twice: an event may then be sent twice, which receivers expect, but a try never counts twice.
 * @throws only for failures of our own (database, machine, a stall), so that the job is run again; it uses up no try.
 */
export async function deliverWebhooks(payload: Payload, options: DeliverOptions = {}): Promise<void> {
  const accountId = await ownerOf(payload.endpointId);
  if (accountId === null) return;
  const slot = slots().acquire(accountId, payload.endpointId);
  const hasRun = slot ? await runUntilIdle(accountId, slot, { ...payload, untilMs: null }, options) : false;
  if (!hasRun) await requeueAndDelegate(accountId, payload, options);
}

/**
 * Queues the job again and delegates its work to the running jobs, or runs it if a slot has become free meanwhile. When it
 * has waited before, its deliveries get rows, so that lists show them as pending.
 */
async function requeueAndDelegate(accountId: string, payload: Payload, options: DeliverOptions): Promise<void> {
  if (payload.isRequeued && isFirstTry(payload)) await recordWaiting(payload.endpointId, payload.deliveryIds);
  const requeuedAt = await requeue({ accountId, payload });
  const untilMs = requeuedAt.getTime() - (options.limitMs ?? WEBHOOK_TIMEOUT_MS) - MARGIN_MS;
  const work = { ...payload, untilMs };
  const slot = slots().acquire(accountId, payload.endpointId);
  if (slot) await runUntilIdle(accountId, slot, work, options);
  else slots().delegate(accountId, work, Date.now());
}

/**
 * Delivers `first`, then the work delegated meanwhile by jobs of the same account, and releases the slot.
 * @returns false when `first` may not run now because its endpoint fails and another job is trying it.
 */
async function runUntilIdle(accountId: string, slot: Slot, first: Work, options: DeliverOptions): Promise<boolean> {
  const next = () => (options.signal?.aborted ? null : slot.takeNext(Date.now(), DELIVERIES_PER_JOB));
  try {
    for (let work: Work | null = first; work; work = next()) {
      if (await deliver(slot, work, options)) continue;
      if (work.untilMs === null) return false;
      // The job that is trying the endpoint takes this work before it releases its slot.
      slots().delegate(accountId, { ...work, untilMs: work.untilMs }, Date.now());
    }
    return true;
  } finally {
    slot.release();
  }
}

/** @returns false when the endpoint fails and another job is trying it. */
async function deliver(slot: Slot, work: Work, options: DeliverOptions): Promise<boolean> {
  const { untilMs, ...payload } = work;
  const target = await loadTarget(payload.endpointId);
  if (!target) return true;
  let unsentIds = payload.deliveryIds;
  let isParked = false;
  if (isOpen(target)) {
    if (!slot.mayStart(target.failureCount > 0)) return false;
    const sent = await sendDeliveries(target, await loadDue(payload), { ...options, untilMs });
    unsentIds = sent.unsentIds;
    isParked = sent.wasClosed && (await parkAllPending(target.id, unsentIds));
  } else {
    isParked = await parkDeliveries(target.id, unsentIds);
  }
  // Unsent deliveries of an open endpoint need a job; requeued work already has one.
  if (unsentIds.length > 0 && !isParked && untilMs === null) {
    await addDeliveryJobs(pool(), [{ payload: { ...payload, deliveryIds: unsentIds }, runAt: null }]);
  }
  return true;
}

type Requeue = { accountId: string; payload: Payload };

const requeueQueue = defineProcessValue("webhooks.requeues", () =>
  createBatcher(flushRequeues, { maxWeight: REQUEUES_PER_FLUSH }),
);

/** Queues the job again, for later. @returns when it will run. */
const requeue = (job: Requeue): Promise<Date> => requeueQueue()(job);

/** Merges small jobs of one endpoint into a few full ones. */
async function flushRequeues(requeues: Requeue[]): Promise<Settled<Date>[]> {
  const groups = new Map<string, Payload & { runAt: Date }>();
  const runAts = requeues.map(({ accountId, payload }) => {
    const key = `${payload.endpointId} ${payload.round} ${payload.attemptsMade}`;
    const group = groups.get(key) ?? {
      ...payload,
      deliveryIds: [],
      isRequeued: true,
      runAt: slots().requeueAt(accountId, payload.endpointId, Date.now()),
    };
    group.deliveryIds.push(...payload.deliveryIds);
    groups.set(key, group);
    return group.runAt;
  });
  const added = [...groups.values()].flatMap(({ runAt, ...payload }) =>
    jobBatches([...new Set(payload.deliveryIds)]).map((deliveryIds) => ({
      payload: { ...payload, deliveryIds },
      runAt,
    })),
  );
  await addDeliveryJobs(pool(), added);
  return runAts.map((runAt) => ({ ok: true, value: runAt }));
}

/** Every minute: requeues deliveries that a crash may have left without a job, and erases expired secrets. */
export async function sweepWebhooks(): Promise<void> {
  await requeueStranded(new Date(now().getTime() - STRANDED_AFTER_MS));
  await reviveFirstTries(STRANDED_AFTER_MS);
  await eraseExpiredSecrets();
}
