/** Deliveries that are sent again by hand while a request of theirs is under way. */
import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import {
  deliveriesOf,
  raiseSent,
  runDeliveryJobs,
  type TestWebhook,
  triesOf,
  webhooksOfFile,
} from "@/test/database/webhooks";
import { status } from "@/test/network/receiver";
import { pool } from "../../core/db";
import { enableEndpoint } from "../service";
import { parkAllPending } from "../store";
import { listDeliveries } from "./list-deliveries";
import { recoverDeliveries } from "./recover";
import { resendDeliveries } from "./resend";

const start = webhooksOfFile();

const resendAll = async ({ account, endpoint }: TestWebhook) => {
  const ids = (await deliveriesOf(endpoint.id)).map(({ id }) => id);
  return resendDeliveries(account.actor, { id: endpoint.id, delivery_ids: ids });
};

const recoverAll = ({ account, endpoint }: TestWebhook) =>
  recoverDeliveries(account.actor, { id: endpoint.id, since: "2020-01-01T00:00:00Z" });

const statesOf = async ({ endpoint }: TestWebhook) =>
  (await deliveriesOf(endpoint.id)).map((each) => `${each.status} ${each.round} ${each.attempts}`);

const disable = ({ endpoint }: TestWebhook) =>
  pool().query("UPDATE webhook_endpoints SET is_active = false WHERE id = $1", [endpoint.id]);

/** A delivery that was parked, because another request failed, while its second try is under way. */
async function parkUnderWay() {
  const webhook = await start(status(500));
  const { endpoint, receiver } = webhook;
  await raiseSent(webhook);
  await runDeliveryJobs(endpoint.id);
  await pool().query("UPDATE webhook_deliveries SET next_attempt_at = clock_timestamp() WHERE endpoint_id = $1", [
    endpoint.id,
  ]);
  const hanging: ServerResponse[] = [];
  receiver.respondWith((response) => void hanging.push(response));
  const running = runDeliveryJobs(endpoint.id);
  await expect.poll(() => hanging).toHaveLength(1);
  await disable(webhook);
  await parkAllPending(endpoint.id);
  expect(await statesOf(webhook)).toEqual(["held 0 1"]);
  await enableEndpoint(webhook.account.actor, endpoint.id);
  return {
    webhook,
    respond: async (code: number) => {
      receiver.respondWith(status(200));
      hanging[0]?.writeHead(code).end();
      await running;
    },
  };
}

describe.each([
  ["resent", resendAll],
  ["recovered", recoverAll],
])("a parked delivery that is %s while its request is under way", (_, sendAgain) => {
  test("is not sent a second time when that request is acknowledged", async () => {
    const { webhook, respond } = await parkUnderWay();
    expect((await sendAgain(webhook)).recovered).toBe(1);
    await respond(200);
    await runDeliveryJobs(webhook.endpoint.id);
    expect(webhook.receiver.received).toHaveLength(2);
    expect(await statesOf(webhook)).toEqual(["delivered 0 2"]);
  });

  test("begins its next round when that request fails", async () => {
    const { webhook, respond } = await parkUnderWay();
    await sendAgain(webhook);
    await respond(500);
    expect(await statesOf(webhook)).toEqual(["pending 1 0"]);
    await runDeliveryJobs(webhook.endpoint.id);
    expect(await statesOf(webhook)).toEqual(["delivered 1 1"]);
    expect((await triesOf(webhook.endpoint.id)).map((made) => `${made.round}.${made.attempt}`)).toEqual([
      "0.1",
      "0.2",
      "1.1",
    ]);
    expect(webhook.receiver.received).toHaveLength(3);
  });

  test("begins its next round once: a further failure uses up a try of that round", async () => {
    const { webhook, respond } = await parkUnderWay();
    await sendAgain(webhook);
    await respond(500);
    webhook.receiver.respondWith(status(500));
    await runDeliveryJobs(webhook.endpoint.id);
    expect(await statesOf(webhook)).toEqual(["pending 1 1"]);
  });
});

test("one whose request is never recorded, as that of a dead worker, is sent by a job that was queued for that", async () => {
  const { webhook, respond } = await parkUnderWay();
  await resendAll(webhook);
  await pool().query("ALTER TABLE webhook_tries RENAME TO webhook_tries_away");
  await expect(respond(500)).rejects.toThrow("webhook_tries");
  await pool().query("ALTER TABLE webhook_tries_away RENAME TO webhook_tries");
  await runDeliveryJobs(webhook.endpoint.id);
  expect(await statesOf(webhook)).toEqual(["delivered 0 2"]);
});

test("one that is parked again keeps waiting for its request, and a second click changes nothing", async () => {
  const { webhook, respond } = await parkUnderWay();
  await resendAll(webhook);
  expect(await resendAll(webhook)).toMatchObject({ recovered: 0, left: 1, tried_by: null });
  const { items } = await listDeliveries(webhook.account.actor, { id: webhook.endpoint.id, page: 1, limit: 1 });
  expect(items[0]).toMatchObject({ status: "pending", next_attempt_state: "due" });
  await disable(webhook);
  await parkAllPending(webhook.endpoint.id);
  await enableEndpoint(webhook.account.actor, webhook.endpoint.id);
  expect((await recoverAll(webhook)).recovered).toBe(1);
  expect(await statesOf(webhook)).toEqual(["pending 0 1"]);
  await respond(200);
  await runDeliveryJobs(webhook.endpoint.id);
  expect(await statesOf(webhook)).toEqual(["delivered 0 2"]);
  expect(webhook.receiver.received).toHaveLength(2);
});

test("one that was parked while it waited for a later try is sent again at once", async () => {
  const webhook = await start(status(500));
  await raiseSent(webhook);
  await runDeliveryJobs(webhook.endpoint.id);
  await disable(webhook);
  await parkAllPending(webhook.endpoint.id);
  await enableEndpoint(webhook.account.actor, webhook.endpoint.id);
  await resendAll(webhook);
  expect(await statesOf(webhook)).toEqual(["pending 1 0"]);
});
