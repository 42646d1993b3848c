/** Slow endpoints of one account do not delay other accounts. */
import type { ServerResponse } from "node:http";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { startRunner } from "@/test/database/queue";
import { makeAccount } from "@/test/database/seed";
import { deliveriesOf, deliveryJobsOf, makeMessages, raiseEvents, startWebhook } from "@/test/database/webhooks";
import { startReceiver, status } from "@/test/network/receiver";
import { pool } from "../../core/db";
import { jobs } from "../../core/jobs";
import { createEndpoint } from "../service";
import { deliverWebhooks } from "../tasks";
import type { DeliverOptions } from "./deliver";
import { addDeliveryJobs, jobBatches } from "./outbox";

const SLOTS = 8;
const SHARE = 2;
const SLOW_ENDPOINTS = 6;

const closers: (() => Promise<void>)[] = [];

beforeAll(() => {
  process.env.WEBHOOK_CONCURRENCY = String(SLOTS);
});

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const startWorker = (options: DeliverOptions = {}) =>
  startRunner({ deliver_events: (payload) => deliverWebhooks(jobs.deliver_events.parse(payload), options) }, SLOTS);

/** An account with several endpoints at a receiver that does not respond until it is released. */
async function slowAccount() {
  const hanging = new Set<ServerResponse>();
  const receiver = await startReceiver((response) => {
    hanging.add(response);
    response.on("close", () => hanging.delete(response));
  });
  closers.push(receiver.close);
  const account = await makeAccount();
  const ids: string[] = [];
  for (let count = 0; count < SLOW_ENDPOINTS; count += 1) {
    ids.push((await createEndpoint(account.actor, { url: receiver.url })).id);
  }
  return {
    account,
    ids,
    received: receiver.received,
    hanging: () => hanging.size,
    release: () => {
      receiver.respondWith(status(200));
      for (const response of hanging) response.writeHead(200).end();
    },
  };
}

const statesOf = async (ids: string[]) =>
  (await Promise.all(ids.map((id) => deliveriesOf(id)))).flat().map((delivery) => delivery.status);

test("an account is served while another one's hanging endpoints use up their account share", async () => {
  const slow = await slowAccount();
  for (const id of await makeMessages(slow.account, 5)) await raiseEvents(slow.account, [id]);
  const runner = await startWorker({ limitMs: 120_000 });
  try {
    await expect.poll(slow.hanging).toBeGreaterThanOrEqual(SHARE);
    const fast = await startWebhook();
    closers.push(fast.receiver.close);
    await raiseEvents(fast.account, await makeMessages(fast.account, 20));
    await expect.poll(() => statesOf([fast.endpoint.id])).toEqual(Array(20).fill("delivered"));
    expect(slow.hanging()).toBe(SHARE);
    expect(slow.received).toHaveLength(SHARE);
  } finally {
    slow.release();
    await runner.stop();
  }
});

/** Moves jobs that were requeued for later a day away. @returns how many deliveries all such jobs carry. */
async function postpone(endpointIds: readonly string[]): Promise<number> {
  const { rows } = await pool().query<{ n: bigint }>(
    `WITH later AS (
       UPDATE graphile_worker._private_jobs SET run_at = run_at + interval '1 day'
       WHERE payload->>'endpointId' = ANY($1) AND run_at > now() + interval '10 seconds'
         AND run_at < now() + interval '1 hour'
     )
     SELECT coalesce(sum(json_array_length(payload->'deliveryIds')), 0) AS n FROM graphile_worker._private_jobs
     WHERE payload->>'endpointId' = ANY($1) AND run_at > now() + interval '10 seconds'`,
    [endpointIds],
  );
  return Number(rows[0]?.n);
}

test("work beyond the account share is sent as soon as the endpoints respond, without waiting for its requeued jobs", async () => {
  const slow = await slowAccount();
  for (const id of await makeMessages(slow.account, 5)) await raiseEvents(slow.account, [id]);
  const runner = await startWorker();
  try {
    await expect.poll(slow.hanging).toBe(SHARE);
    await expect.poll(() => postpone(slow.ids)).toBe(5 * SLOW_ENDPOINTS - SHARE);
    slow.release();
    await expect.poll(() => statesOf(slow.ids)).toEqual(Array(5 * SLOW_ENDPOINTS).fill("delivered"));
  } finally {
    slow.release();
    await runner.stop();
  }
  expect(slow.received).toHaveLength(5 * SLOW_ENDPOINTS);
});

test("a backlog of any length is worked off without a wait for its requeued jobs, and leaves none", async () => {
  const hanging: ServerResponse[] = [];
  const { account, endpoint, receiver } = await startWebhook((response) => void hanging.push(response));
  closers.push(receiver.close);
  await raiseEvents(account, await makeMessages(account, 1));
  const runner = await startWorker();
  try {
    await expect.poll(() => hanging.length).toBe(1);
    // However slow the machine, no requeued job gets due by this process's clock.
    vi.useFakeTimers({ toFake: ["Date"] });
    // Deliveries that have ended meanwhile fill the memory as others would, at no cost.
    const ended = jobBatches(Array.from({ length: 12_000 }, (_, at) => `dlv_${at}`));
    await addDeliveryJobs(
      pool(),
      ended.map((deliveryIds) => ({
        payload: { endpointId: endpoint.id, deliveryIds, round: 0, attemptsMade: 0 },
        runAt: null,
      })),
    );
    await expect.poll(() => postpone([endpoint.id])).toBe(12_000);
    await raiseEvents(account, await makeMessages(account, 20));
    await expect.poll(() => postpone([endpoint.id])).toBe(12_020);
    receiver.respondWith(status(200));
    for (const response of hanging.splice(0)) response.writeHead(200).end();
    await expect.poll(() => statesOf([endpoint.id])).toEqual(Array(21).fill("delivered"));
    await expect.poll(() => deliveryJobsOf(endpoint.id)).toEqual([]);
  } finally {
    vi.useRealTimers();
    for (const response of hanging.splice(0)) response.destroy();
    await runner.stop();
  }
  expect(receiver.received).toHaveLength(21);
});
