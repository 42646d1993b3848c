/** Rules of HTTP that hold for every operation. */
import { beforeAll, describe, expect, test } from "vitest";
import { restServerOfFile } from "@/test/database/rest-server";
import { makeRoute } from "@/test/database/routes";
import { makeAccount } from "@/test/database/seed";

const base = restServerOfFile();

beforeAll(async () => {
  await makeRoute();
});

type Wire = {
  data?: Record<string, unknown>;
  error?: { param: string | null; details: { reason?: string; issues?: Array<{ param: string }> } };
  meta: { request_id: string; warnings?: Array<{ code: string; param: string; message: string }> };
};

async function call(method: string, path: string, key: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(base() + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, wire: JSON.parse(text || "null") as Wire };
}

const STRICT = { prefer: "handling=strict" };

describe("unknown fields and query parameters", () => {
  test("are ignored, and named in meta.warnings", async () => {
    const { plainKey, senderId } = await makeAccount();
    const body = { to: "+14155550123", from: senderId, body: "x", flash: true, id: "msg_1" };
    const sent = await call("POST", "/messages/send?routeId=1", plainKey, body);
    expect(sent.status).toBe(201);
    expect(sent.headers.get("preference-applied")).toBeNull();
    expect(sent.wire.meta.warnings).toEqual([
      { code: "unknown_parameter", param: "flash", message: "is not a field of this request, and was ignored" },
      { code: "unknown_parameter", param: "id", message: "is not a field of this request, and was ignored" },
      {
        code: "unknown_parameter",
        param: "routeId",
        message: "is not a query parameter of this operation, and was ignored",
      },
    ]);
    for (const path of [
      "/messages?refrence=a",
      "/account?verbose=1&verbose=2",
      `/messages/${sent.wire.data?.id}?id=5`,
    ]) {
      const [param] = path.split("?")[1]?.split("=") ?? [];
      const read = await call("GET", path, plainKey);
      expect(read).toMatchObject({ status: 200, wire: { meta: { warnings: [{ param }] } } });
    }
    const plain = await call("GET", "/messages?limit=5", plainKey, undefined, { prefer: "handling=lenient" });
    expect(plain.wire.meta).not.toHaveProperty("warnings");
    expect(plain.headers.get("preference-applied")).toBe("handling=lenient");
  });

  test("are also named in the error of an invalid request", async () => {
    const { plainKey, senderId } = await makeAccount();
    const refused = await call("POST", "/messages/send", plainKey, { recipient: "+14155550123", from: senderId });
    expect(refused).toMatchObject({ status: 400, wire: { meta: { warnings: [{ param: "recipient" }] } } });
  });

  test("of the other kind of send are unknown in an estimate, as they are in the send", async () => {
    const { plainKey, senderId } = await makeAccount();
    const text = { from: senderId, body: "x" };
    const [single, bulk] = [
      { ...text, to: "+14155550123" },
      { ...text, recipients: ["+14155550123"] },
    ];
    for (const [path, body, param] of [
      ["/messages/bulk", { ...bulk, reference: "order-1" }, "reference"],
      ["/messages/send", { ...single, variables: [{ a: "1" }] }, "variables"],
    ] as const) {
      for (const at of [path, "/messages/estimate"]) {
        const warned = await call("POST", at, plainKey, body);
        expect(warned).toMatchObject({ wire: { success: true, meta: { warnings: [{ param }] } } });
        expect((await call("POST", at, plainKey, body, STRICT)).status).toBe(400);
      }
    }
    const known = { ...single, reference: "order-1" };
    expect((await call("POST", "/messages/estimate", plainKey, known, STRICT)).status).toBe(200);
  });

  test("are a 400 that names them under strict handling, and nothing is done", async () => {
    const { plainKey, senderId } = await makeAccount();
    const body = { to: "+14155550123", from: senderId, body: "x", flash: true };
    const refused = await call("POST", "/messages/send", plainKey, body, STRICT);
    expect(refused).toMatchObject({
      status: 400,
      wire: { error: { param: "flash", details: { reason: "unknown_parameter", issues: [{ param: "flash" }] } } },
    });
    expect(refused.headers.get("preference-applied")).toBe("handling=strict");
    for (const path of ["/account?verbose=1", "/messages?refrence=order-1"]) {
      expect(await call("GET", path, plainKey, undefined, STRICT)).toMatchObject({
        status: 400,
        wire: { error: { details: { reason: "unknown_parameter" } } },
      });
    }
    expect((await call("GET", "/messages", plainKey, undefined, STRICT)).wire.data).toEqual([]);
    const { flash: _, ...known } = body;
    expect((await call("POST", "/messages/send", plainKey, known, STRICT)).status).toBe(201);
  });
});

