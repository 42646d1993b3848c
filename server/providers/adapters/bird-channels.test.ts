import { createHash, createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Callback, SendRequest } from "../port";
import { messagebird } from "./messagebird";

const CHANNEL = "614208aa-b153-4d5d-9989-2fddfc0ce4c3";
const OTHER = "86cc4dc0-3dc0-41b7-ac43-8ec829ead56f";
const own = {
  accessKey: "workspace_key",
  signingKey: "secureSigningKey",
  workspaceId: "07817c84-ed36-45be-8d6d-b6d432ca8f0b",
  channels: `+31612345678=${CHANNEL}, Shop=${OTHER}`,
};
const settings = messagebird.settings.parse(own);
const WEBHOOK = "https://domain.com/webhook/bird";
const ID = "96a0b5fa-a986-453d-be5c-3117f989f025";

const sendRequest = (from: string): SendRequest => ({
  message: { id: "msg_1", to: "+31687654321", from, body: "Hello", encoding: "GSM-7", segments: 1 },
  reference: "msg_1-1",
  receiptUrl: `${WEBHOOK}?ref=msg_1-1`,
});
const answer = (status: number, body: unknown) =>
  messagebird.readResponse({ status, headers: {}, body: typeof body === "string" ? body : JSON.stringify(body) });

describe("the settings", () => {
  it.each([
    ["channels alone", { workspaceId: undefined }],
    ["a workspace alone", { channels: undefined }],
    ["channels without senders", { channels: CHANNEL }],
    ["a malformed channel id", { channels: "Shop=main" }],
  ])("are refused with %s", (_, other) => {
    expect(messagebird.settings.safeParse({ ...own, ...other }).success).toBe(false);
  });

  it("choose the API: without a workspace, the classic one", () => {
    const classic = messagebird.settings.parse({ accessKey: "live_key", signingKey: "key" });
    expect(messagebird.buildRequest(sendRequest("Shop"), classic).url).toBe("https://rest.messagebird.com/messages");
    expect(messagebird.refuse?.(sendRequest("Elsewhere"), classic)).toBeNull();
  });
});

describe("the request", () => {
  it.each([
    ["+31612345678", CHANNEL],
    ["31612345678", CHANNEL],
    ["Shop", OTHER],
  ])("of the sender %s goes to its channel", (from, channel) => {
    const request = messagebird.buildRequest(sendRequest(from), settings);
    expect(messagebird.refuse?.(sendRequest(from), settings)).toBeNull();
    expect(request.url).toBe(`https://api.bird.com/workspaces/${own.workspaceId}/channels/${channel}/messages`);
    expect(request.headers).toMatchObject({ authorization: "AccessKey workspace_key" });
    expect(JSON.parse(request.body ?? "")).toEqual({
      receiver: { contacts: [{ identifierKey: "phonenumber", identifierValue: "+31687654321" }] },
      body: { type: "text", text: { text: "Hello" } },
    });
  });

  it.each(["+31600000000", "shop", "constructor"])("is not made for a sender without a channel: %s", (from) => {
    const outcome = { kind: "retryable", code: "sender_without_channel", fault: "message" };
    expect(messagebird.refuse?.(sendRequest(from), settings)).toMatchObject(outcome);
  });
});

describe("the response", () => {
  it("has the id of the message", () => {
    expect(answer(202, { id: ID, channelId: CHANNEL, status: "accepted" })).toEqual({
      kind: "accepted",
      providerMessageIds: [ID],
    });
  });

  it.each([
    [401, { code: "Unauthorized", message: "why" }, "Unauthorized", "account"],
    [422, { code: "InvalidPayload", message: "why" }, "InvalidPayload", "message"],
    [429, { code: "TooManyRequests" }, "TooManyRequests", "throttled"],
    [500, { code: "InternalError", message: "why" }, "InternalError", "provider"],
    [503, "<html>", "http_503", "provider"],
  ])("of %d is not taken", (status, body, code, fault) => {
    expect(answer(status, body)).toMatchObject({ kind: "retryable", code, fault });
  });
});

function signed(body: string, { key = own.signingKey, time = "1719823259", url = WEBHOOK } = {}): Callback {
  const hash = createHash("sha256").update(body).digest();
  const text = Buffer.concat([Buffer.from(`${time}\n${url}\n`), hash]);
  const signature = createHmac("sha256", key).update(text).digest("base64");
  const headers = { "content-type": "application/json", "messagebird-signature": signature };
  return {
    method: "POST",
    url: WEBHOOK,
    headers: { ...headers, "messagebird-request-timestamp": time },
    body: Buffer.from(body),
  };
}

