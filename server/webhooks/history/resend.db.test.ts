import { expect, test } from "vitest";
import { startRunner } from "@/test/database/queue";
import {
  deliveriesOf,
  makeMessages,
  raiseEvents,
  recordWaitingOf,
  runDeliveryJobs,
  webhooksOfFile,
} from "@/test/database/webhooks";
import { status } from "@/test/network/receiver";
import { webhookTasks } from "@/worker/tasks";
import { pool } from "../../core/db";
import { isApiError } from "../../core/errors";
import { readTotal } from "../../lists/store";
import { listDeliveries } from "./list-deliveries";
import { resendDeliveries } from "./resend";

const start = webhooksOfFile();

async function setUp(answer?: Parameters<typeof start>[0]) {
  const webhook = await start(answer);
  await raiseEvents(webhook.account, await makeMessages(webhook.account, 1));
  await recordWaitingOf(webhook.endpoint.id);
  const [delivery] = await deliveriesOf(webhook.endpoint.id);
  const again = (deliveryId = delivery?.id ?? "", actor = webhook.account.actor) =>
    resendDeliveries(actor, { id: webhook.endpoint.id, delivery_ids: [deliveryId] });
  const state = async () => {
    const [now] = await deliveriesOf(webhook.endpoint.id);
    return now && { status: now.status, round: now.round, attempts: now.attempts };
  };
  return { ...webhook, again, state };
}

const refusalOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (thrown: unknown) => (isApiError(thrown) ? thrown.status : thrown),
  );

test("a delivered event is sent once more, in the next round, and the totals still agree", async () => {
  const { account, endpoint, again, state, receiver } = await setUp();
  await runDeliveryJobs(endpoint.id);
  expect(await state()).toEqual({ status: "delivered", round: 0, attempts: 1 });
  expect((await again()).recovered).toBe(1);
  expect(await state()).toEqual({ status: "pending", round: 1, attempts: 0 });
  // It is queued already: a second click changes nothing.
  expect((await again()).recovered).toBe(0);
  await runDeliveryJobs(endpoint.id);
  expect(await state()).toEqual({ status: "delivered", round: 1, attempts: 1 });
  expect(receiver.received).toHaveLength(2);
  const { items } = await listDeliveries(account.actor, { id: endpoint.id, page: 1, limit: 10 });
  expect(items[0]?.tries.map(({ round, attempt, status_code }) => [round, attempt, status_code])).toEqual([
    [0, 1, 200],
    [1, 1, 200],
  ]);
  expect(await readTotal("deliveries", { ownerId: endpoint.id, kind: "delivered" })).toBe(1);
  expect(await readTotal("deliveries", { ownerId: endpoint.id, kind: "pending" })).toBe(0);
});

test("one that waits after a failed try is sent at once", async () => {
  const { endpoint, again, state } = await setUp(status(500));
  await runDeliveryJobs(endpoint.id);
  expect(await state()).toEqual({ status: "pending", round: 0, attempts: 1 });
  expect((await again()).recovered).toBe(1);
  expect(await state()).toEqual({ status: "pending", round: 1, attempts: 0 });
});

test("one whose next try is due, or under way, is left to it: no event is sent twice at a time", async () => {
  const { endpoint, receiver, again, state } = await setUp(status(500));
  await runDeliveryJobs(endpoint.id);
  await pool().query("UPDATE webhook_deliveries SET next_attempt_at = clock_timestamp() WHERE endpoint_id = $1", [
    endpoint.id,
  ]);
  let respond = () => {};
  const asked = new Promise<void>((resolve) => {
    receiver.respondWith((response) => {
      respond = () => void response.writeHead(200).end();
      resolve();
    });
  });
  await pool().query("UPDATE graphile_worker._private_jobs SET run_at = now() WHERE payload->>'endpointId' = $1", [
    endpoint.id,
  ]);
  const runner = await startRunner({ deliver_webhooks: webhookTasks.deliver_webhooks }, 1);
  await asked;
  expect((await again()).recovered).toBe(0);
  expect(await state()).toEqual({ status: "pending", round: 0, attempts: 1 });
  respond();
  await runner.stop();
  expect(await state()).toEqual({ status: "delivered", round: 0, attempts: 2 });
  await runDeliveryJobs(endpoint.id);
  expect(receiver.received).toHaveLength(2);
});

test("a delivery of somebody else, or of another endpoint, is not there", async () => {
  const one = await setUp();
  const other = await setUp();
  const [foreign] = await deliveriesOf(other.endpoint.id);
  expect(await refusalOf(one.again(foreign?.id))).toBe(404);
  expect(await refusalOf(one.again(undefined, other.account.actor))).toBe(404);
});

test("several are sent again at once, and none when one of them is not there", async () => {
  const { account, endpoint, receiver, state } = await setUp();
  await raiseEvents(account, await makeMessages(account, 3));
  await runDeliveryJobs(endpoint.id);
  const ids = (await deliveriesOf(endpoint.id)).map(({ id }) => id);
  expect(ids).toHaveLength(4);
  const resend = (delivery_ids: string[]) => resendDeliveries(account.actor, { id: endpoint.id, delivery_ids });
  expect(await refusalOf(resend([...ids, "dlv_nowhere"]))).toBe(404);
  expect(await state()).toMatchObject({ status: "delivered", round: 0 });
  const before = receiver.received.length;
  expect((await resend([...ids, ids[0] ?? ""])).recovered).toBe(4);
  await runDeliveryJobs(endpoint.id);
  expect(receiver.received).toHaveLength(before + 4);
  expect((await deliveriesOf(endpoint.id)).map(({ status: now, round }) => [now, round])).toEqual(
    ids.map(() => ["delivered", 1]),
  );
});
