import { describe, expect, test } from "vitest";
import { openTransaction, untilWaiting } from "@/test/database/lock-waits";
import {
  deliveriesOf,
  deliveryJobsOf,
  makeMessages,
  raiseSent,
  recordWaitingOf,
  runDeliveryJobs,
  type TestWebhook,
  takeDeliveryJobs,
  triesOf,
  webhooksOfFile,
} from "@/test/database/webhooks";
import { status } from "@/test/network/receiver";
import { pool } from "../core/db";
import { newId } from "../core/ids";
import { readTotal } from "../lists/store";
import { readHistory } from "../messages/history";
import { deleteEndpoint, enableEndpoint, getEndpoint } from "./service";
import { parkAllPending } from "./store";
import { deliverWebhooks } from "./tasks";

const setUp = webhooksOfFile();

const runJobs = ({ endpoint }: TestWebhook, options?: Parameters<typeof runDeliveryJobs>[1]) =>
  runDeliveryJobs(endpoint.id, options);

const stateOf = ({ account, endpoint }: TestWebhook) => getEndpoint(account.actor, endpoint.id);

describe("a job", () => {
  test("that is run again after it has ended neither sends nor counts again", async () => {
    const setup = await setUp(status(500));
    await raiseSent(setup, 3);
    const [job] = await takeDeliveryJobs(setup.endpoint.id);
    if (!job) throw new Error("There is no job.");
    await deliverWebhooks(job.payload);
    await deliverWebhooks(job.payload);
    expect(setup.receiver.received).toHaveLength(3);
    expect(await stateOf(setup)).toMatchObject({ failure_count: 3 });
    const retries = await takeDeliveryJobs(setup.endpoint.id);
    expect(retries.flatMap((retry) => retry.payload.deliveryIds).sort()).toEqual([...job.payload.deliveryIds].sort());
  });

  test("that runs twice concurrently may send twice but counts once", async () => {
    const setup = await setUp(status(500));
    await raiseSent(setup, 3);
    const [job] = await takeDeliveryJobs(setup.endpoint.id);
    if (!job) throw new Error("There is no job.");
    await Promise.all([deliverWebhooks(job.payload), deliverWebhooks(job.payload)]);
    expect((await deliveriesOf(setup.endpoint.id)).map((delivery) => delivery.attempts)).toEqual([1, 1, 1]);
    expect(await triesOf(setup.endpoint.id)).toHaveLength(3);
    expect(await stateOf(setup)).toMatchObject({ failure_count: 3 });
    const retries = (await takeDeliveryJobs(setup.endpoint.id)).filter((retry) => retry.payload.attemptsMade === 1);
    expect(retries.flatMap((retry) => retry.payload.deliveryIds)).toHaveLength(3);
  });

  test("whose outcome cannot be written throws, and uses up no try", async () => {
    const setup = await setUp(status(500));
    await raiseSent(setup);
    const [job] = await takeDeliveryJobs(setup.endpoint.id);
    if (!job) throw new Error("There is no job.");
    await pool().query("ALTER TABLE webhook_tries RENAME TO webhook_tries_away");
    await expect(deliverWebhooks(job.payload)).rejects.toThrow("webhook_tries");
    await pool().query("ALTER TABLE webhook_tries_away RENAME TO webhook_tries");
    expect(await deliveriesOf(setup.endpoint.id)).toEqual([]);
    expect(await stateOf(setup)).toMatchObject({ failure_count: 0, last_failure_at: null });
    setup.receiver.respondWith(status(200));
    await deliverWebhooks(job.payload);
    expect(await deliveriesOf(setup.endpoint.id)).toMatchObject([{ status: "delivered", attempts: 1 }]);
  });

  test("that ends between a response and its commit sends the event again, and counts it once", async () => {
    const setup = await setUp(status(200));
    await raiseSent(setup);
    const [job] = await takeDeliveryJobs(setup.endpoint.id);
    if (!job) throw new Error("There is no job.");
    await pool().query("ALTER TABLE list_totals RENAME TO list_totals_away");
    await expect(deliverWebhooks(job.payload)).rejects.toThrow("list_totals");
    await pool().query("ALTER TABLE list_totals_away RENAME TO list_totals");
    expect(await deliveriesOf(setup.endpoint.id)).toEqual([]);
    for (const _ of Array(2)) await deliverWebhooks(job.payload);
    const ids = setup.receiver.received.map(({ body }) => JSON.parse(body.toString()).id);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    expect(await deliveriesOf(setup.endpoint.id)).toMatchObject([
      { eventId: ids[0], status: "delivered", attempts: 1 },
    ]);
    expect(await triesOf(setup.endpoint.id)).toMatchObject([{ round: 0, attempt: 1, statusCode: 200, error: null }]);
    const total = await readTotal("deliveries", { ownerId: setup.endpoint.id });
    expect(total).toBe(1);
  });

  test("of a version before, whose deliveries have random ids and rows, is carried out", async () => {
    const setup = await setUp(status(200));
    const { account, endpoint } = setup;
    const [messageId = ""] = await makeMessages(account, 1);
    const [eventId, deliveryId] = [newId("event"), newId("delivery")];
    await pool().query(
      "INSERT INTO events (id, account_id, type, message_id, status, created_at) VALUES ($1, $2, 'message.sent', $3, 'sent', now())",
      [eventId, account.accountId, messageId],
    );
    await pool().query(
      `INSERT INTO webhook_deliveries (id, account_id, endpoint_id, event_id, created_at, status, next_attempt_at)
       VALUES ($1, $2, $3, $4, now(), 'pending', date_trunc('milliseconds', now()))`,
      [deliveryId, account.accountId, endpoint.id, eventId],
    );
    await deliverWebhooks({ endpointId: endpoint.id, deliveryIds: [deliveryId], attemptsMade: 0, round: 0 });
    expect(setup.receiver.received.map(({ body }) => JSON.parse(body.toString()).id)).toEqual([eventId]);
    expect(await deliveriesOf(endpoint.id)).toMatchObject([{ id: deliveryId, status: "delivered", attempts: 1 }]);
    const history = await readHistory(account.actor, messageId);
    expect(history.events.map((event) => event.id)).toEqual([eventId]);
    expect(history.deliveries).toMatchObject([{ id: deliveryId, tries: [{ attempt: 1, statusCode: 200 }] }]);
  });

  test("that names no number of tries sends the deliveries that are due", async () => {
    const setup = await setUp(status(500));
    await raiseSent(setup, 2);
    await runJobs(setup);
    const [due, later] = await deliveriesOf(setup.endpoint.id);
    if (!due || !later) throw new Error("There are no deliveries.");
    await pool().query("UPDATE webhook_deliveries SET next_attempt_at = now() - interval '1 second' WHERE id = $1", [
      due.id,
    ]);
    await deliverWebhooks({ endpointId: setup.endpoint.id, deliveryIds: [due.id, later.id] });
    expect((await deliveriesOf(setup.endpoint.id)).map((delivery) => delivery.attempts)).toEqual([2, 1]);
  });

  test("that is aborted requeues the deliveries it has not sent", async () => {
    const setup = await setUp();
    await raiseSent(setup, 2);
    await runJobs(setup, { signal: AbortSignal.abort() });
    expect(setup.receiver.received).toEqual([]);
    await runJobs(setup);
    expect(setup.receiver.received).toHaveLength(2);
  });

  test("of an unknown endpoint does nothing", async () => {
    await deliverWebhooks({ endpointId: "whe_none", deliveryIds: ["dlv_none"], attemptsMade: 0, isRequeued: true });
    expect(await deliveryJobsOf("whe_none")).toEqual([]);
    expect(await deliveriesOf("whe_none")).toEqual([]);
  });
});

