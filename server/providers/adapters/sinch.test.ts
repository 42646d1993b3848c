import { describe, expect, it } from "vitest";
import type { Callback, SendRequest } from "../port";
import { sinch } from "./sinch";

const settings = sinch.settings.parse({
  servicePlanId: "plan1",
  apiToken: "token1",
  webhookSecret: "SMSWebhooksSecret",
  baseUrl: "https://eu.sms.api.sinch.com/",
});

const plain = { encoding: "GSM-7", segments: 1 } as const;
const sendRequest = (message: Partial<SendRequest["message"]> = {}): SendRequest => ({
  message: { id: "msg_1", to: "+33662162466", from: "+15551256344", body: "Hello", ...plain, ...message },
  reference: "msg_1-1",
  receiptUrl: "https://sms.example.test/api/receipts/sinch/token?ref=msg_1-1",
});

const sent = (given: SendRequest) => JSON.parse(sinch.buildRequest(given, settings).body ?? "");
const textOf = (body: unknown) => (typeof body === "string" ? body : JSON.stringify(body));
const answer = (status: number, body: unknown) => ({ status, headers: {}, body: textOf(body) });
const read = (status: number, body: unknown) => sinch.readResponse(answer(status, body));
const lookUp = (status: number, body: unknown) => sinch.readLookUp?.(answer(status, body), sendRequest());

const callback = (body: unknown, headers: Record<string, string> = {}): Callback => ({
  method: "POST",
  url: "https://sms.example.test/api/receipts/sinch/token?ref=msg_1-2",
  headers: { "content-type": "application/json", ...headers },
  body: Buffer.from(textOf(body)),
});

const ID = "01FC66621XXXXX119Z8PMV1QPQ";
const AT = "2025-01-13T09:22:40.914Z";
const report = (status: string, code?: number, more: Record<string, unknown> = {}) =>
  sinch.readCallback(
    callback({
      type: "recipient_delivery_report_sms",
      batch_id: ID,
      recipient: "33662162466",
      code,
      status,
      at: AT,
      operator_status_at: "2025-01-13T09:22:00Z",
      client_reference: "msg_1-1",
      ...more,
    }),
  ).reports[0];

describe("the request", () => {
  it("asks for the receipt, which is off by default", () => {
    const { method, url, headers } = sinch.buildRequest(sendRequest(), settings);
    expect([method, url]).toEqual(["POST", "https://eu.sms.api.sinch.com/xms/v1/plan1/batches"]);
    expect(headers).toMatchObject({ authorization: "Bearer token1", "content-type": "application/json" });
    expect(sent(sendRequest())).toEqual({
      type: "mt_text",
      to: ["33662162466"],
      from: "15551256344",
      body: "Hello",
      delivery_report: "per_recipient",
      callback_url: "https://sms.example.test/api/receipts/sinch/token?ref=msg_1-1",
      client_reference: "msg_1-1",
    });
  });

  it("writes senders in the provider's form", () => {
    const written = (...senders: string[]) => senders.map((from) => sent(sendRequest({ from })).from);
    expect(written("+15551256344", "15551256344", "55444", "ACME 24")).toEqual([
      "15551256344",
      "15551256344",
      "55444",
      "ACME 24",
    ]);
  });

  it("carries any text unchanged, and keeps its path with an odd plan id", () => {
    const body = "“quoted” é € 😀\n\\ çok güzel";
    expect(sent(sendRequest({ body, encoding: "UCS-2" })).body).toBe(body);
    const { url } = sinch.buildRequest(sendRequest(), { ...settings, servicePlanId: "a/../b" });
    expect(url).toContain("/xms/v1/a%2F..%2Fb/batches");
  });
});

