import { describe, expect, test } from "vitest";
import { moveClockAhead } from "@/test/clock";
import {
  deliveriesOf,
  raiseSent,
  runDeliveryJobs,
  type TestWebhook,
  takeDeliveryJobs,
  triesOf,
  webhooksOfFile,
} from "@/test/database/webhooks";
import { status } from "@/test/network/receiver";
import { pool } from "../../core/db";
import { listEvents } from "../history/list-events";
import { Event } from "../schema";
import { getEndpoint } from "../service";
import { deliverWebhooks } from "../tasks";
import { verifySignature } from "./signature";

/** Seconds between two times, in whole half minutes: the second time is the database's clock, read a little later. */
const waitedS = (from?: Date | null, until?: Date | null) => Math.floor((Number(until) - Number(from)) / 30_000) * 30;

const setUp = webhooksOfFile();

const runJobs = ({ endpoint }: TestWebhook, options?: Parameters<typeof runDeliveryJobs>[1]) =>
  runDeliveryJobs(endpoint.id, options);

const stateOf = ({ account, endpoint }: TestWebhook) => getEndpoint(account.actor, endpoint.id);

describe("a delivery", () => {
  test("carries the event that GET /events shows, signed over the raw body", async () => {
    const setup = await setUp();
    await raiseSent(setup);
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

  test("that is acknowledged has ended, and resets the endpoint's failure count", async () => {
    const setup = await setUp();
    await pool().query("UPDATE webhook_endpoints SET failure_count = 24 WHERE id = $1", [setup.endpoint.id]);
    await raiseSent(setup, 40);
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
    await raiseSent(setup);
    await runJobs(setup);
    for (const [at, delayS] of [30, 300, 1_800, 7_200, 43_200].entries()) {
      const { rows } = await pool().query<{ at: Date }>(
        "SELECT t.created_at AS at FROM webhook_tries t JOIN webhook_deliveries d ON d.id = t.delivery_id WHERE d.endpoint_id = $1 AND t.attempt = $2",
        [setup.endpoint.id, at + 1],
      );
      const [delivery, ...more] = await deliveriesOf(setup.endpoint.id);
      expect([delivery, ...more]).toMatchObject([{ status: "pending", attempts: at + 1 }]);
      expect(waitedS(rows[0]?.at, delivery?.nextAttemptAt)).toBe(delayS);
      expect((await runJobs(setup)).map((runAt) => waitedS(rows[0]?.at, runAt))).toEqual([delayS]);
    }
    expect(await deliveriesOf(setup.endpoint.id)).toMatchObject([
      { status: "abandoned", attempts: 6, nextAttemptAt: null, finishedAt: expect.any(Date) },
    ]);
    expect((await triesOf(setup.endpoint.id)).map((made) => [made.attempt, made.statusCode, made.error])).toEqual(
      [1, 2, 3, 4, 5, 6].map((attempt) => [attempt, 503, "The endpoint responded with 503."]),
    );
    expect(await takeDeliveryJobs(setup.endpoint.id)).toEqual([]);
    expect(await stateOf(setup)).toMatchObject({ failure_count: 6, is_active: true });
  });

  test("is tried again after Retry-After, if that is later than the schedule, and at most one step of it later", async () => {
    const setup = await setUp((response) => response.writeHead(429, { "retry-after": "120" }).end());
    const waitS = async () => {
      const [delivery] = await deliveriesOf(setup.endpoint.id);
      const { rows } = await pool().query<{ at: Date }>(
        "SELECT max(created_at) AS at FROM webhook_tries WHERE delivery_id = $1",
        [delivery?.id],
      );
      return waitedS(rows[0]?.at, delivery?.nextAttemptAt);
    };
    await raiseSent(setup);
    await runJobs(setup);
    expect(await waitS()).toBe(120);
    moveClockAhead(120_000);
    setup.receiver.respondWith((response) =>
      response.writeHead(503, { "retry-after": new Date(Date.now() + 30 * 86_400_000).toUTCString() }).end(),
    );
    await runJobs(setup);
    expect(await waitS()).toBe(1_800);
    moveClockAhead(1_800_000);
    setup.receiver.respondWith((response) => response.writeHead(503, { "retry-after": "1" }).end());
    await runJobs(setup);
    expect(await waitS()).toBe(1_800);
  });

  test("with the response 410 disables its endpoint at once, and is parked with all pending deliveries", async () => {
    const setup = await setUp(status(503));
    await raiseSent(setup, 2);
    await runJobs(setup);
    setup.receiver.respondWith(status(410));
    await raiseSent(setup);
    const waiting = await takeDeliveryJobs(setup.endpoint.id);
    for (const { payload } of waiting.filter((job) => job.payload.attemptsMade === 0)) await deliverWebhooks(payload);
    expect(await stateOf(setup)).toMatchObject({
      is_active: false,
      failure_count: 3,
      disabled_at: expect.any(String),
      disabled_reason: "gone",
    });
    expect((await deliveriesOf(setup.endpoint.id)).map((each) => `${each.status} ${each.nextAttemptAt}`)).toEqual(
      Array(3).fill("held null"),
    );
    expect((await triesOf(setup.endpoint.id)).at(-1)).toMatchObject({ statusCode: 410 });
  });

  test("that is refused lets no other request begin before it is recorded: its endpoint may be gone", async () => {
    const setup = await setUp(status(410));
    await raiseSent(setup, 60);
    const jobs = await takeDeliveryJobs(setup.endpoint.id);
    expect(jobs.map(({ payload }) => payload.deliveryIds.length)).toEqual([60]);
    for (const { payload } of jobs) await deliverWebhooks(payload);
    expect(await stateOf(setup)).toMatchObject({ disabled_reason: "gone" });
    // The first tries: they are sent at once.
    expect(setup.receiver.received.length).toBeLessThanOrEqual(16);
  });

  test("that cannot be recorded is sent again, although it was acknowledged: only its job names it", async () => {
    const setup = await setUp(status(200));
    await raiseSent(setup);
    const [job] = await takeDeliveryJobs(setup.endpoint.id);
    const payload = job?.payload ?? expect.fail();
    await pool().query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''away''; END'`,
    );
    await pool().query("CREATE TRIGGER refuse BEFORE INSERT ON webhook_deliveries EXECUTE FUNCTION refuse()");
    await expect(deliverWebhooks(payload)).rejects.toThrow("away");
    await pool().query("DROP FUNCTION refuse CASCADE");
    await deliverWebhooks(payload);
    expect(setup.receiver.received).toHaveLength(2);
    expect(await deliveriesOf(setup.endpoint.id)).toMatchObject([{ status: "delivered", attempts: 1 }]);
  });

  test("has each try signed anew, over the same event id", async () => {
    const setup = await setUp(status(500));
    await raiseSent(setup);
    await runJobs(setup);
    setup.receiver.respondWith(status(200));
    await runJobs(setup);
    const ids = setup.receiver.received.map(({ body }) => Event.parse(JSON.parse(body.toString())).id);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    expect(await deliveriesOf(setup.endpoint.id)).toMatchObject([{ status: "delivered", attempts: 2 }]);
    expect(await stateOf(setup)).toMatchObject({ failure_count: 0 });
  });

  test("that exceeds the time limit fails", async () => {
    const setup = await setUp(() => undefined);
    await raiseSent(setup);
    await runJobs(setup, { limitMs: 100 });
    expect(await triesOf(setup.endpoint.id)).toMatchObject([
      { attempt: 1, statusCode: null, error: "No complete response within 0.1 s." },
    ]);
    expect(await deliveriesOf(setup.endpoint.id)).toMatchObject([{ status: "pending", attempts: 1 }]);
  });

  test("to a host that is no longer allowed, or that cannot be resolved, is a failed try", async () => {
    const setup = await setUp();
    const tell = async (url: string) => {
      await pool().query("UPDATE webhook_endpoints SET url = $2 WHERE id = $1", [setup.endpoint.id, url]);
      await raiseSent(setup);
      await runJobs(setup);
    };
    await tell("http://10.0.0.1/");
    await takeDeliveryJobs(setup.endpoint.id);
    await tell("http://nowhere.invalid/");
    expect((await triesOf(setup.endpoint.id)).map((made) => made.error)).toEqual([
      "The host of the URL has no public address.",
      "The host of the URL has no public address.",
    ]);
    expect((await deliveriesOf(setup.endpoint.id)).map((each) => each.attempts)).toEqual([1, 1]);
  });

  test("is recorded even when its response contains characters that PostgreSQL refuses", async () => {
    const setup = await setUp((response) => response.writeHead(500).end(Buffer.from([0x61, 0, 0xff, 0x62])));
    await raiseSent(setup);
    await runJobs(setup);
    expect(await triesOf(setup.endpoint.id)).toMatchObject([{ statusCode: 500, responseHead: "a\uFFFD\uFFFDb" }]);
  });
});