describe("an endpoint", () => {
  test("is disabled by 25 consecutive failures, and its pending deliveries are parked", async () => {
    const setup = await setUp(status(500));
    await raiseSent(setup);
    await runJobs(setup);
    await raiseSent(setup, 80);
    const waiting = await takeDeliveryJobs(setup.endpoint.id);
    for (const { payload } of waiting.filter((job) => job.payload.attemptsMade === 0)) await deliverWebhooks(payload);

    const state = await stateOf(setup);
    expect(state).toMatchObject({
      is_active: false,
      disabled_at: expect.any(String),
      disabled_reason: "consecutive_failures",
    });
    expect(state.failure_count).toBe(setup.receiver.received.length);
    expect(state.failure_count).toBeGreaterThanOrEqual(25);
    // At most the requests that were running when the 25th failed.
    expect(state.failure_count).toBeLessThan(25 + 16);
    const deliveries = await deliveriesOf(setup.endpoint.id);
    expect(deliveries).toHaveLength(81);
    expect(new Set(deliveries.map((each) => `${each.status} ${each.nextAttemptAt}`))).toEqual(new Set(["held null"]));

    // Older jobs find nothing to do, even after the endpoint is enabled again.
    const sent = setup.receiver.received.length;
    for (const { payload } of waiting) await deliverWebhooks(payload);
    await enableEndpoint(setup.account.actor, setup.endpoint.id);
    for (const { payload } of waiting) await deliverWebhooks(payload);
    expect(setup.receiver.received).toHaveLength(sent);
  });

  test("that was disabled has all pending deliveries parked, however many there are", async () => {
    const setup = await setUp();
    await raiseSent(setup, 2_100);
    await recordWaitingOf(setup.endpoint.id);
    await pool().query("UPDATE webhook_endpoints SET is_active = false WHERE id = $1", [setup.endpoint.id]);
    expect(await parkAllPending(setup.endpoint.id)).toBe(true);
    expect(new Set((await deliveriesOf(setup.endpoint.id)).map((each) => each.status))).toEqual(new Set(["held"]));
  });

  test("is not disabled by failures with a success in between", async () => {
    const setup = await setUp(status(500));
    for (const answer of [500, 200, 500]) {
      setup.receiver.respondWith(status(answer));
      await raiseSent(setup, answer === 200 ? 1 : 20);
      const jobs = await takeDeliveryJobs(setup.endpoint.id);
      for (const { payload } of jobs.filter((job) => job.payload.attemptsMade === 0)) await deliverWebhooks(payload);
    }
    expect(await stateOf(setup)).toMatchObject({ is_active: true, failure_count: 20 });
  });

  test("that was disabled has its deliveries parked by their jobs", async () => {
    const setup = await setUp();
    await raiseSent(setup, 2);
    await pool().query("UPDATE webhook_endpoints SET is_active = false WHERE id = $1", [setup.endpoint.id]);
    await runJobs(setup);
    expect((await deliveriesOf(setup.endpoint.id)).map((delivery) => delivery.status)).toEqual(["held", "held"]);
    expect(setup.receiver.received).toEqual([]);
  });

  test("that is enabled while a job is about to park its deliveries gets them", async () => {
    const setup = await setUp();
    await raiseSent(setup, 2);
    const set = "UPDATE webhook_endpoints SET is_active = $2 WHERE id = $1";
    await pool().query(set, [setup.endpoint.id, false]);
    const enabling = await openTransaction((tx) => tx.query(set, [setup.endpoint.id, true]));
    const parking = runJobs(setup);
    await untilWaiting("webhook_endpoints");
    await enabling.commit();
    await parking;
    await runJobs(setup);
    expect((await deliveriesOf(setup.endpoint.id)).map((each) => each.status)).toEqual(["delivered", "delivered"]);
    expect(setup.receiver.received).toHaveLength(2);
  });

  test("that was deleted gets no more events", async () => {
    const setup = await setUp();
    await raiseSent(setup, 2);
    await deleteEndpoint(setup.account.actor, setup.endpoint.id);
    await runJobs(setup);
    const deliveries = await deliveriesOf(setup.endpoint.id);
    expect(deliveries.map((delivery) => delivery.status)).toEqual(["abandoned", "abandoned"]);
    expect(setup.receiver.received).toEqual([]);
  });
});
