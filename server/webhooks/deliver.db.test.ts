import { afterEach, describe, expect, test } from "vitest";
import { type Receiver, startReceiver, status } from "@/e2e/support/receiver";
import { makeAccount } from "@/e2e/support/seed";
import { deliveriesOf, makeMessages, raiseEvents, takeDeliveryJobs, triesOf } from "@/e2e/support/webhooks";
import { pool } from "../core/db";
import { Event } from "./schema";
import { createEndpoint, deleteEndpoint, enableEndpoint, getEndpoint, listEvents } from "./service";
import { verifySignature } from "./signature";
import { deliverWebhooks } from "./tasks";

const receivers: Receiver[] = [];

afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});

/** An account with an endpoint at a receiver of its own. */
async function setUp(...args: Parameters<typeof startReceiver>) {
  const receiver = await startReceiver(...args);
  receivers.push(receiver);
  const account = await makeAccount();
  const endpoint = await createEndpoint(account.actor, { url: receiver.url });
  return { account, endpoint, receiver };
}

type Setup = Awaited<ReturnType<typeof setUp>>;

const raise = async ({ account }: Setup, count = 1) => raiseEvents(account, await makeMessages(account, count));

/** Runs the jobs that wait for the endpoint now, whenever they are due; returns when they were due. */
async function runJobs({ endpoint }: Setup, options?: Parameters<typeof deliverWebhooks>[1]): Promise<Date[]> {
  const jobs = await takeDeliveryJobs(endpoint.id);
  for (const { payload } of jobs) await deliverWebhooks(payload, options);
  return jobs.map((job) => job.runAt);
}

const stateOf = ({ account, endpoint }: Setup) => getEndpoint(account.actor, endpoint.id);