describe("the signature", () => {
  const at = (seconds: number) => new Date((1_719_823_259 + seconds) * 1_000);
  const authenticate = (callback: Callback, when = at(0)) => messagebird.authenticate(callback, settings, when);

  it("is valid up to five minutes before and after its time, and a repeat is acknowledged", () => {
    const callback = signed('{"a":"ü"}');
    const nonces = [callback.headers["messagebird-signature"]];
    expect(authenticate(callback)).toEqual({ kind: "genuine", nonces });
    const kinds = [-301, -300, 300, 301].map((seconds) => authenticate(callback, at(seconds)).kind);
    expect(kinds).toEqual(["stale", "genuine", "genuine", "stale"]);
  });

  it.each([
    ["another key", signed("{}", { key: "another" })],
    ["another URL", signed("{}", { url: `${WEBHOOK}/` })],
    ["another body", { ...signed("{}"), body: Buffer.from("{ }") }],
    ["another time", { ...signed("{}"), headers: { ...signed("{}").headers, "messagebird-request-timestamp": "1" } }],
    ["none", { ...signed("{}"), headers: {} }],
  ])("is forged with %s", (_, callback) => {
    expect(authenticate(callback)).toMatchObject({ kind: "forged" });
  });

  it.each(["", "soon"])("without a time is stale: %j", (time) => {
    expect(authenticate(signed("{}", { time }))).toMatchObject({ kind: "stale" });
  });
});

describe("an event", () => {
  const read = (event: string, payload: unknown, service = "channels") =>
    messagebird.readCallback(signed(JSON.stringify({ service, event, payload })), settings);
  const outgoing = (status: string, more: object = {}) =>
    read("sms.outbound", { id: ID, channelId: CHANNEL, status, lastStatusAt: "2022-12-22T08:32:50.736Z", ...more });

  it.each([
    ["accepted", "sent"],
    ["processing", "sent"],
    ["sent", "sent"],
    ["delivered", "delivered"],
  ])("of %s reports: %s", (word, status) => {
    const own = { providerMessageId: ID, reference: null, status, code: null, detail: null };
    expect(outgoing(word)).toEqual({ reports: [{ ...own, occurredAt: "2022-12-22T08:32:50.736Z" }], inbound: [] });
  });

  it("of a failure has the code of the platform and a reason", () => {
    const reason = "details: unknown subscriber; reason: unknown_subscriber; code: 1";
    const failure = { code: 15_005, source: { name: "sms-messagebird", code: "1" } };
    expect(outgoing("delivery_failed", { reason, failure }).reports).toMatchObject([
      { status: "undelivered", code: "1", detail: "The number is not known to its network." },
    ]);
    const other = { code: 14_001, source: { name: "accounting", code: "1" } };
    expect(outgoing("sending_failed", { reason: "no credit", failure: other }).reports).toMatchObject([
      {
        status: "failed",
        code: "1",
        detail: expect.stringMatching(/reason is not known/),
        providerDetail: "No credit.",
      },
    ]);
    expect(outgoing("sending_failed").reports).toMatchObject([{ code: "sending_failed" }]);
  });

  it("of a message from a handset names our number by its channel", () => {
    const message = {
      id: ID,
      channelId: CHANNEL,
      sender: { contact: { id: "c", identifierKey: "phonenumber", identifierValue: "+31687654321" } },
      receiver: { connector: { id: OTHER } },
      body: { type: "text", text: { text: "STOP" } },
      status: "delivered",
      direction: "incoming",
    };
    const inbound = { providerMessageId: ID, from: "+31687654321", to: "31612345678", text: "STOP" };
    expect(read("sms.inbound", message)).toEqual({ reports: [], inbound: [inbound] });
    expect(read("sms.inbound", { ...message, channelId: "new" }).inbound).toMatchObject([{ to: "new" }]);
    const createdAt = "2022-12-22T08:32:50.736Z";
    expect(read("sms.inbound", { ...message, createdAt }).inbound).toEqual([{ ...inbound, occurredAt: createdAt }]);
    expect(read("sms.inbound", { ...message, body: { type: "image" } }).inbound).toEqual([{ ...inbound, text: "" }]);
  });

  it("about anything else has no content, and without an id is unreadable", () => {
    const nothing = { reports: [], inbound: [] };
    expect(outgoing("something new")).toEqual(nothing);
    expect(read("email.outbound", { id: ID, status: "delivered" })).toEqual(nothing);
    expect(read("sms.outbound", {}, "contacts")).toEqual(nothing);
    expect(() => read("sms.outbound", { status: "delivered" })).toThrow();
  });
});
