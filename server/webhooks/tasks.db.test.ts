import type { ServerResponse } from "node:http";
import { Logger, run } from "graphile-worker";
import { afterEach, expect, test } from "vitest";
import { type Receiver, startReceiver, status } from "@/e2e/support/receiver";
import { makeAccount } from "@/e2e/support/seed";
import { deliveriesOf, makeMessages, raiseEvents, takeDeliveryJobs } from "@/e2e/support/webhooks";
import { pool } from "../core/db";
import { jobs } from "../core/jobs";
import { createEndpoint } from "./service";
import { deliverWebhooks } from "./tasks";

/** Far longer than it takes, for a machine that is busy with other things. */
const WAIT = { timeout: 30_000 };

const receivers: Receiver[] = [];

afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});

/** An account with an endpoint at a receiver that answers nothing until it is released. */
async function slowEndpoint() {
  const hanging: ServerResponse[] = [];
  const receiver = await startReceiver((response) => void hanging.push(response));
  receivers.push(receiver);
  const account = await makeAccount();
  const { id } = await createEndpoint(account.actor, { url: receiver.url });
  const release = () => {
    receiver.answerWith(status(200));
    for (const response of hanging.splice(0)) response.writeHead(200).end();
  };
  return { account, id, receiver, release };
}

async function fastEndpoint() {
  const receiver = await startReceiver();
  receivers.push(receiver);
  const account = await makeAccount();
  const { id } = await createEndpoint(account.actor, { url: receiver.url });
  return { account, id, receiver };
}

const stateOf = async (endpointId: string) => (await deliveriesOf(endpointId)).map((delivery) => delivery.status);

test("a slow endpoint takes four of the worker's slots, and the others are served meanwhile", async () => {
  const slow = await slowEndpoint();
  const fast = await fastEndpoint();
  for (const messageId of await makeMessages(slow.account, 12)) await raiseEvents(slow.account, [messageId]);
  await raiseEvents(fast.account, await makeMessages(fast.account, 3));
  const runner = await run({
    pgPool: pool(),
    concurrency: 5,
    pollInterval: 100,
    noHandleSignals: true,
    crontab: "",
    logger: new Logger(() => () => undefined),
    taskList: { deliver_webhooks: (payload) => deliverWebhooks(jobs.deliver_webhooks.parse(payload)) },
  });
  try {
    await expect.poll(() => stateOf(fast.id), WAIT).toEqual(["delivered", "delivered", "delivered"]);
    expect(slow.receiver.received).toHaveLength(4);
    slow.release();
    // The refused jobs come back by themselves.
    await expect.poll(() => stateOf(slow.id), WAIT).toEqual(Array(12).fill("delivered"));
    expect(slow.receiver.received).toHaveLength(12);
  } finally {
    await runner.stop();
  }
});

test("small jobs that find the lane full come back in one to two seconds as one", async () => {
  const slow = await slowEndpoint();
  for (const messageId of await makeMessages(slow.account, 10)) await raiseEvents(slow.account, [messageId]);
  const waiting = await takeDeliveryJobs(slow.id);
  expect(waiting).toHaveLength(10);
  const refusedFrom = Date.now();
  const running = Promise.all(waiting.map(({ payload }) => deliverWebhooks(payload)));
  await expect.poll(() => slow.receiver.received.length, WAIT).toBe(4);
  const refused: Awaited<ReturnType<typeof takeDeliveryJobs>> = [];
  await expect
    .poll(async () => {
      refused.push(...(await takeDeliveryJobs(slow.id)));
      return refused.flatMap((job) => job.payload.deliveryIds).length;
    }, WAIT)
    .toBe(6);
  expect(refused).toHaveLength(1);
  for (const { runAt, payload } of refused) {
    expect(payload.attemptsMade).toBe(0);
    expect(runAt.getTime()).toBeGreaterThanOrEqual(refusedFrom + 1_000);
    expect(runAt.getTime()).toBeLessThanOrEqual(Date.now() + 2_000);
  }
  slow.release();
  await running;
  for (const { payload } of refused) await deliverWebhooks(payload);
  expect(await stateOf(slow.id)).toEqual(Array(10).fill("delivered"));
});

test("a failing endpoint is asked by one job at a time", async () => {
  const slow = await slowEndpoint();
  await pool().query("UPDATE webhook_endpoints SET failure_count = 1 WHERE id = $1", [slow.id]);
  for (const messageId of await makeMessages(slow.account, 5)) await raiseEvents(slow.account, [messageId]);
  const waiting = await takeDeliveryJobs(slow.id);
  const running = Promise.all(waiting.map(({ payload }) => deliverWebhooks(payload)));
  let refused = 0;
  await expect
    .poll(async () => {
      const back = await takeDeliveryJobs(slow.id);
      refused += back.flatMap((job) => job.payload.deliveryIds).length;
      return refused;
    }, WAIT)
    .toBe(4);
  await expect.poll(() => slow.receiver.received.length, WAIT).toBe(1);
  slow.release();
  await running;
});
