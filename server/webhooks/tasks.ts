import { coalesce, type Settled } from "../core/batch";
import { pool } from "../core/db";
import { addJobs, type JobPayload } from "../core/jobs";
import { perProcess } from "../core/process";
import { type DeliverOptions, sendDeliveries } from "./deliver";
import { createLanes, type Lanes } from "./lanes";
import { jobLots } from "./outbox";
import { isOpen, loadDue, loadTarget, parkAllPending, parkDeliveries } from "./store";

type Payload = JobPayload<"deliver_webhooks">;

const DEFERRALS_PER_FLUSH = 500;

const lanes = (): Lanes => perProcess("webhooks.lanes", () => createLanes());

/**
 * The task of `deliver_webhooks`: sends the deliveries that are due, and schedules the next try of those that fail. A
 * job that finds the lane of its endpoint full comes back in a second or two and gives its slot to others at once.
 * May be run twice: an event may then be sent twice, which receivers expect, but a try never counts twice.
 * @throws only for trouble of our own (database, machine), so that the job is run again; it uses up no try.
 */
export async function deliverWebhooks(payload: Payload, options: DeliverOptions = {}): Promise<void> {
  const { endpointId } = payload;
  const place = lanes().enter(endpointId);
  if (!place) return defer(payload);
  try {
    const target = await loadTarget(endpointId);
    if (!target) return;
    if (!isOpen(target)) return await park(payload);
    if (!place.mayStart(target.failureCount > 0)) return await defer(payload);
    const due = await loadDue(payload);
    const { unsentIds, wasClosed } = await sendDeliveries(target, due, options);
    const isParked = wasClosed && (await parkAllPending(endpointId));
    if (unsentIds.length > 0 && !isParked) await defer({ ...payload, deliveryIds: unsentIds });
  } finally {
    place.leave();
  }
}

/** An endpoint that was opened again in this moment gets its deliveries after all. */
async function park(payload: Payload): Promise<void> {
  if (!(await parkDeliveries(payload.endpointId, payload.deliveryIds))) await defer(payload);
}

const defer = (payload: Payload): Promise<void> =>
  perProcess("webhooks.deferrals", () => coalesce(flushDeferrals, { maxWeight: DEFERRALS_PER_FLUSH }))(payload);

/** Small jobs that wait for the same endpoint come back as few full ones: a lane counts jobs, not deliveries. */
async function flushDeferrals(payloads: Payload[]): Promise<Settled<void>[]> {
  const waiting = new Map<string, Payload>();
  for (const payload of payloads) {
    const group = `${payload.endpointId} ${payload.attemptsMade}`;
    const known = waiting.get(group);
    if (known) known.deliveryIds.push(...payload.deliveryIds);
    else waiting.set(group, { ...payload, deliveryIds: [...payload.deliveryIds] });
  }
  const added = [...waiting.values()].flatMap((payload) =>
    jobLots([...new Set(payload.deliveryIds)]).map((deliveryIds) => ({
      payload: { ...payload, deliveryIds },
      runAt: lanes().comeBackAt(payload.endpointId, Date.now()),
    })),
  );
  await addJobs(pool(), "deliver_webhooks", added);
  return payloads.map(() => ({ ok: true, value: undefined }));
}
