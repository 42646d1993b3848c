/** Whether a pause has parked a delivery is known without comparing clocks, whatever version of the service has parked it. */
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { deliveriesOf, raiseSent, runDeliveryJobs, type TestWebhook, webhooksOfFile } from "@/test/database/webhooks";
import { status } from "@/test/network/receiver";
import { pool } from "../core/db";
import { pauseEndpoint, resumeEndpoint } from "./pause";
import { enableEndpoint } from "./service";

const start = webhooksOfFile();

const pause = ({ account, endpoint }: TestWebhook) => pauseEndpoint(account.actor, endpoint.id);
const resume = ({ account, endpoint }: TestWebhook) => resumeEndpoint(account.actor, endpoint.id);

const set = ({ endpoint }: TestWebhook, columns: string) =>
  pool().query(`UPDATE webhook_endpoints SET ${columns} WHERE id = $1`, [endpoint.id]);

/** As a pause by a clock that is an hour ahead, and is set back right after it. */
const pauseAhead = async (webhook: TestWebhook) => {
  await set(webhook, "resume_from = date_trunc('milliseconds', now()) + interval '1 hour'");
  await pause(webhook);
};

/** As if what is parked had been parked by a clock that was an hour ahead. */
const parkedAhead = ({ endpoint }: TestWebhook) =>
  pool().query(
    `UPDATE webhook_deliveries SET created_at = created_at + interval '1 hour', held_at = held_at + interval '1 hour'
     WHERE endpoint_id = $1`,
    [endpoint.id],
  );

const statusesOf = async ({ endpoint }: TestWebhook) => (await deliveriesOf(endpoint.id)).map((each) => each.status);

/** A request that the receiver responds to later. */
async function underWay(webhook: TestWebhook) {
  const hanging: ServerResponse[] = [];
  webhook.receiver.respondWith((response) => void hanging.push(response));
  const running = runDeliveryJobs(webhook.endpoint.id);
  await expect.poll(() => hanging).toHaveLength(1);
  return async () => {
    webhook.receiver.respondWith(status(200));
    hanging[0]?.writeHead(500).end();
    await running;
  };
}

async function expectSentAfterwards(webhook: TestWebhook) {
  expect(await statusesOf(webhook)).toEqual(["held"]);
  webhook.receiver.respondWith(status(200));
  await resume(webhook);
  await runDeliveryJobs(webhook.endpoint.id);
  expect(await statusesOf(webhook)).toEqual(["delivered"]);
}

test("an event that is raised after the clock has gone back is sent", async () => {
  const webhook = await start();
  await pauseAhead(webhook);
  await raiseSent(webhook);
  await expectSentAfterwards(webhook);
});

test("a first try that waited is", async () => {
  const webhook = await start();
  await raiseSent(webhook);
  await pauseAhead(webhook);
  await runDeliveryJobs(webhook.endpoint.id);
  await expectSentAfterwards(webhook);
});

test("a later try that waited is", async () => {
  const webhook = await start(status(500));
  await raiseSent(webhook);
  await runDeliveryJobs(webhook.endpoint.id);
  await pauseAhead(webhook);
  await expectSentAfterwards(webhook);
});

test.each([1, 2])("one whose request number %i was under way, and failed, is", async (number) => {
  const webhook = await start(status(500));
  await raiseSent(webhook);
  if (number === 2) await runDeliveryJobs(webhook.endpoint.id);
  const fail = await underWay(webhook);
  await pauseAhead(webhook);
  await fail();
  await expectSentAfterwards(webhook);
});

test("what failures had parked before, by a clock that was ahead, stays so", async () => {
  const webhook = await start();
  await set(webhook, "is_active = false, disabled_at = now(), disabled_reason = 'gone'");
  await raiseSent(webhook);
  await parkedAhead(webhook);
  await enableEndpoint(webhook.account.actor, webhook.endpoint.id);
  await pause(webhook);
  await resume(webhook);
  expect(await statusesOf(webhook)).toEqual(["held"]);
});

test("what an earlier pause had parked, which was ended by enabling, stays so too", async () => {
  const webhook = await start();
  await pauseAhead(webhook);
  await raiseSent(webhook);
  await parkedAhead(webhook);
  await enableEndpoint(webhook.account.actor, webhook.endpoint.id);
  await pause(webhook);
  await resume(webhook);
  expect(await statusesOf(webhook)).toEqual(["held"]);
});

test("what a version parks that does not know pauses is sent, even if it is older than the pause", async () => {
  const webhook = await start(status(500));
  await raiseSent(webhook, 2);
  await runDeliveryJobs(webhook.endpoint.id);
  const [parked, inserted] = await deliveriesOf(webhook.endpoint.id);
  await pause(webhook);
  await pool().query(
    "UPDATE webhook_deliveries SET status = 'pending', next_attempt_at = now(), held_at = now() - interval '1 day' WHERE id = $1",
    [parked?.id],
  );
  // Its statements, without `held_at`.
  await pool().query("UPDATE webhook_deliveries SET status = 'held', next_attempt_at = NULL WHERE id = $1", [
    parked?.id,
  ]);
  await pool().query(
    `WITH gone AS (DELETE FROM webhook_deliveries WHERE id = $1 RETURNING *)
     INSERT INTO webhook_deliveries (id, account_id, endpoint_id, event_id, created_at, status)
     SELECT id || '', account_id, endpoint_id, event_id, created_at, 'held' FROM gone`,
    [inserted?.id],
  );
  webhook.receiver.respondWith(status(200));
  await resume(webhook);
  await runDeliveryJobs(webhook.endpoint.id);
  expect(await statusesOf(webhook)).toEqual(["delivered", "delivered"]);
});