describe("a delivery", () => {
  test("carries the event that GET /events shows, signed over the raw body", async () => {
    const setup = await setUp();
    await raise(setup);
    await runJobs(setup);
    const [request] = setup.receiver.received;
    const rawBody = request?.body ?? Buffer.alloc(0);
    const verified = verifySignature({
      header: String(request?.headers["service-signature"]),
      secret: setup.endpoint.signing_secret,
      rawBody,
      nowSeconds: Math.floor(Date.now() / 1_000),
    });
    expect(verified).toMatchObject({ valid: true });
    const event = Event.strict().parse(JSON.parse(rawBody.toString("utf8")));
    expect(event).toMatchObject({ object: "event", type: "message.sent", data: { status: "sent", body: "Grüße" } });
    expect((await listEvents(setup.account.actor, { page: 1, limit: 1 })).items).toEqual([event]);
    expect(request?.headers).toMatchObject({ "content-type": "application/json", "user-agent": "Messaging-Service/1" });
  });

  test("that is acknowledged is over, and sets the endpoint's failures back", async () => {
    const setup = await setUp();
    await pool().query("UPDATE webhook_endpoints SET failure_count = 24 WHERE id = $1", [setup.endpoint.id]);
    await raise(setup, 40);
    await runJobs(setup);
    expect(setup.receiver.received).toHaveLength(40);
    const deliveries = await deliveriesOf(setup.endpoint.id);
    expect(new Set(deliveries.map((each) => `${each.status} ${each.attempts}`))).toEqual(new Set(["delivered 1"]));
    expect(await triesOf(setup.endpoint.id)).toHaveLength(40);
    const state = await stateOf(setup);
    expect(state).toMatchObject({ failure_count: 0, last_failure_at: null, is_active: true });
    expect(state.last_success_at).not.toBeNull();
    expect(await takeDeliveryJobs(setup.endpoint.id)).toEqual([]);
  });

  test("that fails is tried after 30 s, 5 min, 30 min, 2 h and 12 h, and abandoned after the sixth", async () => {
    const setup = await setUp(status(503));
    await raise(setup);
    await runJobs(setup);
    for (const [at, delayS] of [30, 300, 1_800, 7_200, 43_200].entries()) {
      const { rows } = await pool().query<{ at: Date }>(
        "SELECT t.created_at AS at FROM webhook_tries t JOIN webhook_deliveries d ON d.id = t.delivery_id WHERE d.endpoint_id = $1 AND t.attempt = $2",
        [setup.endpoint.id, at + 1],
      );
      const dueAt = new Date((rows[0]?.at.getTime() ?? 0) + delayS * 1_000);
      expect(await deliveriesOf(setup.endpoint.id)).toMatchObject([
        { status: "pending", attempts: at + 1, nextAttemptAt: dueAt },
      ]);
      expect(await runJobs(setup)).toEqual([dueAt]);
    }
    expect(await deliveriesOf(setup.endpoint.id)).toMatchObject([
      { status: "abandoned", attempts: 6, nextAttemptAt: null, finishedAt: expect.any(Date) },
    ]);
    expect((await triesOf(setup.endpoint.id)).map((made) => [made.attempt, made.statusCode, made.error])).toEqual(
      [1, 2, 3, 4, 5, 6].map((attempt) => [attempt, 503, "The endpoint answered 503."]),
    );
    expect(await takeDeliveryJobs(setup.endpoint.id)).toEqual([]);
    expect(await stateOf(setup)).toMatchObject({ failure_count: 6, is_active: true });
  });

  test("each try is signed anew over the same event id", async () => {
    const setup = await setUp(status(500));
    await raise(setup);
    await runJobs(setup);
    setup.receiver.answerWith(status(200));
    await runJobs(setup);
    const ids = setup.receiver.received.map(({ body }) => Event.parse(JSON.parse(body.toString())).id);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    expect(await deliveriesOf(setup.endpoint.id)).toMatchObject([{ status: "delivered", attempts: 2 }]);
    expect(await stateOf(setup)).toMatchObject({ failure_count: 0 });
  });

  test("that takes too long fails", async () => {
    const setup = await setUp(() => undefined);
    await raise(setup);
    await runJobs(setup, { limitMs: 100 });
    expect(await triesOf(setup.endpoint.id)).toMatchObject([
      { attempt: 1, statusCode: null, error: "No complete answer within 0.1 s." },
    ]);
    expect(await deliveriesOf(setup.endpoint.id)).toMatchObject([{ status: "pending", attempts: 1 }]);
  });

  test("to an address that is not allowed (any more), or that cannot be resolved, is a failed try", async () => {
    const setup = await setUp();
    const tell = async (url: string) => {
      await pool().query("UPDATE webhook_endpoints SET url = $2 WHERE id = $1", [setup.endpoint.id, url]);
      await raise(setup);
      await runJobs(setup);
    };
    await tell("http://10.0.0.1/");
    await takeDeliveryJobs(setup.endpoint.id);
    await tell("http://nowhere.invalid/");
    expect((await triesOf(setup.endpoint.id)).map((made) => made.error)).toEqual([
      "The host of the URL is not reachable on a public address.",
      "The host of the URL cannot be resolved.",
    ]);
    expect((await deliveriesOf(setup.endpoint.id)).map((each) => each.attempts)).toEqual([1, 1]);
  });

  test("whose answer holds what PostgreSQL refuses is recorded all the same", async () => {
    const setup = await setUp((response) => response.writeHead(500).end(Buffer.from([0x61, 0, 0xff, 0x62])));
    await raise(setup);
    await runJobs(setup);
    expect(await triesOf(setup.endpoint.id)).toMatchObject([{ statusCode: 500, responseHead: "a\uFFFD\uFFFDb" }]);
  });
});