test("the last value of a repeated field counts, and the field is named; under strict handling it is a 400", async () => {
  const { plainKey, senderId } = await makeAccount();
  const body = `{"to":"+14155550123","from":"${senderId}","body":"x","metadata":{"a":"1","a":"2"},"to":"+14155550124"}`;
  const sent = await call("POST", "/messages/send", plainKey, body);
  expect(sent).toMatchObject({ status: 201, wire: { data: { to: "+14155550124", metadata: { a: "2" } } } });
  const message = "is given more than once, and the last value was taken";
  expect(sent.wire.meta.warnings).toEqual([
    { code: "repeated_parameter", param: "metadata.a", message },
    { code: "repeated_parameter", param: "to", message },
  ]);
  expect(await call("POST", "/messages/send", plainKey, body, STRICT)).toMatchObject({
    status: 400,
    wire: { error: { param: "metadata.a", details: { reason: "repeated_parameter" } } },
  });
  expect((await call("GET", "/messages", plainKey)).wire.data).toHaveLength(1);
});

describe("methods and paths", () => {
  test("a path without an operation for the method is a 404 that names its methods", async () => {
    const { plainKey } = await makeAccount();
    for (const [method, path, allow] of [
      ["PUT", "/messages", "GET, HEAD, OPTIONS"],
      ["GET", "/webhooks/whe_1/test", "POST, OPTIONS"],
      ["GET", "/messages/send", "POST, OPTIONS"],
      ["DELETE", "/api-keys/create", "POST, OPTIONS"],
      ["POST", "/webhooks/whe_1/", "GET, HEAD, PATCH, DELETE, OPTIONS"],
    ] as const) {
      const refused = await call(method, path, plainKey);
      expect(refused).toMatchObject({ status: 404, wire: { error: { details: { reason: "method_not_allowed" } } } });
      expect(refused.headers.get("allow")).toBe(allow);
      const options = await call("OPTIONS", path, plainKey);
      expect([options.status, options.headers.get("allow"), options.text]).toEqual([204, allow, ""]);
      expect([options.headers.get("content-length"), options.headers.get("content-type")]).toEqual([null, null]);
    }
    const unknown = await call("OPTIONS", "/nowhere", plainKey);
    expect(unknown).toMatchObject({ status: 404, wire: { error: { details: { reason: "unknown_path" } } } });
    expect(unknown.headers.get("allow")).toBeNull();
  });

  test("encoded letters of a path stand for themselves, and an encoded slash does not", async () => {
    const { plainKey } = await makeAccount();
    const statuses = ["/%61ccount", "/bal%61n%63e/", "/openapi%2Ejson", "/messages%2Fmsg_1", "/%2e%2e/account"].map(
      async (path) => (await call("GET", path, plainKey)).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 200, 200, 404, 404]);
  });

  test("HEAD is GET without its body, and one trailing slash is ignored, even with an Idempotency-Key", async () => {
    const { plainKey, senderId } = await makeAccount();
    const [get, head] = [await call("GET", "/account", plainKey), await call("HEAD", "/account/", plainKey)];
    expect([head.status, head.text]).toEqual([200, ""]);
    expect(head.headers.get("content-length")).toBe(get.headers.get("content-length"));
    expect((await call("HEAD", "/messages/send", plainKey)).status).toBe(404);
    expect((await call("GET", "/account//", plainKey)).status).toBe(404);
    const body = { to: "+14155550123", from: senderId, body: "x" };
    const once = { "idempotency-key": "slash" };
    const [one, two] = [
      await call("POST", "/messages/send", plainKey, body, once),
      await call("POST", "/messages/send/", plainKey, body, once),
    ];
    expect(two.wire.data).toEqual(one.wire.data);
    expect(two.headers.get("idempotency-replayed")).toBe("true");
  });
});

describe("headers", () => {
  test("every response has our id, and the caller's own id if that can do no harm", async () => {
    const { plainKey } = await makeAccount();
    for (const key of [plainKey, "ds_live_nobody"]) {
      const { headers, wire } = await call("GET", "/account", key, undefined, { "x-request-id": "checkout-4711" });
      expect(headers.get("request-id")).toBe(wire.meta.request_id);
      expect(headers.get("x-request-id")).toBe("checkout-4711");
    }
    const harmful = await call("GET", "/account", plainKey, undefined, { "x-request-id": '<a "b">' });
    expect(harmful.headers.get("x-request-id")).toBeNull();
  });

  test("a 401 names the scheme", async () => {
    const { headers } = await call("GET", "/account", "ds_live_nobody");
    expect(headers.get("www-authenticate")).toMatch(/^Bearer realm="Messaging Service", error="invalid_token"/);
  });

  test("a secret is never compressed, a large list is", async () => {
    const { plainKey, senderId } = await makeAccount();
    const coding = { "accept-encoding": "gzip" };
    const created = await call("POST", "/api-keys/create", plainKey, { name: "n".repeat(100) }, coding);
    expect([created.status, created.headers.get("content-encoding")]).toEqual([201, null]);
    const recipients = Array.from({ length: 50 }, (_, at) => `nobody ${at}`);
    const bulk = await call("POST", "/messages/bulk", plainKey, { recipients, from: senderId, body: "x" }, coding);
    expect([bulk.status, bulk.headers.get("content-encoding")]).toEqual([201, "gzip"]);
    expect(bulk.wire.data).toMatchObject({ failed: 50 });
  });
});

test("a change without a body is a 400, as the document requires one", async () => {
  const { plainKey, keyId } = await makeAccount();
  const { status, wire } = await call("PATCH", `/api-keys/${keyId}`, plainKey);
  expect(status).toBe(400);
  expect(wire.error?.details.reason).toBe("wrong_content_type");
});