describe("the response", () => {
  it("201 with an id is accepted without a status", () => {
    const body = { id: ID, to: ["33662162466"], canceled: false, type: "mt_text" };
    expect(read(201, body)).toEqual({ kind: "accepted", providerMessageIds: [ID] });
  });

  it("201 without an id is an unknown outcome", () => {
    for (const body of ["", "Created", { to: ["33662162466"] }]) expect(() => read(201, body)).toThrow();
  });

  it("a parameter in a wrong format is refused for good, with the provider's text", () => {
    const code = "syntax_invalid_parameter_format";
    const outcome = read(400, { code, text: "what is wrong" });
    expect(outcome).toMatchObject({ kind: "refused", code, providerDetail: "What is wrong." });
  });

  it("401 with an empty body has the fault account", () => {
    expect(read(401, "")).toMatchObject({ kind: "retryable", code: "http_401", fault: "account" });
  });

  it.each([
    [403, { code: "missing_callback_url", text: "t" }, "account"],
    [403, { code: "forbidden", text: "t" }, "account"],
    [403, { code: "unknown_group", text: "t" }, "message"],
    [404, "", "account"],
    [429, "", "throttled"],
    [503, "<html>", "provider"],
    [400, { code: "something_new", text: "t" }, "message"],
    // Our request does not conform to the API, which says nothing about the message.
    [400, { code: "syntax_invalid_json", text: "t" }, "message"],
    [400, { code: "syntax_constraint_violation", text: "body is too long" }, "message"],
  ])("HTTP %i with %j is retryable: fault %s", (status, body, fault) => {
    expect(read(status, body)).toMatchObject({ kind: "retryable", fault });
  });
});

describe("the look-up", () => {
  const batches = [
    { id: "01OTHER", client_reference: "msg_9-1" },
    { id: ID, client_reference: "msg_1-1" },
  ];

  it("asks for the batch with our reference", () => {
    expect(sinch.buildLookUp?.(sendRequest(), settings)).toEqual({
      method: "GET",
      url: "https://eu.sms.api.sinch.com/xms/v1/plan1/batches?client_reference=msg_1-1",
      headers: { authorization: "Bearer token1", accept: "application/json" },
      body: null,
    });
  });

  it("accepts only the batch with our reference", () => {
    expect(lookUp(200, { count: 2, batches })).toEqual({ kind: "accepted", providerMessageIds: [ID] });
  });

  it("proves nothing without such a batch, or when it fails", () => {
    const empty = { count: 0, page: 0, page_size: 0, batches: [] };
    const others = { count: 1, batches: [{ id: "01OTHER" }] };
    for (const body of [empty, { count: 0 }, others, "<html>"]) expect(lookUp(200, body)).toBeNull();
    for (const status of [401, 404, 429, 503]) expect(lookUp(status, "")).toBeNull();
  });
});

describe("the signature", () => {
  const body =
    '{"at":"2025-01-13T09:22:40.914Z","batch_id":"01JHFFHQ0P99JPPNQPJDV7JTBP","client_reference":"a client reference","code":0,"operator_status_at":"2025-01-13T09:22:00Z","recipient":"33662162466","status":"Delivered","type":"recipient_delivery_report_sms"}';
  const nonce = "01JHFFHWYY7HSS4FWTMDTQEK8V";
  const prefix = "x-sinch-webhook-signature";
  const headers = {
    [prefix]: "ZoHei66PPN/kZjw7hFVfGhJOnml3iGNCMWoyQVcE5o0=",
    [`${prefix}-algorithm`]: "HmacSHA256",
    [`${prefix}-nonce`]: nonce,
    [`${prefix}-timestamp`]: "1736760161",
  };
  const signedAt = 1_736_760_161_000;
  const check = (given = body, more: Record<string, string> = {}, laterMs = 0, own = settings) =>
    sinch.authenticate(callback(given, { ...headers, ...more }), own, new Date(signedAt + laterMs));

  it("covers the raw body, and has a nonce", () => {
    expect(check()).toEqual({ kind: "genuine", nonces: [nonce] });
  });

  it("is forged for an altered body, even with the same JSON", () => {
    expect(check(body.replace("Delivered", "Expired"))).toMatchObject({ kind: "forged" });
    expect(check(JSON.stringify(JSON.parse(body), null, 1))).toMatchObject({ kind: "forged" });
  });

  it("is forged with another secret", () => {
    expect(check(body, {}, 0, { ...settings, webhookSecret: "another" })).toMatchObject({ kind: "forged" });
  });

  it.each([
    ["", ["", "ZoHei66PPN"]],
    ["-nonce", ["", "another"]],
    ["-timestamp", ["", "1736760162"]],
    ["-algorithm", ["HmacSHA1"]],
  ])("is forged with the header …%s as any of %j", (name, values) => {
    for (const value of values) expect(check(body, { [prefix + name]: value })).toMatchObject({ kind: "forged" });
  });

  it("is stale more than 5 minutes before or after its time", () => {
    for (const laterMs of [-300_000, 300_000]) expect(check(body, {}, laterMs)).toMatchObject({ kind: "genuine" });
    for (const laterMs of [-301_000, 301_000]) expect(check(body, {}, laterMs)).toMatchObject({ kind: "stale" });
  });

  it("is not required for a plan without a secret", () => {
    const own = sinch.settings.parse({ servicePlanId: "plan1", apiToken: "token1" });
    expect(own.baseUrl).toBe("https://us.sms.api.sinch.com");
    expect(sinch.authenticate(callback("{}"), own, new Date())).toEqual({ kind: "genuine", nonces: [] });
  });
});

