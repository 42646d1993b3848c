import { beforeAll, describe, expect, test } from "vitest";

import { restServerOfFile } from "@/test/database/rest-server";
import { makeAccount } from "@/test/database/seed";
import { makeMessages, raiseEvents, runDeliveryJobs, type TestWebhook, webhooksOfFile } from "@/test/database/webhooks";
import { status } from "@/test/network/receiver";
import { pool } from "../core/db";
import { Delivery, RotatedWebhookEndpoint, WebhookEndpoint, WebhookTest } from "../webhooks/schema";

const base = restServerOfFile();

beforeAll(async () => {});

const setUp = webhooksOfFile();

/** Calls an operation of the endpoint; `body` undefined: without a body. */
async function call(
  { account, endpoint }: TestWebhook,
  method: string,
  operation: string,
  body?: object,
  headers?: object,
) {
  const response = await fetch(`${base()}/webhooks/${endpoint.id}${operation}`, {
    method,
    headers: {
      authorization: `Bearer ${account.plainKey}`,
      ...(body ? { "content-type": "application/json" } : {}),
      ...headers,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const { data, error, pagination } = (await response.json()) as {
    data?: unknown;
    error?: { param: string | null; details: Record<string, unknown> };
    pagination?: unknown;
  };
  return { status: response.status, headers: response.headers, data, error, pagination };
}

test("deliveries to an endpoint are listed with their tries, by page and status", async () => {
  const setup = await setUp();
  await raiseEvents(setup.account, await makeMessages(setup.account, 3));
  await runDeliveryJobs(setup.endpoint.id);
  const page = await call(setup, "GET", "/deliveries?status=delivered&limit=2");
  expect(page).toMatchObject({ status: 200, pagination: { page: 1, limit: 2, total: 3, pages: 2, has_more: true } });
  const deliveries = Delivery.strict().array().parse(page.data);
  expect(deliveries).toHaveLength(2);
  expect(deliveries[0]).toMatchObject({ object: "webhook_delivery", tries: [{ attempt: 1, status_code: 200 }] });
  expect(await call(setup, "GET", "/deliveries?status=held")).toMatchObject({ status: 200, data: [] });
  expect(await call(setup, "GET", "/deliveries?status=lost")).toMatchObject({
    status: 400,
    error: { param: "status" },
  });
});

describe("an operation on an endpoint responds 200 and needs no body", () => {
  test("a test event", async () => {
    const setup = await setUp();
    const response = await call(setup, "POST", "/test");
    expect(response.status).toBe(200);
    expect(WebhookTest.strict().parse(response.data)).toMatchObject({ delivered: true, status_code: 200 });
    expect(setup.receiver.received[0]?.headers["service-test"]).toBe("true");
    expect(await call(setup, "POST", "/test", {})).toMatchObject({ status: 200, data: { delivered: true } });
  });

  test("a rotation, once per Idempotency-Key", async () => {
    const setup = await setUp();
    const key = { "idempotency-key": "one" };
    const first = await call(setup, "POST", "/rotate-secret", undefined, key);
    expect(first.status).toBe(200);
    const rotated = RotatedWebhookEndpoint.strict().parse(first.data);
    expect(rotated.signing_secret).not.toBe(setup.endpoint.signing_secret);
    const second = await call(setup, "POST", "/rotate-secret", undefined, key);
    expect(second).toMatchObject({ status: 200, data: rotated });
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    const third = await call(setup, "POST", "/rotate-secret");
    expect(RotatedWebhookEndpoint.parse(third.data).signing_secret).not.toBe(rotated.signing_secret);
  });

  test("enabling, and then recovering held deliveries", async () => {
    const setup = await setUp();
    setup.receiver.respondWith(status(410));
    await raiseEvents(setup.account, await makeMessages(setup.account, 2));
    await runDeliveryJobs(setup.endpoint.id);
    const since = { since: "2020-01-01T00:00:00Z" };
    expect(await call(setup, "POST", "/recover", since)).toMatchObject({
      status: 400,
      error: { param: "id", details: { reason: "endpoint_disabled" } },
    });
    const enabled = await call(setup, "POST", "/enable");
    expect(enabled.status).toBe(200);
    expect(WebhookEndpoint.strict().parse(enabled.data)).toMatchObject({ is_active: true, failure_count: 0 });
    expect(await call(setup, "POST", "/recover", since)).toMatchObject({
      status: 200,
      data: { object: "webhook_recovery", recovered: 2 },
    });
    expect(await call(setup, "POST", "/recover", since)).toMatchObject({ status: 200, data: { recovered: 0 } });
  });
});

test.each([undefined, {}, { since: "yesterday" }, { since: 5 }, { since: "2026-01-01" }])(
  "a recovery with %j is 400 and names `since`",
  async (body) => {
    expect(await call(await setUp(), "POST", "/recover", body)).toMatchObject({
      status: 400,
      error: { param: "since" },
    });
  },
);

test("operations require webhooks:write, and the list of deliveries requires dlr:read", async () => {
  const setup = await setUp();
  const reader = await makeAccount({ scopes: ["dlr:read"] });
  const writer = await makeAccount({ scopes: ["webhooks:write"] });
  const as = (account: typeof reader, method: string, operation: string) =>
    call({ ...setup, account }, method, operation).then((response) => response.status);
  for (const operation of ["/test", "/rotate-secret", "/enable", "/recover"]) {
    expect(await as(reader, "POST", operation), operation).toBe(403);
  }
  expect(await as(writer, "GET", "/deliveries")).toBe(403);
  // With the scope, another account's endpoint is 404.
  for (const operation of ["/test", "/rotate-secret", "/enable"]) {
    expect(await as(writer, "POST", operation), operation).toBe(404);
  }
  expect(await as(reader, "GET", "/deliveries")).toBe(404);
  const { rows } = await pool().query(
    "SELECT 1 FROM webhook_endpoints WHERE previous_secret_sealed IS NOT NULL AND id = $1",
    [setup.endpoint.id],
  );
  expect(rows).toEqual([]);
});
