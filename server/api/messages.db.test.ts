import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { makeRoute } from "@/test/database/routes";
import { makeAccount } from "@/test/database/seed";
import { makeMessages } from "@/test/database/webhooks";
import { handleRest } from "./rest-fetch";

beforeAll(() => makeRoute());

type Wire = {
  data?: Record<string, unknown>;
  error?: { code: string; message: string; param: string | null; details: Record<string, unknown> };
};

async function call(method: string, path: string, key: string, body?: unknown) {
  const response = await handleRest(
    new Request(`http://127.0.0.1/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    }),
  );
  return { status: response.status, wire: (await response.json()) as Wire };
}

describe("POST /messages/estimate", () => {
  test("accepts the body of either send, responds 200 and stores nothing", async () => {
    const account = await makeAccount();
    const shared = { from: account.senderId, body: "Hello" };
    const single = { to: "+14155550123", ...shared, reference: "order-1" };
    const bulk = { recipients: ["+14155550123", "x"], ...shared };
    for (const body of [single, bulk]) {
      const { status, wire } = await call("POST", "/messages/estimate", account.plainKey, body);
      expect(status).toBe(200);
      expect(wire.data).toMatchObject({ object: "estimate", cost: 0.01, segments: 1, balance: 1_000, refusals: [] });
    }
    expect((await call("GET", "/messages", account.plainKey)).wire.data).toEqual([]);
    expect((await call("POST", "/messages/send", account.plainKey, single)).status).toBe(201);
  });

  test("reports a refusal of the send with 200", async () => {
    const account = await makeAccount({ balanceMicros: 0n });
    const body = { to: "+14155550123", from: account.senderId, body: "Hello" };
    const { status, wire } = await call("POST", "/messages/estimate", account.plainKey, body);
    expect(status).toBe(200);
    expect(wire.data).toMatchObject({ sufficient: false, refusals: [{ status: 402, code: "insufficient_balance" }] });
  });

  test.each([
    ["neither recipient nor recipients", {}, "to"],
    ["both", { to: "+14155550123", recipients: ["+14155550123"] }, "recipients"],
    ["an invalid number", { to: "4155550123" }, "to"],
    ["an empty list", { recipients: [] }, "recipients"],
    ["too many recipients", { recipients: Array(1_001).fill("+14155550123") }, "recipients"],
    ["no text", { to: "+14155550123", body: "" }, "body"],
    ["a text that is too long", { to: "+14155550123", body: "…".repeat(1_601) }, "body"],
    ["a string for smart_encoding", { to: "+14155550123", smart_encoding: "true" }, "smart_encoding"],
  ])("%s is 400 and names the parameter", async (_name, more, param) => {
    const { plainKey, senderId } = await makeAccount();
    const body = { from: senderId, body: "Hello", ...more };
    expect(await call("POST", "/messages/estimate", plainKey, body)).toMatchObject({
      status: 400,
      wire: { error: { code: "invalid_request", param } },
    });
  });

  test.each([
    ["sms:send", { to: "+14155550123" }, "sms:bulk"],
    ["sms:bulk", { recipients: ["+14155550123"] }, "sms:send"],
  ] as const)("requires %s, the permission of the corresponding send", async (needed, of, other) => {
    const [holder, stranger] = await Promise.all([
      makeAccount({ scopes: [needed] }),
      makeAccount({ scopes: ["sms:read", other] }),
    ]);
    const estimate = ({ plainKey, senderId }: typeof holder) =>
      call("POST", "/messages/estimate", plainKey, { ...of, from: senderId, body: "Hello" });
    expect(await estimate(holder)).toMatchObject({ status: 200, wire: { data: { refusals: [] } } });
    expect(await estimate(stranger)).toMatchObject({
      status: 403,
      wire: { error: { details: { reason: "missing_scope", required: needed } } },
    });
  });

  test("refuses a reference that the send would refuse", async () => {
    const { plainKey, senderId } = await makeAccount();
    const shared = { from: senderId, body: "Hello", reference: "x".repeat(256) };
    for (const path of ["/messages/estimate", "/messages/send"]) {
      const single = await call("POST", path, plainKey, { to: "+14155550123", ...shared });
      expect(single).toMatchObject({ status: 400, wire: { error: { param: "reference" } } });
    }
  });
});

describe("POST /messages/{id}/redact", () => {
  const redact = (id: string | undefined, key: string) => call("POST", `/messages/${id}/redact`, key);

  test("responds with the message without its text, which no later response has either", async () => {
    const account = await makeAccount();
    const [id] = await makeMessages(account, 1, "delivered");
    const before = await call("GET", `/messages/${id}`, account.plainKey);
    const redacted = { ...before.wire.data, body: "" };
    for (const response of [
      await redact(id, account.plainKey),
      await redact(id, account.plainKey),
      await call("GET", `/messages/${id}`, account.plainKey),
    ]) {
      expect([response.status, response.wire.data]).toEqual([200, redacted]);
    }
    expect((await call("GET", "/messages", account.plainKey)).wire.data).toEqual([redacted]);
  });

  test("is 400 with the status until the message has ended, and 404 for other accounts", async () => {
    const [account, other] = await Promise.all([makeAccount(), makeAccount()]);
    const [id] = await makeMessages(account, 1, "sent");
    expect(await redact(id, account.plainKey)).toMatchObject({
      status: 400,
      wire: { error: { param: "id", details: { reason: "not_redactable", status: "sent" } } },
    });
    for (const [foreign, key] of [
      [id, other.plainKey],
      ["msg_none", account.plainKey],
    ] as const) {
      expect(await redact(foreign, key)).toMatchObject({ status: 404, wire: { error: { param: "id" } } });
    }
  });

  test("requires the permission of either send", async () => {
    for (const [scope, status] of [
      ["sms:send", 200],
      ["sms:bulk", 200],
      ["sms:read", 403],
    ] as const) {
      const account = await makeAccount({ scopes: [scope] });
      const [id] = await makeMessages(account, 1, "failed");
      expect((await redact(id, account.plainKey)).status).toBe(status);
    }
  });
});

describe("GET /messages/{id}/timeline", () => {
  test("shows a message's history to its own account, and is 404 for every other", async () => {
    const [account, other] = await Promise.all([makeAccount(), makeAccount()]);
    const body = { to: "+14155550123", from: account.senderId, body: "Hello" };
    const sent = await call("POST", "/messages/send", account.plainKey, body);
    const path = `/messages/${sent.wire.data?.id}/timeline`;
    const { status, wire } = await call("GET", path, account.plainKey);
    expect(status).toBe(200);
    expect(wire.data).toMatchObject({
      object: "timeline",
      message_id: sent.wire.data?.id,
      entries: [
        { kind: "accepted", details: { to: body.to, from: body.from, encoding: "GSM-7", segments: 1 } },
        { kind: "money", details: { kind: "reserve", amount: -0.01, currency: "USD" } },
      ],
    });
    for (const foreign of [
      await call("GET", path, other.plainKey),
      await call("GET", "/messages/msg_none/timeline", account.plainKey),
    ]) {
      expect(foreign).toMatchObject({ status: 404, wire: { error: { code: "not_found", param: "id" } } });
    }
  });

  test("covers a message that failed at once", async () => {
    const account = await makeAccount();
    const body = { recipients: ["nobody"], from: account.senderId, body: "Hello" };
    const sent = await call("POST", "/messages/bulk", account.plainKey, body);
    const [message] = z.object({ messages: z.array(z.object({ id: z.string() })) }).parse(sent.wire.data).messages;
    const { wire } = await call("GET", `/messages/${message?.id}/timeline`, account.plainKey);
    expect(wire.data?.entries).toMatchObject([
      { kind: "accepted", details: { to: "nobody" } },
      { kind: "event", details: { type: "message.failed", status: "failed" } },
    ]);
  });

  test("requires sms:read", async () => {
    const { plainKey } = await makeAccount({ scopes: ["sms:send"] });
    expect(await call("GET", "/messages/msg_none/timeline", plainKey)).toMatchObject({
      status: 403,
      wire: { error: { details: { reason: "missing_scope", required: "sms:read" } } },
    });
  });
});

test("smart_encoding must be a boolean or null, also after the API document was generated", async () => {
  const { plainKey, senderId } = await makeAccount();
  const send = (smart_encoding: unknown) =>
    call("POST", "/messages/send", plainKey, { to: "+14155550123", from: senderId, body: "“Hi”", smart_encoding });
  for (let round = 0; round < 2; round += 1) {
    for (const wrong of ["true", "false", 1]) {
      expect(await send(wrong)).toMatchObject({ status: 400, wire: { error: { param: "smart_encoding" } } });
    }
    expect((await send(true)).wire.data).toMatchObject({ body: '"Hi"' });
    for (const off of [false, null]) expect((await send(off)).wire.data).toMatchObject({ body: "“Hi”" });
    expect((await handleRest(new Request("http://127.0.0.1/api/v1/openapi.json"))).status).toBe(200);
  }
});
