import { beforeAll, describe, expect, test } from "vitest";
import { setCountedRequests } from "@/test/database/rate-limits";
import { restServerOfFile } from "@/test/database/rest-server";
import { makeRoute } from "@/test/database/routes";
import { makeAccount } from "@/test/database/seed";
import { believePeerHeader } from "../auth/sign-in/caller-address";
import { pool, prisma } from "../core/db";
import { BODY_MAX_BYTES } from "./rest";
import { handleRest } from "./rest-fetch";

const base = restServerOfFile();

beforeAll(async () => {
  await makeRoute();
});

type Wire = {
  success: boolean;
  data?: Record<string, unknown>;
  pagination?: unknown;
  error?: { type: string; code: string; message: string; param: string | null; details: Record<string, unknown> };
  meta: { request_id: string; api_version: string };
};

const call = async (method: string, path: string, options: { key?: string; body?: unknown; headers?: object } = {}) => {
  const response = await fetch(base() + path, {
    method,
    headers: {
      ...(options.key ? { authorization: `Bearer ${options.key}` } : {}),
      ...(options.body === undefined ? {} : { "content-type": "application/json" }),
      ...options.headers,
    },
    body:
      options.body === undefined
        ? undefined
        : typeof options.body === "string"
          ? options.body
          : JSON.stringify(options.body),
  });
  const wire = (await response.json()) as Wire;
  expect(wire.meta).toEqual({ request_id: expect.stringMatching(/^req_/), api_version: "v1" });
  expect(Object.keys(wire).sort()).toEqual(
    wire.success
      ? ["data", "meta", ...(wire.pagination ? ["pagination"] : []), "success"]
      : ["error", "meta", "success"],
  );
  return { status: response.status, wire, headers: response.headers };
};