describe("a job", () => {
  test("that is run again after its end neither sends nor counts again", async () => {
    const setup = await setUp(status(500));
    await raise(setup, 3);
    const [job] = await takeDeliveryJobs(setup.endpoint.id);
    if (!job) throw new Error("There is no job.");
    await deliverWebhooks(job.payload);
    await deliverWebhooks(job.payload);
    expect(setup.receiver.received).toHaveLength(3);
    expect(await stateOf(setup)).toMatchObject({ failure_count: 3 });
    const retries = await takeDeliveryJobs(setup.endpoint.id);
    expect(retries.flatMap((retry) => retry.payload.deliveryIds).sort()).toEqual(job.payload.deliveryIds);
  });

  test("that runs twice at once may send twice, and counts once", async () => {
    const setup = await setUp(status(500));
    await raise(setup, 3);
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
    await raise(setup);
    const [job] = await takeDeliveryJobs(setup.endpoint.id);
    if (!job) throw new Error("There is no job.");
    await pool().query("ALTER TABLE webhook_tries RENAME TO webhook_tries_away");
    await expect(deliverWebhooks(job.payload)).rejects.toThrow("webhook_tries");
    await pool().query("ALTER TABLE webhook_tries_away RENAME TO webhook_tries");
    expect(await deliveriesOf(setup.endpoint.id)).toMatchObject([{ status: "pending", attempts: 0 }]);
    expect(await stateOf(setup)).toMatchObject({ failure_count: 0, last_failure_at: null });
    setup.receiver.answerWith(status(200));
    await deliverWebhooks(job.payload);
    expect(await deliveriesOf(setup.endpoint.id)).toMatchObject([{ status: "delivered", attempts: 1 }]);
  });

  test("that says no number of tries takes what is due", async () => {
    const setup = await setUp(status(500));
    await raise(setup, 2);
    await runJobs(setup);
    const [due, later] = await deliveriesOf(setup.endpoint.id);
    if (!due || !later) throw new Error("There are no deliveries.");
    await pool().query("UPDATE webhook_deliveries SET next_attempt_at = now() WHERE id = $1", [due.id]);
    await deliverWebhooks({ endpointId: setup.endpoint.id, deliveryIds: [due.id, later.id] });
    expect((await deliveriesOf(setup.endpoint.id)).map((delivery) => delivery.attempts)).toEqual([2, 1]);
  });

  test("that is told to end gives back what it has not sent", async () => {
    const setup = await setUp();
    await raise(setup, 2);
    await runJobs(setup, { signal: AbortSignal.abort() });
    expect(setup.receiver.received).toEqual([]);
    await runJobs(setup);
    expect(setup.receiver.received).toHaveLength(2);
  });

  test("of an endpoint that there never was does nothing", async () => {
    await deliverWebhooks({ endpointId: "whe_none", deliveryIds: ["dlv_none"] });
  });
});

describe("an endpoint", () => {
  test("is disabled by 25 failures in a row, and all that is pending is held", async () => {
    const setup = await setUp(status(500));
    await raise(setup);
    await runJobs(setup);
    await raise(setup, 80);
    const waiting = await takeDeliveryJobs(setup.endpoint.id);
    for (const { payload } of waiting.filter((job) => job.payload.attemptsMade === 0)) await deliverWebhooks(payload);

    const state = await stateOf(setup);
    expect(state).toMatchObject({ is_active: false, disabled_at: expect.any(String) });
    expect(state.failure_count).toBe(setup.receiver.received.length);
    expect(state.failure_count).toBeGreaterThanOrEqual(25);
    // No more than what was on its way when the 25th failed.
    expect(state.failure_count).toBeLessThan(25 + 16);
    const deliveries = await deliveriesOf(setup.endpoint.id);
    expect(deliveries).toHaveLength(81);
    expect(new Set(deliveries.map((each) => `${each.status} ${each.nextAttemptAt}`))).toEqual(new Set(["held null"]));

    // Jobs that were made before find nothing to do, even when it is enabled again.
    const sent = setup.receiver.received.length;
    for (const { payload } of waiting) await deliverWebhooks(payload);
    await enableEndpoint(setup.account.actor, setup.endpoint.id);
    for (const { payload } of waiting) await deliverWebhooks(payload);
    expect(setup.receiver.received).toHaveLength(sent);
  });

  test("is not disabled by failures that a success divides", async () => {
    const setup = await setUp(status(500));
    for (const answer of [500, 200, 500]) {
      setup.receiver.answerWith(status(answer));
      await raise(setup, answer === 200 ? 1 : 20);
      const jobs = await takeDeliveryJobs(setup.endpoint.id);
      for (const { payload } of jobs.filter((job) => job.payload.attemptsMade === 0)) await deliverWebhooks(payload);
    }
    expect(await stateOf(setup)).toMatchObject({ is_active: true, failure_count: 20 });
  });

  test("that was disabled holds what its jobs find pending", async () => {
    const setup = await setUp();
    await raise(setup, 2);
    await pool().query("UPDATE webhook_endpoints SET is_active = false WHERE id = $1", [setup.endpoint.id]);
    await runJobs(setup);
    expect((await deliveriesOf(setup.endpoint.id)).map((delivery) => delivery.status)).toEqual(["held", "held"]);
    expect(setup.receiver.received).toEqual([]);
  });

  test("that was deleted gets nothing more", async () => {
    const setup = await setUp();
    await raise(setup, 2);
    await deleteEndpoint(setup.account.actor, setup.endpoint.id);
    await runJobs(setup);
    const deliveries = await deliveriesOf(setup.endpoint.id);
    expect(deliveries.map((delivery) => delivery.status)).toEqual(["abandoned", "abandoned"]);
    expect(setup.receiver.received).toEqual([]);
  });
});