describe("the callback", () => {
  it("names the message by its batch, and the attempt by our reference", () => {
    expect(report("Delivered", 0)).toEqual({
      providerMessageId: ID,
      reference: "msg_1-1",
      status: "delivered",
      code: null,
      detail: null,
      occurredAt: AT,
    });
    expect(report("Delivered", 0, { client_reference: undefined })?.reference).toBe("msg_1-2");
  });

  it("reports the status in our terms", () => {
    const ours = (...statuses: string[]) => statuses.map((status) => report(status, 1)?.status);
    expect(ours("Queued", "Dispatched", "Unknown")).toEqual(["sent", "sent", "sent"]);
    expect(ours("Failed", "Expired", "Deleted")).toEqual(["undelivered", "undelivered", "undelivered"]);
    expect(ours("Aborted", "Cancelled", "Rejected")).toEqual(["failed", "failed", "failed"]);
  });

  it("a failure has the provider's or the carrier's code with its meaning", () => {
    expect(report("Aborted", 413)).toMatchObject({ code: "413", detail: expect.stringContaining("credit") });
    const known = [414, 415, 416, 417, 418].map((code) => report("Failed", code)?.detail);
    expect(new Set(known).size).toBe(5);
    const detail = "The message could not be delivered. The reason is not known.";
    for (const listed of known) expect(listed).not.toBe(detail);
    expect(report("Failed", 1027)).toMatchObject({ code: "1027", detail });
    expect(report("Failed")).toMatchObject({ code: "Failed", detail });
  });

  it("may be a summary of the batch", () => {
    const statuses = [{ code: 402, status: "Aborted", count: 1, recipients: ["33662162466"] }];
    const body = { type: "delivery_report_sms", batch_id: ID, statuses, total_message_count: 1 };
    expect(sinch.readCallback(callback(body)).reports).toEqual([
      expect.objectContaining({ providerMessageId: ID, reference: "msg_1-2", status: "failed", occurredAt: null }),
    ]);
  });

  it("contains messages from handsets", () => {
    const body = {
      type: "mo_text",
      id: "01XXXXX21XXXXX119Z8P1XXXXX",
      from: "33662162466",
      to: "15551256344",
      body: "STOP",
    };
    expect(sinch.readCallback(callback({ ...body, received_at: AT }))).toEqual({
      reports: [],
      inbound: [{ providerMessageId: body.id, from: "33662162466", to: "15551256344", text: "STOP", occurredAt: AT }],
    });
  });

  it("contains messages from handsets that are not texts: their body is empty, or the text sent with a picture", () => {
    const ends = { id: "1", from: "33662162466", to: "15551256344" };
    const inbound = { providerMessageId: "1", from: ends.from, to: ends.to };
    const binary = { ...ends, type: "mo_binary", body: "AAEC", udh: "050003080201" };
    expect(sinch.readCallback(callback(binary)).inbound).toEqual([{ ...inbound, text: "" }]);
    for (const [message, text] of [
      ["STOP", "STOP"],
      [undefined, ""],
      [null, ""],
    ]) {
      const media = { ...ends, type: "mo_media", body: { subject: "Hi", message, media: [{ url: "https://x.test" }] } };
      expect(sinch.readCallback(callback(media)).inbound).toEqual([{ ...inbound, text }]);
    }
  });

  it("has no content about anything else, and throws when it is unreadable", () => {
    expect(sinch.readCallback(callback({ type: "mo_something", id: "1" }))).toEqual({ reports: [], inbound: [] });
    expect(report("Something new", 0)).toBeUndefined();
    for (const body of ["", "[]", { type: "recipient_delivery_report_sms", status: "Delivered" }]) {
      expect(() => sinch.readCallback(callback(body))).toThrow();
    }
  });
});
