import { describe, expect, it } from "vitest";
import type { Callback, SendRequest } from "../port";
import { clickatell } from "./clickatell";

const settings = clickatell.settings.parse({ apiKey: "key==" });

const sendRequest = (message: Partial<SendRequest["message"]> = {}): SendRequest => ({
  message: {
    id: "msg_1",
    to: "+27999123456",
    from: "+27999000111",
    body: "Hello",
    encoding: "GSM-7",
    segments: 1,
    ...message,
  },
  reference: "msg_1-1",
  receiptUrl: "https://sms.example.test/api/receipts/clickatell/token?ref=msg_1-1",
});

const sent = (given: SendRequest) => JSON.parse(clickatell.buildRequest(given, settings).body ?? "").messages;

const read = (status: number, body: unknown) =>
  clickatell.readResponse({ status, headers: {}, body: typeof body === "string" ? body : JSON.stringify(body) });

const ID = "77fb29998253415fa5d66971d519d362";
const taken = { apiMessageId: ID, accepted: true, to: "27999123456", error: null };
const denied = (code: number, description = "why") => ({
  messages: [{ apiMessageId: "", accepted: false, to: "27999123456", error: { code, description } }],
  error: null,
});

const callback = (body: unknown, query = ""): Callback => ({
  method: "POST",
  url: `https://sms.example.test/api/receipts/clickatell/token${query}`,
  headers: { "content-type": "application/json" },
  body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
});

const report = (fields: Record<string, unknown>) => ({
  integrationName: "shop",
  messageId: ID,
  requestId: "r1",
  clientMessageId: "msg_1-1",
  to: "27999123456",
  from: "27999000111",
  timestamp: 1_769_860_800_000,
  ...fields,
});

describe("the request", () => {
  it("carries the bare key, digits only, and our reference", () => {
    const { method, url, headers } = clickatell.buildRequest(sendRequest(), settings);
    expect([method, url]).toEqual(["POST", "https://platform.clickatell.com/v1/message"]);
    expect(headers.authorization).toBe("key==");
    expect(headers["content-type"]).toBe("application/json");
    expect(sent(sendRequest())).toEqual([
      { channel: "sms", to: "27999123456", from: "27999000111", content: "Hello", clientMessageId: "msg_1-1" },
    ]);
  });

  it("carries any text and any sender as they are", () => {
    const body = "“quoted” é € 😀\n\\ çok güzel";
    expect(sent(sendRequest({ body, from: "SHOP 24", encoding: "UCS-2" }))).toMatchObject([
      { content: body, from: "SHOP 24" },
    ]);
  });
});

describe("the answer", () => {
  it.each([200, 202, 207, 400])("%d with an accepted message is accepted", (status) => {
    expect(read(status, { messages: [taken], error: null })).toEqual({ kind: "accepted", providerMessageIds: [ID] });
  });

  it.each([
    [1, "account"],
    [2, "account"],
    [3, "account"],
    [7, "account"],
    [18, "provider"],
    [19, "provider"],
    [20, "account"],
    [24, "message"],
    [28, "message"],
    [38, "account"],
    [39, "account"],
    [43, "throttled"],
    [44, "message"],
    [45, "message"],
    [46, "message"],
    [100, "message"],
    [101, "message"],
    [110, "message"],
    [111, "message"],
  ])("with the error %d sent nothing, by the fault: %s", (code, fault) => {
    const expected = {
      kind: "retryable",
      code: `${code}`,
      fault,
      detail: expect.not.stringContaining("Why"),
      said: "Why.",
    };
    expect(read(400, denied(code))).toEqual(expected);
    expect(read(207, denied(code))).toEqual(expected);
    expect(read(401, { messages: [], error: { code, description: "why" } })).toEqual(expected);
  });

  it.each([21, 22, 23, 25, 26, 27, 30, 40])("with the error %d is refused for good", (code) => {
    expect(read(400, denied(code))).toMatchObject({ kind: "refused", code: `${code}` });
    expect(read(202, denied(code))).toMatchObject({ kind: "refused", code: `${code}` });
  });

  it("tells of an error as text too, in any status", () => {
    expect(read(200, { messages: [], error: "Key unknown" })).toEqual({
      kind: "retryable",
      code: "not_accepted",
      detail: "The provider failed.",
      said: "Key unknown.",
      fault: "provider",
    });
    const message = { apiMessageId: null, accepted: false, to: "1", error: "No such number" };
    expect(read(202, { messages: [message], error: null })).toMatchObject({ kind: "retryable", fault: "message" });
    expect(read(401, { messages: [], error: "Key unknown" })).toMatchObject({ kind: "retryable", fault: "account" });
  });

  it("keeps a code that nobody knows", () => {
    expect(read(400, denied(999))).toMatchObject({ kind: "retryable", code: "999", said: "Why.", fault: "message" });
    expect(read(500, denied(999))).toMatchObject({ kind: "retryable", fault: "provider" });
  });

  it.each([
    [401, "account"],
    [429, "throttled"],
    [400, "message"],
    [500, "provider"],
    [503, "provider"],
  ])("HTTP %d that cannot be read sent nothing, by the fault: %s", (status, fault) => {
    expect(read(status, "<html>")).toEqual({
      kind: "retryable",
      code: `http_${status}`,
      detail: `The provider answered HTTP ${status}.`,
      fault,
    });
    expect(read(status, "")).toMatchObject({ fault });
  });

  it.each([
    ["no JSON", "Accepted"],
    ["no message and no error", { messages: [], error: null }],
    ["an accepted message without an id", { messages: [{ ...taken, apiMessageId: "" }], error: null }],
  ])("202 with %s leaves open whether it was taken", (_, body) => {
    expect(() => read(202, body)).toThrow();
  });
});

