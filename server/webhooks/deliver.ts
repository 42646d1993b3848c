/** Sends deliveries of one endpoint and writes how each ended. No database connection is held while a receiver thinks. */
import { postEvent } from "./post";
import { presentEvent } from "./present";
import { WEBHOOK_TIMEOUT_MS } from "./retry";
import { unsealSecrets } from "./secrets";
import type { Secrets } from "./signature";
import { type DueDelivery, recordOutcome, type Target } from "./store";

/** `limitMs` for each receiver's whole answer; `signal` is aborted when the process is to end. */
export type DeliverOptions = { limitMs?: number; signal?: AbortSignal };

/** `untilMs`: when the last request may be begun; null: whenever. */
type SendOptions = DeliverOptions & { untilMs: number | null };

const PARALLEL_REQUESTS = 16;

/**
 * Sends what is due, up to 16 at once, and returns when every outcome is committed. It stops taking new ones as soon as
 * the endpoint is closed, the time is up or the process is to end.
 * @returns the ids of the deliveries that it did not get to, and whether the endpoint was found closed.
 * @throws what kept an outcome from being written, or a request from being made; such a try does not count.
 */
export async function sendDeliveries(
  target: Target,
  due: readonly DueDelivery[],
  { limitMs = WEBHOOK_TIMEOUT_MS, signal, untilMs }: SendOptions,
): Promise<{ unsentIds: string[]; wasClosed: boolean }> {
  const secrets = unsealSecrets(target);
  const queue = [...due];
  const writes: Promise<void>[] = [];
  let wasClosed = false;
  let isBroken = false;

  async function write(delivery: DueDelivery, result: Awaited<ReturnType<typeof send>>): Promise<void> {
    const isStillOpen = await recordOutcome({
      deliveryId: delivery.deliveryId,
      endpointId: target.id,
      round: delivery.round,
      attempt: delivery.attemptsMade + 1,
      ...result,
    });
    if (!isStillOpen) wasClosed = true;
  }

  const mayBegin = () => !wasClosed && !isBroken && !signal?.aborted && (untilMs === null || Date.now() < untilMs);

  async function pump(): Promise<void> {
    try {
      while (mayBegin()) {
        const delivery = queue.shift();
        if (!delivery) return;
        const result = await send(target, secrets, delivery, limitMs);
        const written = write(delivery, result);
        writes.push(written);
        // A receiver that takes its events need not wait for our books; one that fails may just have been disabled.
        if (!result.acknowledged) await written;
        else written.catch(() => (isBroken = true));
      }
    } catch (thrown) {
      isBroken = true;
      throw thrown;
    }
  }

  const pumps = await Promise.allSettled(Array.from({ length: PARALLEL_REQUESTS }, pump));
  const written = await Promise.allSettled(writes);
  const failed = [...pumps, ...written].find((ended) => ended.status === "rejected");
  if (failed) throw failed.reason;
  return { unsentIds: queue.map((delivery) => delivery.deliveryId), wasClosed };
}

/** Each try is signed anew, over the very bytes that are sent. */
function send(target: Target, secrets: Secrets, delivery: DueDelivery, limitMs: number) {
  const event = {
    id: delivery.eventId,
    type: delivery.eventType,
    status: delivery.eventStatus,
    createdAt: delivery.eventCreatedAt,
  };
  const body = Buffer.from(JSON.stringify(presentEvent(event, delivery)));
  return postEvent({ url: target.url, secrets, eventId: event.id, body }, limitMs);
}
