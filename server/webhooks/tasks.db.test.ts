import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { startRunner } from "@/test/database/queue";
import {
  deliveriesOf,
  deliveryJobsOf,
  makeMessages,
  raiseEvents,
  runDeliveryJobs,
  takeDeliveryJobs,
  triesOf,
  webhooksOfFile,
} from "@/test/database/webhooks";
import { type Responder, status } from "@/test/network/receiver";
import { pool } from "../core/db";
import { jobs } from "../core/jobs";
import { deliverWebhooks } from "./tasks";

const start = webhooksOfFile();

async function setUp(answer?: Responder) {
  const { account, endpoint, receiver } = await start(answer);
  return { account, id: endpoint.id, receiver };
}

/** A webhook whose receiver does not respond until it is released. */
async function slowEndpoint() {
  const hanging: ServerResponse[] = [];
  const webhook = await setUp((response) => void hanging.push(response));
  const release = () => {
    webhook.receiver.respondWith(status(200));
    for (const response of hanging.splice(0)) response.writeHead(200).end();
  };
  return { ...webhook, hanging, release };
}

const stateOf = async (endpointId: string) => (await deliveriesOf(endpointId)).map((delivery) => delivery.status);

test("a slow endpoint uses at most four of the worker's slots, so other endpoints are served meanwhile", async () => {
  const slow = await slowEndpoint();
  const fast = await setUp();
  for (const messageId of await makeMessages(slow.account, 12)) await raiseEvents(slow.account, [messageId]);
  await raiseEvents(fast.account, await makeMessages(fast.account, 3));
  const deliver = (payload: unknown) => deliverWebhooks(jobs.deliver_events.parse(payload));
  const runner = await startRunner({ deliver_events: deliver }, 5);
  try {
    await expect.poll(() => stateOf(fast.id)).toEqual(["delivered", "delivered", "delivered"]);
    // The last of the four may still be on its way.
    await expect.poll(() => slow.receiver.received.length).toBe(4);
    slow.release();
    // Long before the requeued jobs are due: the running jobs carried the delegated work.
    await expect.poll(() => stateOf(slow.id)).toEqual(Array(12).fill("delivered"));
    // A requeued job ends after the outcomes of its work, and the runner does not wait for the end of its own jobs.
    await expect.poll(() => deliveryJobsOf(slow.id)).toEqual([]);
  } finally {
    await runner.stop();
  }
  expect(slow.receiver.received).toHaveLength(12);
});

test("jobs without a slot are requeued as one; running jobs do its work without waiting for it, and end it", async () => {
  const slow = await slowEndpoint();
  for (const messageId of await makeMessages(slow.account, 10)) await raiseEvents(slow.account, [messageId]);
  const waiting = await takeDeliveryJobs(slow.id);
  expect(waiting).toHaveLength(10);
  const startedAt = Date.now();
  const running = Promise.all(waiting.map(({ payload }) => deliverWebhooks(payload)));
  await expect.poll(() => deliveryJobsOf(slow.id)).toHaveLength(1);
  const [requeued] = await deliveryJobsOf(slow.id);
  expect(requeued?.payload).toMatchObject({ attemptsMade: 0, deliveryIds: expect.objectContaining({ length: 6 }) });
  expect(requeued?.runAt.getTime()).toBeGreaterThanOrEqual(startedAt + 30_000);
  await expect.poll(() => slow.receiver.received.length).toBe(4);
  // In the database, none of the others has begun.
  expect(await deliveriesOf(slow.id)).toEqual([]);
  slow.release();
  await running;
  expect(await stateOf(slow.id)).toEqual(Array(10).fill("delivered"));
  expect(slow.receiver.received).toHaveLength(10);
  expect(await deliveryJobsOf(slow.id)).toEqual([]);
});