describe("order of checks", () => {
  test("without a valid key everything is 401: unknown paths, wrong methods, broken bodies", async () => {
    for (const [method, path, body] of [
      ["GET", "/nowhere", undefined],
      ["PUT", "/messages", "{"],
      ["POST", "/messages/send", "{broken"],
    ] as const) {
      const answer = await call(method, path, { body, key: "ds_live_00000000000000000000000000000000" });
      expect(answer).toMatchObject({
        status: 401,
        wire: { error: { type: "authentication_error", code: "unauthorized" } },
      });
      expect((await call(method, path, { body })).status).toBe(401);
    }
  });

  test("then the address, the rate, the path, the scope and the input are checked, in this order", async () => {
    const account = await makeAccount({ scopes: ["sms:read"], rateLimit: 4 });
    await pool().query("UPDATE api_keys SET allowed_ips = '{203.0.113.7}' WHERE id = $1", [account.keyId]);
    const key = account.plainKey;
    // A spoofed header does not help: no proxy is trusted.
    const foreign = await call("GET", "/nowhere", { key, headers: { "x-forwarded-for": "203.0.113.7" } });
    expect(foreign).toMatchObject({ status: 403, wire: { error: { details: { reason: "ip_not_allowed" } } } });
    await pool().query("UPDATE api_keys SET allowed_ips = '{}' WHERE id = $1", [account.keyId]);
    await expect.poll(async () => (await call("GET", "/nowhere", { key })).status).toBe(404);
    expect((await call("POST", "/messages/send", { key, body: "{broken" })).wire.error?.details.reason).toBe(
      "missing_scope",
    );
    await pool().query("UPDATE api_key_minutes SET used = 4 WHERE key_id = $1", [account.keyId]);
    const limited = await call("GET", "/nowhere", { key });
    expect(limited).toMatchObject({
      status: 429,
      wire: { error: { type: "rate_limit_error", code: "rate_limit_exceeded" } },
    });
    expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});

describe("input", () => {
  test.each([
    ["broken JSON", "{", "malformed_json"],
    ["an array", "[]", "malformed_json"],
    ["a body that is too large", JSON.stringify({ body: "a".repeat(BODY_MAX_BYTES) }), "body_too_large"],
  ])("%s is 400 with its reason", async (_name, body, reason) => {
    const { plainKey } = await makeAccount();
    const answer = await call("POST", "/messages/send", { key: plainKey, body });
    expect(answer).toMatchObject({ status: 400, wire: { error: { code: "invalid_request", details: { reason } } } });
  });

  test.each([
    [{ from: "T", body: "x" }, "to"],
    [{ to: "4155550123", from: "T", body: "x" }, "to"],
    [{ to: "+14155550123", from: "T", body: "" }, "body"],
    [{ to: "+14155550123", from: "T", body: "x".repeat(1_601) }, "body"],
    [{ to: "+14155550123", from: "T", body: "x", route_id: "5" }, "route_id"],
    [{ to: "+14155550123", from: "T", body: "x", provider: "nobody" }, "provider"],
    [{ to: "+14155550123", from: "T", body: "a\0b" }, "body"],
  ])("%j is 400 and names %s, also when repeated", async (body, param) => {
    const { plainKey } = await makeAccount();
    for (let round = 0; round < 2; round += 1) {
      const answer = await call("POST", "/messages/send", { key: plainKey, body });
      expect(answer).toMatchObject({ status: 400, wire: { error: { type: "invalid_request_error", param } } });
    }
  });

  test("a connection still works after a refused body", async () => {
    const { plainKey } = await makeAccount();
    const big = "x".repeat(300_000);
    const answers = await Promise.all([
      call("POST", "/messages/send", { body: big }),
      call("POST", "/messages/send", { body: big }),
      call("GET", "/account", { key: plainKey }),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual([401, 401, 200]);
  });
});

test("rate_limit admits exactly that number of requests per minute, and the response has the number left", async () => {
  const { plainKey, keyId } = await makeAccount({ rateLimit: 25 });
  await setCountedRequests(keyId, 0);
  const answers = await Promise.all(Array.from({ length: 60 }, () => call("GET", "/account", { key: plainKey })));
  const passed = answers.filter((answer) => answer.status === 200);
  expect(passed).toHaveLength(25);
  expect(new Set(passed.map((answer) => answer.headers.get("ratelimit-remaining"))).size).toBe(passed.length);
  expect(passed.every((answer) => answer.headers.get("ratelimit-limit") === "25")).toBe(true);
});

test("a refused address does not change last_used_at", async () => {
  const [refused, allowed] = [await makeAccount(), await makeAccount()];
  await pool().query("UPDATE api_keys SET allowed_ips = '{203.0.113.7}' WHERE id = $1", [refused.keyId]);
  expect((await call("GET", "/account", { key: refused.plainKey })).status).toBe(403);
  expect((await call("GET", "/account", { key: allowed.plainKey })).status).toBe(200);
  const lastUsed = async ({ keyId }: { keyId: string }) =>
    (await prisma().apiKey.findUniqueOrThrow({ where: { id: keyId } })).lastUsedAt;
  // Uses are written in order, so the later use is written last.
  await expect.poll(() => lastUsed(allowed)).not.toBeNull();
  expect(await lastUsed(refused)).toBeNull();
});

test("a key revoked through the API is refused at once by the same process", async () => {
  const account = await makeAccount();
  const created = await call("POST", "/api-keys/create", { key: account.plainKey, body: { name: "short-lived" } });
  expect(created.status).toBe(201);
  const key = String(created.wire.data?.plain_key);
  expect((await call("GET", "/account", { key })).status).toBe(200);
  const revoked = await call("DELETE", `/api-keys/${created.wire.data?.id}`, { key: account.plainKey });
  expect(revoked).toMatchObject({ status: 200, wire: { data: { object: "api_key", deleted: true } } });
  expect((await call("GET", "/account", { key })).status).toBe(401);
});

test("Idempotency-Key replays the first response, and is refused with another body", async () => {
  const account = await makeAccount();
  const body = { to: "+14155550123", from: account.senderId, body: "once" };
  const headers = { "idempotency-key": "order-4711" };
  const send = (more: object) =>
    call("POST", "/messages/send", { key: account.plainKey, body: { ...body, ...more }, headers });
  const first = await send({});
  const second = await send({});
  expect(first.status).toBe(201);
  expect(first.headers.get("idempotency-replayed")).toBeNull();
  expect(second).toMatchObject({ status: 201, wire: { data: first.wire.data } });
  expect(second.headers.get("idempotency-replayed")).toBe("true");
  expect(await send({ body: "twice" })).toMatchObject({
    status: 400,
    wire: { error: { code: "invalid_request", details: { reason: "idempotency_key_reused" } } },
  });
});

test("the same JSON value in other bytes is the same request; requests stored by earlier versions are known by their bytes", async () => {
  const account = await makeAccount();
  const { plainKey: key, senderId } = account;
  const headers = { "idempotency-key": "order-4712" };
  const send = (body: string) => call("POST", "/messages/send", { key, body, headers });
  const text = `{"to":"+14155550123","from":"${senderId}","body":"once","reference":null}`;
  const same = `{ "reference": null, "body": "\\u006fnce", "to": "+14155550123", "from": "${senderId}" }`;
  const other = text.replace("once", "twice");
  const first = await send(text);
  expect(first.status).toBe(201);
  expect((await send(same)).wire.data).toEqual(first.wire.data);
  expect((await send(other)).wire.error?.details.reason).toBe("idempotency_key_reused");
  await pool().query("UPDATE idempotency_keys SET value_hash = NULL WHERE account_id = $1", [account.accountId]);
  expect((await send(text)).wire.data).toEqual(first.wire.data);
  expect((await send(same)).wire.error?.details.reason).toBe("idempotency_key_reused");

  const create = (body: string, caller = key) =>
    call("POST", "/api-keys/create", { key: caller, body, headers: { "idempotency-key": "key-1" } });
  const made = await create('{"name":"a","rate_limit":5}');
  expect((await create('{"rate_limit": 5, "name": "a"}')).wire.data).toEqual(made.wire.data);
  const theirs = await create(
    '{"rate_limit": 5, "name": "a"}',
    String((await call("POST", "/api-keys/create", { key, body: { name: "b" } })).wire.data?.plain_key),
  );
  expect(theirs.wire.error?.details.reason).toBe("idempotency_key_reused");
});

test("another spelling of a path is the same request", async () => {
  const { plainKey: key } = await makeAccount();
  const { wire } = await call("POST", "/webhooks/create", { key, body: { url: "http://127.0.0.1:9/" } });
  const id = String(wire.data?.id);
  const rotate = (path: string) => call("POST", path, { key, headers: { "idempotency-key": "rotate-1" } });
  const first = await rotate(`/webhooks/${id}/rotate-secret`);
  expect(first.status).toBe(200);
  for (const path of [
    `/webhooks/${id.replace("_", "%5F")}/rotate-secret`,
    `/webhooks/${id.replace("_", "%5f")}/rotate-secret/`,
    `/webhooks/${id.replace("w", "%77")}/rotate-secret`,
  ]) {
    const again = await rotate(path);
    expect(again.wire.data, path).toEqual(first.wire.data);
    expect(again.headers.get("idempotency-replayed"), path).toBe("true");
  }
});

test("under another host of Next a caller cannot choose its own address", async () => {
  const { plainKey, keyId } = await makeAccount();
  await pool().query("UPDATE api_keys SET allowed_ips = '{203.0.113.7}' WHERE id = $1", [keyId]);
  const ask = () =>
    handleRest(
      new Request("http://localhost/api/v1/account", {
        headers: { authorization: `Bearer ${plainKey}`, "x-peer-address": "203.0.113.7" },
      }),
    );
  const refused = await ask();
  expect(refused.status).toBe(403);
  expect(((await refused.json()) as Wire).error?.details).toEqual({ reason: "ip_not_allowed", address: "" });
  believePeerHeader();
  expect((await ask()).status).toBe(200);
});

test("an unexpected failure is a 500 that does not reveal its cause", async () => {
  const account = await makeAccount();
  await pool().query("ALTER TABLE routes RENAME TO routes_gone");
  try {
    await expect
      .poll(async () => {
        const body = { to: "+14155550123", from: account.senderId, body: "x" };
        return (await call("POST", "/messages/send", { key: account.plainKey, body })).wire.error?.message;
      })
      .toMatch(
        /^Something went wrong on our side\. The request may not have been carried out: repeat it with the same/,
      );
  } finally {
    await pool().query("ALTER TABLE routes_gone RENAME TO routes");
  }
});
