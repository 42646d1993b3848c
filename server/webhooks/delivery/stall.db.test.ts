/** A stall of this process uses up no try: only the endpoint's own failures count. */
import { afterEach, expect, test } from "vitest";
import { makeAccount } from "@/test/database/seed";
import { deliveriesOf, makeMessages, raiseEvents, takeDeliveryJobs, triesOf } from "@/test/database/webhooks";
import { stallFor, startServerApart } from "@/test/network/stalls";
import { createEndpoint, getEndpoint } from "../service";
import { deliverWebhooks } from "../tasks";

const LIMIT_MS = 1_000;

const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

/** An endpoint at a server in its own thread, with half of its `events` in each of two jobs. */
async function setUp(events: number, options: Parameters<typeof startServerApart>[0]) {
  const server = await startServerApart(options);
  closers.push(server.close);
  const account = await makeAccount();
  const { id } = await createEndpoint(account.actor, { url: server.url });
  const messages = await makeMessages(account, events);
  await raiseEvents(account, messages.slice(0, events / 2));
  await raiseEvents(account, messages.slice(events / 2));
  const payloads = (await takeDeliveryJobs(id)).map((job) => job.payload);
  return { server, id, payloads, endpoint: () => getEndpoint(account.actor, id) };
}

const statesOf = async (id: string) =>
  new Set((await deliveriesOf(id)).map((delivery) => `${delivery.status} ${delivery.attempts}`));

test("responses that arrive during a stall longer than the limit are accepted", async () => {
  const { server, id, payloads, endpoint } = await setUp(30, { answer: "", afterMs: 300 });
  const jobs = Promise.all(payloads.map((payload) => deliverWebhooks(payload, { limitMs: LIMIT_MS })));
  await server.requests(30);
  await stallFor(3 * LIMIT_MS);
  await jobs;
  expect(await statesOf(id)).toEqual(new Set(["delivered 1"]));
  expect(await endpoint()).toMatchObject({ is_active: true, failure_count: 0, last_failure_at: null });
});

test("exchanges that an endpoint closed during a stall do not count, and the job runs again", async () => {
  const { server, id, payloads, endpoint } = await setUp(30, { answer: null, afterMs: 300 });
  const jobs = Promise.allSettled(payloads.map((payload) => deliverWebhooks(payload, { limitMs: LIMIT_MS })));
  await server.requests(30);
  await stallFor(3 * LIMIT_MS);
  expect((await jobs).map((job) => job.status)).toEqual(["rejected", "rejected"]);
  expect(await statesOf(id)).toEqual(new Set());
  expect(await triesOf(id)).toEqual([]);
  expect(await endpoint()).toMatchObject({ is_active: true, failure_count: 0, last_failure_at: null });
  // Nothing is queued: the queue itself retries a job that has thrown.
  expect(await takeDeliveryJobs(id)).toEqual([]);
});
