/** An endpoint that takes only so many requests is sent fewer, and gets all of its events. */
import type { ServerResponse } from "node:http";
import { afterEach, expect, test } from "vitest";
import { moveClockAhead } from "@/test/clock";
import { startRunner } from "@/test/database/queue";
import { deliveriesOf, deliveryJobsOf, makeMessages, raiseEvents, startWebhook } from "@/test/database/webhooks";
import { type Responder, startReceiver, status } from "@/test/network/receiver";
import { pool } from "../../core/db";
import { jobs } from "../../core/jobs";
import { createEndpoint, getEndpoint } from "../service";
import { deliverWebhooks } from "../tasks";
import type { DeliverOptions } from "./deliver";

const EVENTS = 300;
const REQUESTS_AT_A_TIME = 4;
const PATIENT = { timeout: 60_000 };

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function setUp(answer: Responder) {
  const webhook = await startWebhook(answer);
  closers.push(webhook.receiver.close);
  return webhook;
}

/** Runs delivery jobs. @returns the endpoint of each job that has begun. */
async function startWorker(options: DeliverOptions = {}): Promise<string[]> {
  const begun: string[] = [];
  const runner = await startRunner({
    deliver_events: (payload) => {
      const job = jobs.deliver_events.parse(payload);
      begun.push(job.endpointId);
      return deliverWebhooks(job, options);
    },
    deliver_webhooks: (payload) => deliverWebhooks(jobs.deliver_webhooks.parse(payload), options),
  });
  closers.push(runner.stop);
  return begun;
}

/** How many stored deliveries of the endpoint have the status, or any. */
const count = async (endpointId: string, status?: string) =>
  (await deliveriesOf(endpointId)).filter((delivery) => status === undefined || delivery.status === status).length;

/** Makes all waiting tries due. @returns how many deliveries have succeeded. */
async function deliveredWithoutWaiting(endpointId: string): Promise<number> {
  // Jobs that the runner is ending are left alone: a deadlock with it would stop it.
  await pool().query(
    `UPDATE graphile_worker._private_jobs SET run_at = now() WHERE id IN (
       SELECT id FROM graphile_worker._private_jobs
       WHERE payload->>'endpointId' = $1 AND locked_at IS NULL AND run_at > now() FOR UPDATE SKIP LOCKED)`,
    [endpointId],
  );
  return count(endpointId, "delivered");
}

/** A server that refuses requests beyond those that it works on. `taken`: the events that it took. */
function limited(refusal: number): { answer: Responder; taken: string[] } {
  const taken: string[] = [];
  let working = 0;
  return {
    taken,
    answer: (response, request) => {
      if (working >= REQUESTS_AT_A_TIME) return response.writeHead(refusal).end();
      working += 1;
      taken.push(String(request.headers["webhook-id"]));
      setTimeout(() => {
        working -= 1;
        response.writeHead(200).end();
      }, 20);
    },
  };
}

test.each([429, 503])(
  "a burst does not disable an endpoint that refuses with %i what is too much, and each event arrives",
  async (refusal) => {
    const { answer, taken } = limited(refusal);
    const { account, endpoint } = await setUp(answer);
    await pool().query("UPDATE webhook_endpoints SET last_success_at = now() - interval '1 day' WHERE id = $1", [
      endpoint.id,
    ]);
    await raiseEvents(account, await makeMessages(account, EVENTS));
    await startWorker();
    await expect.poll(() => count(endpoint.id), PATIENT).toBe(EVENTS);
    expect(await count(endpoint.id, "pending")).toBeLessThan(EVENTS / 2);
    expect(await getEndpoint(account.actor, endpoint.id)).toMatchObject({ is_active: true });
    await expect.poll(() => deliveredWithoutWaiting(endpoint.id), PATIENT).toBe(EVENTS);
    expect(taken).toHaveLength(EVENTS);
    expect(new Set(taken).size).toBe(EVENTS);
  },
);

test("a burst does not disable an endpoint that works on one request at a time, and is late with the others", async () => {
  const queue: ServerResponse[] = [];
  const taken: ServerResponse[] = [];
  const workOn = () => {
    const response = queue[0];
    if (!response) return;
    setTimeout(() => {
      taken.push(response.writeHead(200).end());
      queue.shift();
      workOn();
    }, 30);
  };
  const { account, endpoint } = await setUp((response) => {
    if (queue.push(response) === 1) workOn();
  });
  await raiseEvents(account, await makeMessages(account, EVENTS));
  await startWorker({ limitMs: 1_000 });
  await expect.poll(() => deliveredWithoutWaiting(endpoint.id), PATIENT).toBe(EVENTS);
  expect(taken.length).toBeGreaterThanOrEqual(EVENTS);
  expect(await getEndpoint(account.actor, endpoint.id)).toMatchObject({ is_active: true });
});

test("an endpoint whose proxy finds no server for a moment, as in a restart, is not disabled", async () => {
  let requests = 0;
  const { account, endpoint, receiver } = await setUp((response, request) => {
    requests += 1;
    status(200)(response, request);
    if (requests < 50) return;
    receiver.respondWith(status(502));
    setTimeout(() => receiver.respondWith(status(200)), 1_500);
  });
  await raiseEvents(account, await makeMessages(account, EVENTS));
  await startWorker();
  await expect.poll(() => deliveredWithoutWaiting(endpoint.id), PATIENT).toBe(EVENTS);
  expect(await getEndpoint(account.actor, endpoint.id)).toMatchObject({ is_active: true });
});

test("an endpoint that has not worked yet and responds with 503 is disabled at once", async () => {
  const { account, endpoint, receiver } = await setUp(status(503));
  await raiseEvents(account, await makeMessages(account, EVENTS));
  await startWorker();
  const isActive = async () => (await getEndpoint(account.actor, endpoint.id)).is_active;
  await expect.poll(isActive, PATIENT).toBe(false);
  expect(receiver.received.length).toBeLessThan(EVENTS);
});

test("while an endpoint has asked for a minute, its events wait in the queue, and others of the account do not", async () => {
  const { account, endpoint, receiver } = await setUp((response) =>
    response.writeHead(503, { "retry-after": "60" }).end(),
  );
  const other = await startReceiver();
  closers.push(other.close);
  await raiseEvents(account, await makeMessages(account, EVENTS));
  const begun = await startWorker();
  const waiting = async () =>
    (await deliveryJobsOf(endpoint.id))
      .filter((job) => job.runAt > new Date())
      .reduce((sum, job) => sum + job.payload.deliveryIds.length, 0);
  await expect.poll(waiting, PATIENT).toBe(EVENTS);
  const refused = receiver.received.length;
  expect(refused).toBeLessThanOrEqual(64);
  const state = await getEndpoint(account.actor, endpoint.id);
  expect(state).toMatchObject({ is_active: true, failure_count: 1 });

  const { id } = await createEndpoint(account.actor, { url: other.url });
  await raiseEvents(account, await makeMessages(account, 20));
  await expect.poll(() => count(id, "delivered"), PATIENT).toBe(20);
  expect(receiver.received).toHaveLength(refused);
  expect(begun.filter((endpointId) => endpointId === endpoint.id).length).toBeLessThan(30);

  receiver.respondWith(status(200));
  moveClockAhead(60_000);
  await expect.poll(() => deliveredWithoutWaiting(endpoint.id), PATIENT).toBe(EVENTS + 20);
});
