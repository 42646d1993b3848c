import { createBatcher, type Settled } from "../core/batcher";
import { MINUTE_MS, now } from "../core/clock";
import { pool } from "../core/db";
import { env } from "../core/env";
import { addJob, addJobs, type JobPayload } from "../core/jobs";
import { perProcess } from "../core/process";
import { type DeliverOptions, sendDeliveries } from "./deliver";
import { createFairSlots, type FairSlots, type Slot, type Work } from "./fair-slots";
import { DELIVERIES_PER_JOB, jobBatches } from "./outbox";
import { WEBHOOK_TIMEOUT_MS } from "./retry";
import { isOpen, loadDue, loadTarget, ownerOf, parkAllPending, parkDeliveries } from "./store";
import { forgetFormerSecrets, requeueStranded } from "./sweep";

type Payload = JobPayload<"deliver_webhooks">;

const DEFERRALS_PER_FLUSH = 500;
/** Between the end of the last request of handed-over work and the job that was queued again for it. */
const MARGIN_MS = 2_000;
/** A delivery that is overdue for so long, and that no job carries, has lost its job. */
const STRANDED_AFTER_MS = 5 * MINUTE_MS;

const slots = (): FairSlots => perProcess("webhooks.slots", () => createFairSlots(env().WEBHOOK_CONCURRENCY));

/**
 * The task of `deliver_webhooks`: sends the deliveries that are due, and schedules the next try of those that fail. A
 * job that finds the lane of its endpoint full, or the share of its account, gives its slot to others at once (see
 * slots.ts).
 * May be run twice: an event may then be sent twice, which receivers expect, but a try never counts twice.
 * @throws only for trouble of our own (database, machine, a stall), so that the job is run again; it uses up no try.
 */
export async function deliverWebhooks(payload: Payload, options: DeliverOptions = {}): Promise<void> {
  const accountId = await ownerOf(payload.endpointId);
  if (accountId === null) return;
  const place = slots().enter(accountId, payload.endpointId);
  const hasRun = place ? await workThrough(accountId, place, { ...payload, untilMs: null }, options) : false;
  if (!hasRun) await standAside(accountId, payload, options);
}

/** Queues the job again and leaves its work to those that run; if there is a place for it by then, it does it after all. */
async function standAside(accountId: string, payload: Payload, options: DeliverOptions): Promise<void> {
  const comesBackAt = await defer({ accountId, payload });
  const untilMs = comesBackAt.getTime() - (options.limitMs ?? WEBHOOK_TIMEOUT_MS) - MARGIN_MS;
  const work = { ...payload, untilMs };
  const place = slots().enter(accountId, payload.endpointId);
  if (place) await workThrough(accountId, place, work, options);
  else slots().delegate(accountId, work, Date.now());
}

/**
 * Does `first`, then what was handed over meanwhile by jobs of the same account, and leaves the place.
 * @returns false when `first` may not be done now because its endpoint fails and another job is at it.
 */
async function workThrough(accountId: string, place: Slot, first: Work, options: DeliverOptions): Promise<boolean> {
  const next = () => (options.signal?.aborted ? null : place.takeNext(Date.now(), DELIVERIES_PER_JOB));
  try {
    for (let work: Work | null = first; work; work = next()) {
      if (await deliver(place, work, options)) continue;
      if (work.untilMs === null) return false;
      // The job that is at it looks for more before it leaves.
      slots().delegate(accountId, { ...work, untilMs: work.untilMs }, Date.now());
    }
    return true;
  } finally {
    place.leave();
  }
}

async function deliver(place: Slot, work: Work, options: DeliverOptions): Promise<boolean> {
  const { untilMs, ...payload } = work;
  const target = await loadTarget(payload.endpointId);
  if (!target) return true;
  let leftIds = payload.deliveryIds;
  let isParked = false;
  if (isOpen(target)) {
    if (!place.mayStart(target.failureCount > 0)) return false;
    const sent = await sendDeliveries(target, await loadDue(payload), { ...options, untilMs });
    isParked = sent.wasClosed && (await parkAllPending(target.id));
    leftIds = sent.unsentIds;
  } else {
    isParked = await parkDeliveries(target.id, leftIds);
  }
  // What is left although the endpoint is open needs a job, unless it has one.
  if (leftIds.length > 0 && !isParked && untilMs === null) {
    await addJob(pool(), "deliver_webhooks", { ...payload, deliveryIds: leftIds });
  }
  return true;
}

type Deferral = { accountId: string; payload: Payload };

/** Queues the work again, for later. @returns when it comes back. */
const defer = (deferral: Deferral): Promise<Date> =>
  perProcess("webhooks.deferrals", () => createBatcher(flushDeferrals, { maxWeight: DEFERRALS_PER_FLUSH }))(deferral);

/** Small jobs that wait for the same endpoint come back as few full ones. */
async function flushDeferrals(deferrals: Deferral[]): Promise<Settled<Date>[]> {
  const groups = new Map<string, Payload & { runAt: Date }>();
  const runAts = deferrals.map(({ accountId, payload }) => {
    const key = `${payload.endpointId} ${payload.round} ${payload.attemptsMade}`;
    const group = groups.get(key) ?? {
      ...payload,
      deliveryIds: [],
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
  await addJobs(pool(), "deliver_webhooks", added);
  return runAts.map((runAt) => ({ ok: true, value: runAt }));
}

/** Every minute: what a crash may have left behind, and secrets whose time is over. */
export async function sweepWebhooks(): Promise<void> {
  await requeueStranded(new Date(now().getTime() - STRANDED_AFTER_MS));
  await forgetFormerSecrets();
}
