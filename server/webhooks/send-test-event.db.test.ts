import { expect, test } from "vitest";
import { type TestWebhook, webhooksOfFile } from "@/test/database/webhooks";
import { status } from "@/test/network/receiver";
import { stallFor, startServerApart, unstalled } from "@/test/network/stalls";
import { pool } from "../core/db";
import { verifySignature } from "./delivery/signature";
import { Event, WebhookTest } from "./schema";
import { sendTestEvent } from "./send-test-event";
import { createEndpoint, deleteEndpoint, getEndpoint, rotateSecret } from "./service";

const LIMIT_MS = 1_000;

const setUp = webhooksOfFile();

const send = ({ account, endpoint }: TestWebhook, limitMs?: number) =>
  unstalled(() => sendTestEvent(account.actor, endpoint.id, limitMs));

/** The endpoint on the wire, and the number of rows that real events would write. */
async function traces({ account, endpoint }: TestWebhook) {
  const { rows } = await pool().query<{ n: bigint }>(
    `SELECT (SELECT count(*) FROM events WHERE account_id = $1)
       + (SELECT count(*) FROM webhook_deliveries WHERE account_id = $1)
       + (SELECT count(*) FROM webhook_tries) + (SELECT count(*) FROM graphile_worker._private_jobs) AS n`,
    [account.accountId],
  );
  return { endpoint: await getEndpoint(account.actor, endpoint.id), rows: rows[0]?.n };
}

test("a test event is shaped and signed like a real one, marked as a test, and leaves no trace", async () => {
  const setup = await setUp((response) => response.writeHead(202).end("taken"));
  const before = await traces(setup);
  const result = await send(setup);
  expect(WebhookTest.strict().parse(result)).toEqual({
    object: "webhook_test",
    delivered: true,
    status_code: 202,
    latency_ms: expect.any(Number),
    error: null,
    response_head: "taken",
  });
  const [request, ...more] = setup.receiver.received;
  expect(more).toEqual([]);
  const rawBody = request?.body ?? Buffer.alloc(0);
  const event = Event.strict().parse(JSON.parse(rawBody.toString("utf8")));
  expect(event).toMatchObject({
    id: expect.stringMatching(/^evt_/),
    type: "message.delivered",
    data: { id: expect.stringMatching(/^msg_/), status: "delivered", reference: "test", cost: 0 },
  });
  expect(event.data.body).toContain("test event");
  expect(request?.headers).toMatchObject({ "service-test": "true", "webhook-id": event.id });
  const signature = {
    header: String(request?.headers["service-signature"]),
    secret: setup.endpoint.signing_secret,
    rawBody,
    nowSeconds: Math.floor(Date.now() / 1_000),
  };
  expect(verifySignature(signature)).toMatchObject({ valid: true });
  expect(await traces(setup)).toEqual(before);
});

test("a failed test event is reported but not counted, and not even 410 disables the endpoint", async () => {
  const setup = await setUp((response) => response.writeHead(410).end("gone"));
  const before = await traces(setup);
  expect(await send(setup)).toMatchObject({
    delivered: false,
    status_code: 410,
    error: "The endpoint responded with 410.",
    response_head: "gone",
  });
  expect(await traces(setup)).toEqual(before);
  expect(setup.receiver.received).toHaveLength(1);
});

test("a success does not reset the failure count", async () => {
  const setup = await setUp();
  await pool().query("UPDATE webhook_endpoints SET failure_count = 24 WHERE id = $1", [setup.endpoint.id]);
  expect(await send(setup)).toMatchObject({ delivered: true });
  expect((await traces(setup)).endpoint).toMatchObject({ failure_count: 24, last_success_at: null });
});

test("an endpoint that does not respond in time fails the test", async () => {
  const setup = await setUp(() => undefined);
  expect(await send(setup, 100)).toMatchObject({
    delivered: false,
    status_code: null,
    error: "No complete response within 0.1 s.",
    response_head: null,
  });
});

test("a URL that is no longer allowed is reported, and nothing is sent", async () => {
  const setup = await setUp();
  const { id } = setup.endpoint;
  await pool().query("UPDATE webhook_endpoints SET url = 'http://169.254.169.254/latest' WHERE id = $1", [id]);
  expect(await send(setup)).toMatchObject({
    delivered: false,
    status_code: null,
    error: "The host of the URL has no public address.",
  });
});

test("redirects are not followed", async () => {
  const target = await setUp();
  const setup = await setUp((response) => response.writeHead(307, { location: target.receiver.url }).end());
  expect(await send(setup)).toMatchObject({ delivered: false, status_code: 307 });
  expect(target.receiver.received).toEqual([]);
});

test("a disabled endpoint can be tested before it is enabled, and both secrets sign", async () => {
  const setup = await setUp();
  await pool().query("UPDATE webhook_endpoints SET is_active = false WHERE id = $1", [setup.endpoint.id]);
  await rotateSecret(setup.account.actor, setup.endpoint.id);
  expect(await send(setup)).toMatchObject({ delivered: true });
  expect(String(setup.receiver.received[0]?.headers["webhook-signature"]).split(" ")).toHaveLength(2);
});

test("another account's endpoint and a deleted one are 404", async () => {
  const [setup, other] = [await setUp(status(200)), await setUp()];
  await expect(sendTestEvent(other.account.actor, setup.endpoint.id)).rejects.toMatchObject({ status: 404 });
  await deleteEndpoint(setup.account.actor, setup.endpoint.id);
  await expect(send(setup)).rejects.toMatchObject({ status: 404 });
  expect(setup.receiver.received).toEqual([]);
});

test("a stall of this process that breaks the exchange is a 503, and says nothing of the endpoint", async () => {
  const { account } = await setUp();
  const server = await startServerApart({ answer: null, afterMs: 300 });
  const { id } = await createEndpoint(account.actor, { url: server.url });
  const tested = sendTestEvent(account.actor, id, LIMIT_MS).catch((thrown) => thrown);
  await server.requests(1);
  await stallFor(3 * LIMIT_MS);
  expect(await tested).toMatchObject({ status: 503, wire: { details: { reason: "outcome_unknown", retry_after: 5 } } });
  await server.close();
});
