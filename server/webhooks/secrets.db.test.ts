import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { makeMessages, raiseEvents, runDeliveryJobs, type TestWebhook, webhooksOfFile } from "@/test/database/webhooks";
import type { Received } from "@/test/network/receiver";
import { pool } from "../core/db";
import { verifySignature } from "./delivery/signature";
import { eraseExpiredSecrets } from "./delivery/sweep";
import { Event, RotatedWebhookEndpoint } from "./schema";
import { deleteEndpoint, getEndpoint, rotateSecret } from "./service";

const setUp = webhooksOfFile();

/** Sends one event and returns its request. */
async function deliverOne({ account, endpoint, receiver }: TestWebhook): Promise<Received> {
  await raiseEvents(account, await makeMessages(account, 1));
  await runDeliveryJobs(endpoint.id);
  const request = receiver.received.at(-1);
  if (!request) throw new Error("Nothing was received.");
  return request;
}

const rotate = ({ account, endpoint }: TestWebhook) => rotateSecret(account.actor, endpoint.id);

/** Whether `secret` verifies the request, by our own header and by the headers of Standard Webhooks. */
function accepts({ headers, body }: Received, secret: string): { ours: boolean; standard: boolean } {
  const { valid } = verifySignature({
    header: String(headers["service-signature"]),
    secret,
    rawBody: body,
    nowSeconds: Math.floor(Date.now() / 1_000),
  });
  const expected = createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"))
    .update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body.toString("utf8")}`)
    .digest("base64");
  return { ours: valid, standard: String(headers["webhook-signature"]).split(" ").includes(`v1,${expected}`) };
}

const BOTH = { ours: true, standard: true };
const NEITHER = { ours: false, standard: false };

async function storedPrevious({ endpoint }: TestWebhook) {
  const { rows } = await pool().query<{ sealed: string | null; hours: number | null }>(
    `SELECT previous_secret_sealed AS sealed, extract(epoch FROM previous_secret_until - now())::float8 / 3600 AS hours
     FROM webhook_endpoints WHERE id = $1`,
    [endpoint.id],
  );
  return rows[0];
}

const expirePrevious = ({ endpoint }: TestWebhook) =>
  pool().query("UPDATE webhook_endpoints SET previous_secret_until = now() - interval '1 second' WHERE id = $1", [
    endpoint.id,
  ]);

test("every request carries the headers of Standard Webhooks beside our own, with the event's id", async () => {
  const setup = await setUp();
  const request = await deliverOne(setup);
  expect(accepts(request, setup.endpoint.signing_secret)).toEqual(BOTH);
  expect(request.headers["webhook-id"]).toBe(Event.parse(JSON.parse(request.body.toString())).id);
  expect(Math.abs(Number(request.headers["webhook-timestamp"]) - Date.now() / 1_000)).toBeLessThan(60);
  expect(request.headers["service-signature"]).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
});

describe("after a rotation", () => {
  test("both secrets sign for 24 hours, then only the new one", async () => {
    const setup = await setUp();
    const previous = setup.endpoint.signing_secret;
    const { signing_secret: current, previous_secret_expires_at, ...shown } = await rotate(setup);
    expect(current).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(current).not.toBe(previous);
    expect(await getEndpoint(setup.account.actor, setup.endpoint.id)).toEqual(shown);
    expect((Date.parse(previous_secret_expires_at) - Date.now()) / 3_600_000).toBeCloseTo(24, 1);
    expect((await storedPrevious(setup))?.hours).toBeCloseTo(24, 1);

    const within = await deliverOne(setup);
    expect(within.headers["service-signature"]).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    expect([accepts(within, current), accepts(within, previous)]).toEqual([BOTH, BOTH]);

    await expirePrevious(setup);
    const after = await deliverOne(setup);
    expect(after.headers["service-signature"]).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
    expect([accepts(after, current), accepts(after, previous)]).toEqual([BOTH, NEITHER]);
  });

  test("a second rotation replaces the previous secret", async () => {
    const setup = await setUp();
    const second = await rotate(setup);
    const third = await rotate(setup);
    const request = await deliverOne(setup);
    expect(accepts(request, third.signing_secret)).toEqual(BOTH);
    expect(accepts(request, second.signing_secret)).toEqual(BOTH);
    expect(accepts(request, setup.endpoint.signing_secret)).toEqual(NEITHER);
  });

  test("the previous secret is erased when it has expired, not before", async () => {
    const setup = await setUp();
    await rotate(setup);
    await eraseExpiredSecrets();
    expect((await storedPrevious(setup))?.sealed).toMatch(/^v1\./);
    await expirePrevious(setup);
    await eraseExpiredSecrets();
    expect(await storedPrevious(setup)).toEqual({ sealed: null, hours: null });
  });
});

test("a rotation repeated with one Idempotency-Key is made once and shows its secret again", async () => {
  const setup = await setUp();
  const { account, endpoint } = setup;
  const responseHeaders: Record<string, string> = {};
  const request = { idempotency: () => ({ key: "rotation", requestHash: "hash" }), responseHeaders };
  const [first, second] = await Promise.all([
    rotateSecret(account.actor, endpoint.id, request),
    rotateSecret(account.actor, endpoint.id, request),
  ]);
  expect(second).toEqual(first);
  expect(RotatedWebhookEndpoint.strict().parse(first)).toEqual(first);
  expect(responseHeaders["Idempotency-Replayed"]).toBe("true");
  const sent = await deliverOne(setup);
  expect([accepts(sent, first.signing_secret), accepts(sent, endpoint.signing_secret)]).toEqual([BOTH, BOTH]);
});

test("another account's endpoint and a deleted endpoint keep their secrets", async () => {
  const [setup, other] = [await setUp(), await setUp()];
  await expect(rotateSecret(other.account.actor, setup.endpoint.id)).rejects.toMatchObject({ status: 404 });
  expect(accepts(await deliverOne(setup), setup.endpoint.signing_secret)).toEqual(BOTH);
  await deleteEndpoint(setup.account.actor, setup.endpoint.id);
  await expect(rotate(setup)).rejects.toMatchObject({ status: 404 });
});