describe("a callback", () => {
  it("has nothing to verify beyond the secret path", () => {
    const at = new Date("2026-01-31T12:00:00Z");
    expect(clickatell.authenticate(callback({}), settings, at)).toEqual({ kind: "genuine", nonces: [] });
  });

  it.each([
    [2, "sent"],
    [3, "sent"],
    [4, "delivered"],
    [8, "sent"],
    [11, "sent"],
  ])("with the code %d reports: %s", (statusCode, status) => {
    expect(clickatell.readCallback(callback(report({ statusCode, status: "WHATEVER" })))).toEqual({
      reports: [
        {
          providerMessageId: ID,
          reference: "msg_1-1",
          status,
          code: null,
          detail: null,
          occurredAt: "2026-01-31T12:00:00.000Z",
        },
      ],
      inbound: [],
    });
  });

  it.each([
    [1, "failed"],
    [5, "failed"],
    [6, "failed"],
    [7, "undelivered"],
    [9, "failed"],
    [10, "undelivered"],
    [12, "failed"],
    [14, "failed"],
  ])("with the code %d reports: %s, and why", (statusCode, status) => {
    const { reports } = clickatell.readCallback(callback(report({ statusCode })));
    expect(reports).toMatchObject([{ status, code: `${statusCode}`, detail: expect.any(String) }]);
  });

  it("is read by the name of its status when it has no code that we know", () => {
    const read = (fields: Record<string, unknown>) => clickatell.readCallback(callback(report(fields))).reports;
    expect(read({ status: "DEVICE_ACK" })).toMatchObject([{ status: "delivered", code: null }]);
    expect(read({ statusCode: 77, status: "EXPIRED" })).toMatchObject([{ status: "undelivered", code: "EXPIRED" }]);
    expect(read({ statusCode: 77, status: "constructor" })).toEqual([]);
  });

  it("without a reference or a time has that of its URL, or none", () => {
    const body = report({ statusCode: 4, clientMessageId: null, timestamp: null });
    expect(clickatell.readCallback(callback(body, "?ref=msg_1-2")).reports).toMatchObject([
      { reference: "msg_1-2", occurredAt: null },
    ]);
    expect(clickatell.readCallback(callback(body)).reports).toMatchObject([{ reference: null }]);
    expect(clickatell.readCallback(callback({ ...body, timestamp: "soon" })).reports).toMatchObject([
      { occurredAt: null },
    ]);
  });

  it("with fromNumber is a message of a handset", () => {
    const body = { messageId: "m1", fromNumber: "27999123456", toNumber: "27999000111", text: "STOP", timestamp: 1 };
    expect(clickatell.readCallback(callback(body))).toEqual({
      reports: [],
      inbound: [{ providerMessageId: "m1", from: "27999123456", to: "27999000111", text: "STOP" }],
    });
  });

  it("that is no JSON or has no id cannot be read", () => {
    expect(() => clickatell.readCallback(callback("{"))).toThrow();
    expect(() => clickatell.readCallback(callback({ statusCode: 4 }))).toThrow();
  });
});
