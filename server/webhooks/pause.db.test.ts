/** Endpoints that are paused and resumed while events are raised and sent. */
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { makePerson } from "@/test/database/people";
import {
  deliveriesOf,
  makeMessages,
  raiseEvents,
  raiseSent,
  runDeliveryJobs,
  type TestWebhook,
  webhooksOfFile,
} from "@/test/database/webhooks";
import { status } from "@/test/network/receiver";
import { pool } from "../core/db";
import { rebuildListTotals } from "../lists/rebuild";
import { recoverDeliveries } from "./history/recover";
import { releaseParked } from "./history/release";
import { pauseEndpoint, resumeEndpoint } from "./pause";
import { createEndpoint, deleteEndpoint, enableEndpoint, getEndpoint } from "./service";
import { sweepWebhooks } from "./tasks";

const start = webhooksOfFile();

const pause = ({ account, endpoint }: TestWebhook) => pauseEndpoint(account.actor, endpoint.id);
const resume = ({ account, endpoint }: TestWebhook) => resumeEndpoint(account.actor, endpoint.id);

const statesOf = async ({ endpoint }: TestWebhook) =>
  (await deliveriesOf(endpoint.id)).map((each) => `${each.status} ${each.round} ${each.attempts}`);

/** How many deliveries are in each state. */
async function countsOf(webhook: TestWebhook) {
  const counts: Record<string, number> = {};
  for (const state of await statesOf(webhook)) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

const set = ({ endpoint }: TestWebhook, columns: string) =>
  pool().query(`UPDATE webhook_endpoints SET ${columns} WHERE id = $1`, [endpoint.id]);

/** As a resumption whose process dies before it has sent what was parked. */
const resumeAndDie = (webhook: TestWebhook) =>
  set(webhook, "is_active = true, disabled_at = NULL, paused_at = NULL, paused_by = NULL, generation = generation + 1");

/** Ids of the events that the receiver got, each as often as it did. */
const receivedBy = ({ receiver }: TestWebhook): string[] =>
  receiver.received.map(({ body }) => JSON.parse(String(body)).id as string);

/** One delivery with a request that is under way when the endpoint is paused. */
async function pauseUnderWay() {
  const webhook = await start();
  const hanging: ServerResponse[] = [];
  webhook.receiver.respondWith((response) => void hanging.push(response));
  await raiseSent(webhook);
  const running = runDeliveryJobs(webhook.endpoint.id);
  await expect.poll(() => hanging).toHaveLength(1);
  await pause(webhook);
  return {
    webhook,
    respond: async (code: number) => {
      webhook.receiver.respondWith(status(200));
      hanging[0]?.writeHead(code).end();
      await running;
    },
  };
}

test("events of a pause wait, and are sent once it is over", async () => {
  const webhook = await start();
  const { endpoint, account } = webhook;
  const paused = await pause(webhook);
  expect(paused).toMatchObject({ is_active: false, disabled_reason: null, paused_by: expect.any(String) });
  expect(paused.paused_at).toBe(paused.disabled_at);
  expect(Date.parse(String(paused.paused_at))).not.toBeNaN();
  expect(await pause(webhook)).toEqual(paused);
  await raiseSent(webhook, 3);
  await runDeliveryJobs(endpoint.id);
  expect(webhook.receiver.received).toHaveLength(0);
  expect(await countsOf(webhook)).toEqual({ "held 0 0": 3 });
  expect(await resume(webhook)).toEqual(await getEndpoint(account.actor, endpoint.id));
  expect(await getEndpoint(account.actor, endpoint.id)).toEqual({ ...endpoint, signing_secret: undefined });
  await runDeliveryJobs(endpoint.id);
  expect(await countsOf(webhook)).toEqual({ "delivered 1 1": 3 });
  expect(new Set(receivedBy(webhook)).size).toBe(3);
  await resume(webhook);
  await runDeliveryJobs(endpoint.id);
  expect(webhook.receiver.received).toHaveLength(3);
});

test("it says which key or person paused it", async () => {
  const webhook = await start();
  const { actor } = webhook.account;
  expect((await pause(webhook)).paused_by).toBe(actor.kind === "apiKey" ? actor.keyId : actor.userId);
  const person = await makePerson();
  const { id } = await createEndpoint(person, { url: webhook.receiver.url });
  expect((await pauseEndpoint(person, id)).paused_by).toBe(person.userId);
  expect((await resumeEndpoint(person, id)).paused_by).toBeNull();
});

test("what waited for a first or a later try is parked too, and sent at once afterwards", async () => {
  const webhook = await start(status(500));
  await raiseSent(webhook);
  await runDeliveryJobs(webhook.endpoint.id);
  await raiseSent(webhook);
  await pause(webhook);
  expect(await statesOf(webhook)).toEqual(["held 0 1"]);
  await runDeliveryJobs(webhook.endpoint.id);
  expect(await statesOf(webhook)).toEqual(["held 0 1", "held 0 0"]);
  webhook.receiver.respondWith(status(200));
  await resume(webhook);
  await runDeliveryJobs(webhook.endpoint.id);
  expect(await countsOf(webhook)).toEqual({ "delivered 1 1": 2 });
});

test("a request that is under way still counts: acknowledged, it is not sent again", async () => {
  const { webhook, respond } = await pauseUnderWay();
  await respond(200);
  expect(await statesOf(webhook)).toEqual(["delivered 0 1"]);
  await resume(webhook);
  await runDeliveryJobs(webhook.endpoint.id);
  expect(webhook.receiver.received).toHaveLength(1);
});

test.each([500, 410])("one that ends with %i is sent again afterwards, and the endpoint stays paused", async (code) => {
  const { webhook, respond } = await pauseUnderWay();
  await set(webhook, "failure_count = 24");
  await respond(code);
  expect(await statesOf(webhook)).toEqual(["held 0 1"]);
  const shown = await getEndpoint(webhook.account.actor, webhook.endpoint.id);
  expect(shown).toMatchObject({ is_active: false, disabled_reason: null, paused_at: shown.disabled_at });
  expect(await resume(webhook)).toMatchObject({ is_active: true, failure_count: 0 });
  await runDeliveryJobs(webhook.endpoint.id);
  expect(await statesOf(webhook)).toEqual(["delivered 1 1"]);
});

test("one that outlasts the pause neither counts against the endpoint nor is sent twice", async () => {
  const { webhook, respond } = await pauseUnderWay();
  await resume(webhook);
  await set(webhook, "failure_count = 24");
  await respond(500);
  expect(await getEndpoint(webhook.account.actor, webhook.endpoint.id)).toMatchObject({
    is_active: true,
    failure_count: 24,
  });
  expect(await statesOf(webhook)).toEqual(["pending 0 1"]);
  expect(webhook.receiver.received).toHaveLength(1);
});

test("deliveries that were parked before the pause stay so", async () => {
  const webhook = await start();
  await set(webhook, "is_active = false, disabled_at = now(), disabled_reason = 'gone'");
  await raiseSent(webhook, 2);
  await enableEndpoint(webhook.account.actor, webhook.endpoint.id);
  await pause(webhook);
  await raiseSent(webhook);
  await resume(webhook);
  await runDeliveryJobs(webhook.endpoint.id);
  expect(await countsOf(webhook)).toEqual({ "held 0 0": 2, "delivered 1 1": 1 });
});

test("enabling ends a pause too, and leaves its deliveries to a recovery", async () => {
  const webhook = await start();
  const { account, endpoint } = webhook;
  await pause(webhook);
  await raiseSent(webhook, 2);
  expect(await enableEndpoint(account.actor, endpoint.id)).toMatchObject({ is_active: true, paused_at: null });
  await resume(webhook);
  await sweepWebhooks();
  expect(await countsOf(webhook)).toEqual({ "held 0 0": 2 });
  expect((await recoverDeliveries(account.actor, { id: endpoint.id, since: "2020-01-01T00:00:00Z" })).recovered).toBe(
    2,
  );
});

test("an endpoint that failures have disabled is neither paused nor resumed", async () => {
  const webhook = await start();
  await set(webhook, "is_active = false, disabled_at = now(), disabled_reason = 'consecutive_failures'");
  expect(await pause(webhook)).toMatchObject({ disabled_reason: "consecutive_failures", paused_at: null });
  await expect(resume(webhook)).rejects.toMatchObject({ wire: { details: { reason: "endpoint_disabled" } } });
  expect(await getEndpoint(webhook.account.actor, webhook.endpoint.id)).toMatchObject({ is_active: false });
});

test("a version that knows no pauses leaves traces, which do not make a disabled endpoint a paused one", async () => {
  const webhook = await start();
  await pause(webhook);
  await set(webhook, "is_active = true, disabled_at = NULL");
  expect(await getEndpoint(webhook.account.actor, webhook.endpoint.id)).toMatchObject({ paused_at: null });
  await set(webhook, "is_active = false, disabled_at = now() + interval '1 hour', disabled_reason = 'gone'");
  expect(await getEndpoint(webhook.account.actor, webhook.endpoint.id)).toMatchObject({
    paused_at: null,
    paused_by: null,
    disabled_reason: "gone",
  });
});

test("what a process that died has not sent is sent by the sweep, once", async () => {
  const webhook = await start();
  const { account, endpoint } = webhook;
  await pause(webhook);
  await raiseEvents(account, await makeMessages(account, 1_200));
  await resumeAndDie(webhook);
  await releaseParked(endpoint.id, { stepsMax: 1 });
  expect(await countsOf(webhook)).toEqual({ "pending 1 0": 1_000, "held 0 0": 200 });
  await Promise.all([sweepWebhooks(), resume(webhook)]);
  expect(await countsOf(webhook)).toEqual({ "pending 1 0": 1_200 });
  await runDeliveryJobs(endpoint.id);
  expect(await countsOf(webhook)).toEqual({ "delivered 1 1": 1_200 });
  expect(new Set(receivedBy(webhook)).size).toBe(1_200);
  expect(webhook.receiver.received).toHaveLength(1_200);
});

test("the call parks 20,000 deliveries; the others wait, unsent, for the time of their tries", async () => {
  const webhook = await start();
  const { account, endpoint } = webhook;
  await pool().query(
    `INSERT INTO webhook_deliveries (id, account_id, endpoint_id, event_id, created_at, status, next_attempt_at, attempts)
     SELECT 'del_' || n || $2, $1, $2, 'evt_' || n, now(), 'pending', now() + n * interval '1 second', 1
     FROM generate_series(1, 20100) n`,
    [account.accountId, endpoint.id],
  );
  await rebuildListTotals();
  await pause(webhook);
  expect(await countsOf(webhook)).toEqual({ "held 0 1": 20_000, "pending 0 1": 100 });
});

test("one whose release fails does not keep the others from theirs", async () => {
  const webhooks = [await start(), await start()].sort((one, other) => (one.endpoint.id < other.endpoint.id ? -1 : 1));
  for (const webhook of webhooks) {
    await pause(webhook);
    await raiseSent(webhook);
    await resumeAndDie(webhook);
  }
  const [failing, other] = webhooks as [TestWebhook, TestWebhook];
  await pool().query(
    `ALTER TABLE webhook_deliveries ADD CONSTRAINT refused CHECK (endpoint_id <> '${failing.endpoint.id}' OR status <> 'pending')`,
  );
  await expect(sweepWebhooks()).rejects.toThrow("refused");
  await pool().query("ALTER TABLE webhook_deliveries DROP CONSTRAINT refused");
  expect(await countsOf(failing)).toEqual({ "held 0 0": 1 });
  expect(await countsOf(other)).toEqual({ "pending 1 0": 1 });
  await sweepWebhooks();
  expect(await countsOf(failing)).toEqual({ "pending 1 0": 1 });
});

test("one that is paused again before all is sent sends the rest after the second pause", async () => {
  const webhook = await start();
  const { account, endpoint } = webhook;
  await pause(webhook);
  await raiseEvents(account, await makeMessages(account, 1_100));
  await resumeAndDie(webhook);
  await releaseParked(endpoint.id, { stepsMax: 1 });
  await pause(webhook);
  expect(await countsOf(webhook)).toEqual({ "held 1 0": 1_000, "held 0 0": 100 });
  await sweepWebhooks();
  expect((await countsOf(webhook))["held 0 0"]).toBe(100);
  await resume(webhook);
  expect((await countsOf(webhook))["held 0 0"]).toBeUndefined();
});

test("one that is deleted while it is paused sends nothing, and cannot be resumed", async () => {
  const webhook = await start();
  await raiseSent(webhook);
  await pause(webhook);
  await raiseSent(webhook);
  await deleteEndpoint(webhook.account.actor, webhook.endpoint.id);
  await expect(resume(webhook)).rejects.toMatchObject({ status: 404 });
  await expect(pause(webhook)).rejects.toMatchObject({ status: 404 });
  await runDeliveryJobs(webhook.endpoint.id);
  await sweepWebhooks();
  expect(await countsOf(webhook)).toEqual({ "held 0 0": 1, "abandoned 0 0": 1 });
  expect(webhook.receiver.received).toHaveLength(0);
});

test("of pauses and resumptions at the same time, each delivery is sent once", async () => {
  const webhook = await start();
  const { account, endpoint } = webhook;
  const changes = Array.from({ length: 6 }, (_, at) => (at % 2 === 0 ? pause : resume));
  const sending = (async () => {
    for (let round = 0; round < 6; round += 1) {
      await raiseSent(webhook, 5);
      await runDeliveryJobs(endpoint.id);
    }
  })();
  for (const change of changes) await change(webhook);
  await Promise.all([sending, resume(webhook), pause(webhook), resume(webhook)]);
  await resume(webhook);
  await runDeliveryJobs(endpoint.id);
  expect((await getEndpoint(account.actor, endpoint.id)).is_active).toBe(true);
  const states = Object.keys(await countsOf(webhook));
  expect(states.every((state) => state.startsWith("delivered"))).toBe(true);
  expect(new Set(receivedBy(webhook)).size).toBe(30);
});