test("work of a requeued job stays in the queue until it is done, in case the process dies", async () => {
  const slow = await slowEndpoint();
  for (const messageId of await makeMessages(slow.account, 6)) await raiseEvents(slow.account, [messageId]);
  const waiting = await takeDeliveryJobs(slow.id);
  const running = Promise.all(waiting.map(({ payload }) => deliverWebhooks(payload)));
  await expect.poll(() => slow.receiver.received.length).toBe(4);
  const carried = async () => (await deliveryJobsOf(slow.id)).flatMap((job) => job.payload.deliveryIds);
  await expect.poll(carried).toHaveLength(2);
  const [first] = slow.hanging.splice(0, 1);
  const claimedAt = Date.now();
  // Its slot goes on with the requeued job, whose time is put off.
  first?.writeHead(200).end();
  await expect.poll(() => slow.receiver.received.length).toBe(6);
  const [claimed] = await deliveryJobsOf(slow.id);
  expect(claimed?.payload.deliveryIds).toHaveLength(2);
  expect(claimed?.runAt.getTime()).toBeGreaterThanOrEqual(claimedAt + 30_000);
  slow.release();
  await running;
  expect(await deliveryJobsOf(slow.id)).toEqual([]);
});

test("deliveries that a job may no longer begin go to a new one, which reads anew whether they are due", async () => {
  const { account, id, receiver } = await setUp();
  await raiseEvents(account, await makeMessages(account, 3));
  await runDeliveryJobs(id, { beginWithinMs: 0 });
  expect(receiver.received).toEqual([]);
  await runDeliveryJobs(id);
  expect(receiver.received).toHaveLength(3);
});

test("deliveries that a running job may no longer begin are sent when their requeued job is due", async () => {
  const slow = await slowEndpoint();
  for (const messageId of await makeMessages(slow.account, 6)) await raiseEvents(slow.account, [messageId]);
  const waiting = await takeDeliveryJobs(slow.id);
  // So long a limit leaves no time for a request before the job is due.
  const running = Promise.all(waiting.map(({ payload }) => deliverWebhooks(payload, { limitMs: 60_000 })));
  await expect.poll(() => deliveryJobsOf(slow.id)).toHaveLength(1);
  slow.release();
  await running;
  expect(slow.receiver.received).toHaveLength(4);
  expect(await runDeliveryJobs(slow.id)).toHaveLength(1);
  expect(await stateOf(slow.id)).toEqual(Array(6).fill("delivered"));
  expect(slow.receiver.received).toHaveLength(6);
});

test("deliveries whose job waits for a slot a second time are listed as pending, and end as usual", async () => {
  const slow = await slowEndpoint();
  for (const messageId of await makeMessages(slow.account, 6)) await raiseEvents(slow.account, [messageId]);
  const first = await takeDeliveryJobs(slow.id);
  const requeued: typeof first = [];
  const running = Promise.all(first.map(({ payload }) => deliverWebhooks(payload)));
  await expect.poll(async () => requeued.push(...(await takeDeliveryJobs(slow.id)))).toBeGreaterThan(0);
  for (const { payload } of requeued) await deliverWebhooks(payload);
  const waitingIds = requeued.flatMap((job) => job.payload.deliveryIds);
  expect((await deliveryJobsOf(slow.id)).flatMap((job) => job.payload.deliveryIds).sort()).toEqual(waitingIds.sort());
  expect((await deliveriesOf(slow.id)).map((each) => `${each.id} ${each.status} ${each.attempts}`)).toEqual(
    waitingIds.sort().map((id) => `${id} pending 0`),
  );
  slow.release();
  await running;
  expect(await stateOf(slow.id)).toEqual(Array(6).fill("delivered"));
  expect(await triesOf(slow.id)).toHaveLength(6);
  expect(slow.receiver.received).toHaveLength(6);
});

test("only one job at a time tries a failing endpoint", async () => {
  const slow = await slowEndpoint();
  await pool().query("UPDATE webhook_endpoints SET failure_count = 1 WHERE id = $1", [slow.id]);
  for (const messageId of await makeMessages(slow.account, 5)) await raiseEvents(slow.account, [messageId]);
  const waiting = await takeDeliveryJobs(slow.id);
  const running = Promise.all(waiting.map(({ payload }) => deliverWebhooks(payload)));
  await expect
    .poll(async () => (await deliveryJobsOf(slow.id)).flatMap((job) => job.payload.deliveryIds))
    .toHaveLength(4);
  await expect.poll(() => slow.receiver.received.length).toBe(1);
  slow.release();
  await running;
  expect(await stateOf(slow.id)).toEqual(Array(5).fill("delivered"));
});
