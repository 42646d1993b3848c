/** Sends deliveries of one endpoint and records their outcomes. No database connection is held during a request. */
import { setTimeout as sleep } from "node:timers/promises";
import { hasStalledSince, stalledMs } from "../../core/deadline";
import { inSpan } from "../../core/spans";
import { observeTry } from "../../observability/messages";
import { presentEvent, presentReceived } from "../present";
import { unsealSecrets } from "../secrets";
import { type DueDelivery, isOpen, loadTarget, type Target } from "../store";
import { pace } from "./pace";
import { postEvent } from "./post";
import { recordOutcome } from "./record-outcome";
import { WEBHOOK_TIMEOUT_MS } from "./retry";
import type { Secrets } from "./signature";

/**
 * `limitMs` for each whole exchange; `signal` is aborted when the process is to end. `beginWithinMs`: see {@link SendOptions};
 * `freshMs`: for how long the endpoint's URL, secrets and state are used before they are read again.
 */
export type DeliverOptions = { limitMs?: number; beginWithinMs?: number; freshMs?: number; signal?: AbortSignal };

/** `untilMs`: no request is begun after this time, by `performance.now()`. */
export type SendOptions = DeliverOptions & { untilMs: number };

const PARALLEL_REQUESTS = 16;
const FRESH_MS = 1_000;

/** The target of a job's requests, with the secrets that sign them. */
type Destination = { endpointId: string; generation: number; url: string | URL; secrets: Secrets };

const destinationOf = (target: Target): Destination => ({
  endpointId: target.id,
  generation: target.generation,
  // A try with a URL that cannot be parsed fails like any other.
  url: URL.canParse(target.url) ? new URL(target.url) : target.url,
  secrets: unsealSecrets(target),
});

/** An endpoint whose URL, secrets and state are read again while a job sends deliveries to it. */
type FreshEndpoint = {
  destination: () => Destination;
  isClosed: () => boolean;
  close: () => void;
  isStale: () => boolean;
  /** Reads the endpoint again; concurrent calls share one statement. */
  refresh: () => Promise<void>;
};

/** A slow job may outlast a rotation of the secret, a change of the URL, or the endpoint itself. */
function keepFresh(target: Target, freshMs: number): FreshEndpoint {
  let destination = destinationOf(target);
  let { readAtMs } = target;
  let reading: Promise<void> | null = null;
  let isClosed = false;

  async function read(): Promise<void> {
    let present: Target | null;
    let markMs: number;
    do {
      markMs = stalledMs();
      present = await loadTarget(target.id);
      // A reply that waited for a stalled process is as old as the stall.
    } while (hasStalledSince(markMs, freshMs));
    if (present && isOpen(present)) {
      destination = destinationOf(present);
      readAtMs = present.readAtMs;
    } else isClosed = true;
  }

  return {
    destination: () => destination,
    isClosed: () => isClosed,
    close: () => {
      isClosed = true;
    },
    isStale: () => performance.now() - readAtMs >= freshMs,
    refresh: () => {
      reading ??= read().finally(() => (reading = null));
      return reading;
    },
  };
}

/** Records a try. @returns whether its endpoint is still open. */
function record(
  delivery: DueDelivery,
  { endpointId, generation }: Destination,
  result: Try & { isOverload: boolean },
): Promise<boolean> {
  observeTry(result);
  return recordOutcome({
    deliveryId: delivery.deliveryId,
    endpointId,
    generation,
    round: delivery.round,
    attempt: delivery.triesMade + 1,
    ...result,
  });
}

/** Whether the endpoint acknowledged the last try, however long ago: in a burst, refusals come before acknowledgments. */
const isInGoodStanding = ({ failureCount, lastSuccessAt }: Target): boolean =>
  failureCount === 0 && lastSuccessAt !== null;

/**
 * Sends due deliveries, up to 16 at once and to an overloaded endpoint at its pace (pace.ts), and returns when every outcome is
 * committed. Begins no more requests once the endpoint is closed, `untilMs` has passed or the process is to end.
 * @returns the ids of the deliveries that were not sent, and whether the endpoint was found closed.
 * @throws the failure to make a request or to write an outcome; such a try does not count.
 */
