/** The manners of HTTP that hold for every operation. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeRoute } from "@/e2e/support/routes";
import { makeAccount } from "@/e2e/support/seed";
import { handleRestNode } from "./node-door";

let server: Server;
let base = "";

beforeAll(async () => {
  await makeRoute();
  server = createServer((request, response) => void handleRestNode(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
});

afterAll(() => new Promise((resolve) => server.close(resolve)));

type Wire = {
  data?: Record<string, unknown>;
  error?: { param: string | null; details: { reason?: string; issues?: Array<{ param: string }> } };
  meta: { request_id: string; warnings?: Array<{ code: string; param: string; message: string }> };
};

async function call(method: string, path: string, key: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(base + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, wire: JSON.parse(text || "null") as Wire };
}

const STRICT = { prefer: "handling=strict" };

describe("unknown fields and query parameters", () => {
  test("are ignored, and named in meta.warnings", async () => {
    const { plainKey, senderId } = await makeAccount();
    const body = { to: "+14155550123", from: senderId, body: "x", send_at: "2030-01-01T00:00:00Z", id: "msg_1" };
    const sent = await call("POST", "/messages/send?routeId=1", plainKey, body);
    expect(sent.status).toBe(201);
    expect(sent.headers.get("preference-applied")).toBeNull();
    expect(sent.wire.meta.warnings).toEqual([
      { code: "unknown_parameter", param: "send_at", message: "is not a field of this request, and was ignored" },
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

  test("are named beside the error of an invalid request, too", async () => {
    const { plainKey, senderId } = await makeAccount();
    const refused = await call("POST", "/messages/send", plainKey, { recipient: "+14155550123", from: senderId });
    expect(refused).toMatchObject({ status: 400, wire: { meta: { warnings: [{ param: "recipient" }] } } });
  });

  test("are a 400 that names them with strict handling, and nothing is done", async () => {
    const { plainKey, senderId } = await makeAccount();
    const body = { to: "+14155550123", from: senderId, body: "x", send_at: "2030-01-01T00:00:00Z" };
    const refused = await call("POST", "/messages/send", plainKey, body, STRICT);
    expect(refused).toMatchObject({
      status: 400,
      wire: { error: { param: "send_at", details: { reason: "unknown_parameter", issues: [{ param: "send_at" }] } } },
    });
    expect(refused.headers.get("preference-applied")).toBe("handling=strict");
    for (const path of ["/account?verbose=1", "/messages?refrence=order-1"]) {
      expect(await call("GET", path, plainKey, undefined, STRICT)).toMatchObject({
        status: 400,
        wire: { error: { details: { reason: "unknown_parameter" } } },
      });
    }
    expect((await call("GET", "/messages", plainKey, undefined, STRICT)).wire.data).toEqual([]);
    const { send_at: _, ...known } = body;
    expect((await call("POST", "/messages/send", plainKey, known, STRICT)).status).toBe(201);
  });
});