export async function sendDeliveries(
  target: Target,
  due: readonly DueDelivery[],
  { limitMs = WEBHOOK_TIMEOUT_MS, freshMs = FRESH_MS, signal, untilMs }: SendOptions,
): Promise<{ unsentIds: string[]; wasClosed: boolean }> {
  const endpoint = keepFresh(target, freshMs);
  const queue = [...due];
  const writes: Promise<void>[] = [];
  let isBroken = false;
  let acknowledgedMs = isInGoodStanding(target) ? performance.now() : Number.NEGATIVE_INFINITY;
  const mayBegin = () => !endpoint.isClosed() && !isBroken && !signal?.aborted && performance.now() < untilMs;

  /** Waits until an overloaded endpoint may be sent another request. @returns false when none may begin any more. */
  async function takeTurn(): Promise<boolean> {
    for (;;) {
      if (queue.length === 0 || !mayBegin()) return false;
      const nowMs = performance.now();
      const waitMs = pace().waitMs(target.id, nowMs);
      if (waitMs === 0) {
        pace().begin(target.id, nowMs);
        return true;
      }
      if (nowMs + waitMs >= untilMs) return false;
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async function pump(): Promise<void> {
    try {
      while (await takeTurn()) {
        if (queue.length > 0 && endpoint.isStale()) {
          await endpoint.refresh();
          if (!mayBegin()) return;
        }
        const delivery = queue.shift();
        if (!delivery) return;
        const destination = endpoint.destination();
        const beganMs = performance.now();
        const result = await sendTraced(destination, delivery, limitMs);
        const endedMs = performance.now();
        if (result.acknowledged) acknowledgedMs = endedMs;
        const isOverload = pace().note(target.id, { ...result, beganMs, acknowledgedMs }, endedMs);
        const recorded = record(delivery, destination, { ...result, isOverload }).then((isStillOpen) => {
          if (!isStillOpen) endpoint.close();
        });
        writes.push(recorded);
        // After a success the next request need not wait for the commit; a failure may just have disabled the endpoint.
        if (!result.acknowledged) await recorded;
        else recorded.catch(() => (isBroken = true));
      }
    } catch (thrown) {
      isBroken = true;
      throw thrown;
    }
  }

  const pumps = await Promise.allSettled(Array.from({ length: PARALLEL_REQUESTS }, pump));
  const recorded = await Promise.allSettled(writes);
  const failed = [...pumps, ...recorded].find((ended) => ended.status === "rejected");
  if (failed) throw failed.reason;
  return { unsentIds: queue.map((delivery) => delivery.deliveryId), wasClosed: endpoint.isClosed() };
}

/** {@link send} within a span of the message's trace, which is not passed on to the customer's server. */
function sendTraced(destination: Destination, delivery: DueDelivery, limitMs: number) {
  const subject = "message" in delivery ? delivery.message.id : delivery.received.id;
  return inSpan(
    () => ({
      name: `webhook ${delivery.eventType}`,
      kind: "client",
      subject,
      attributes: {
        "messaging.message.id": subject,
        "messaging_service.event_id": delivery.eventId,
        "messaging_service.endpoint_id": destination.endpointId,
        "messaging_service.try": delivery.triesMade + 1,
      },
    }),
    async (span) => {
      const made = await send(destination, delivery, limitMs);
      span?.set({ "http.response.status_code": made.statusCode ?? undefined });
      if (!made.acknowledged) span?.fail(made.statusCode === null ? "failed" : "refused");
      return made;
    },
  );
}

type Try = Awaited<ReturnType<typeof send>>;

/** Signs each try separately, over exactly the bytes that are sent. */
function send({ url, secrets }: Destination, delivery: DueDelivery, limitMs: number) {
  const event = {
    id: delivery.eventId,
    type: delivery.eventType,
    status: delivery.eventStatus,
    createdAt: delivery.eventCreatedAt,
  };
  const shown =
    "message" in delivery ? presentEvent(event, delivery.message) : presentReceived(event, delivery.received);
  const body = Buffer.from(JSON.stringify(shown));
  return postEvent({ url, secrets, eventId: event.id, body }, limitMs);
}
