import { describe, expect, it } from "vitest";
import type { Callback, SendRequest } from "../port";
import { telnyx } from "./telnyx";

const KEY = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";
const settings = telnyx.settings.parse({ apiKey: "KEY0123", publicKey: KEY });

const plain = { encoding: "GSM-7", segments: 1 } as const;
const sendRequest = (message: Partial<SendRequest["message"]> = {}): SendRequest => ({
  message: { id: "msg_1", to: "+13125550001", from: "+13125550002", body: "Hello", ...plain, ...message },
  reference: "msg_1-1",
  receiptUrl: "https://sms.example.test/api/receipts/telnyx/token?ref=msg_1-1",
});

const sent = (given: SendRequest, own = settings) => JSON.parse(telnyx.buildRequest(given, own).body ?? "");

const read = (status: number, body: unknown) =>
  telnyx.readResponse({ status, headers: {}, body: typeof body === "string" ? body : JSON.stringify(body) });
const refusal = (code: unknown, title = "a title") => ({ errors: [{ code, title, detail: "a detail" }] });

const callback = (body: unknown, headers: Record<string, string> = {}): Callback => ({
  method: "POST",
  url: sendRequest().receiptUrl,
  headers: { "content-type": "application/json", ...headers },
  body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
});

const ID = "40318f29-5c3f-4689-aa8a-4f41c6d49178";

const AT = "2024-12-09T21:32:14.148+00:00";

const event = (type: string, status: string, errors: unknown[] = [], occurred_at = AT) => ({
  data: {
    event_type: type,
    id: "4ee8c3a6-4995-4309-a3c6-38e3db9ea4be",
    occurred_at,
    record_type: "event",
    payload: { id: ID, direction: "outbound", to: [{ phone_number: "+13125550001", status }], errors, parts: 1 },
  },
  meta: { attempt: 1 },
});

const report = (...given: Parameters<typeof event>) => telnyx.readCallback(callback(event(...given))).reports[0];

describe("the settings", () => {
  it("accept only a public key of 32 bytes, and describe it", () => {
    expect(telnyx.settings.safeParse({ apiKey: "KEY0123", publicKey: "c2hvcnQ=" }).success).toBe(false);
    expect(settings).toEqual({ apiKey: "KEY0123", publicKey: KEY, baseUrl: "https://api.telnyx.com/v2" });
    const shape = (telnyx.settings as unknown as { shape: Record<string, { description?: string }> }).shape;
    expect(shape.publicKey?.description).toContain("public key");
  });
});

describe("the request", () => {
  it("asks for receipts only at our URL", () => {
    const { method, url, headers } = telnyx.buildRequest(sendRequest(), settings);
    expect([method, url]).toEqual(["POST", "https://api.telnyx.com/v2/messages"]);
    expect(headers).toMatchObject({ authorization: "Bearer KEY0123", "content-type": "application/json" });
    expect(sent(sendRequest())).toEqual({
      to: "+13125550001",
      from: "+13125550002",
      text: "Hello",
      type: "SMS",
      encoding: "gsm7",
      webhook_url: "https://sms.example.test/api/receipts/telnyx/token?ref=msg_1-1",
      use_profile_webhooks: false,
    });
  });

  it("names the messaging profile if one is set", () => {
    expect(sent(sendRequest({ from: "ACME" }), { ...settings, messagingProfileId: "p-1" })).toMatchObject({
      from: "ACME",
      messaging_profile_id: "p-1",
    });
  });

  it("writes senders in the provider's form", () => {
    const written = (...senders: string[]) => senders.map((from) => sent(sendRequest({ from })).from);
    expect(written("13125550002", "+13125550002", "55444", "ACME")).toEqual([
      "+13125550002",
      "+13125550002",
      "55444",
      "ACME",
    ]);
  });

  it("marks a text as unicode, and carries it unchanged", () => {
    const body = "“quoted” é € 😀\n\\ çok güzel";
    expect(sent(sendRequest({ body, encoding: "UCS-2" }))).toMatchObject({ text: body, encoding: "ucs2" });
  });
});

describe("the response", () => {
  it("200 with an id is accepted", () => {
    const body = { data: { id: ID, to: [{ status: "queued" }], parts: 1, cost: null } };
    expect(read(200, body)).toEqual({ kind: "accepted", providerMessageIds: [ID] });
  });

  it("200 without an id is an unknown outcome", () => {
    for (const body of ["", "OK", { data: {} }, { data: null }]) expect(() => read(200, body)).toThrow();
  });

  it.each(["40310", "40300", "40001", "10002", "40322"])("%s is refused for good with any status", (code) => {
    for (const status of [400, 403, 409, 422])
      expect(read(status, refusal(code))).toMatchObject({ kind: "refused", code });
  });

  it.each([
    ["account", 403, ["10009", "10010", "20100", "20012", "40314"]],
    ["message", 403, ["40305", "40309", "40010", "40329", "40302", "40328"]],
    ["throttled", 400, ["10011", "40318", "40016"]],
    ["provider", 400, ["10007", "40006"]],
  ])("fault %s with any status: retryable (HTTP %i, %j)", (fault, status, codes) => {
    for (const code of codes) expect(read(status, refusal(code))).toMatchObject({ kind: "retryable", code, fault });
  });

  it("reads a code as a number or as text", () => {
    expect(read(400, refusal(40310))).toMatchObject({ kind: "refused", code: "40310" });
  });

  it("is classified by the HTTP status without a known code; a 403 does not open the breaker", () => {
    const unknown = { kind: "retryable", code: "99999", providerDetail: "A title." };
    expect(read(422, refusal("99999"))).toMatchObject({ ...unknown, fault: "message" });
    expect(read(403, refusal("99999"))).toMatchObject({ ...unknown, fault: "message" });
    expect(read(503, refusal("99999"))).toMatchObject({ ...unknown, fault: "provider" });
    expect(read(404, refusal("10005"))).toMatchObject({ kind: "retryable", fault: "account" });
  });

  it.each([
    [500, "", "provider"],
    [503, "<html>Unavailable</html>", "provider"],
    [429, "slow down", "throttled"],
    [401, "", "account"],
    [400, { errors: [] }, "message"],
  ])("HTTP %i with the body %j: fault %s", (status, body, fault) => {
    const code = `http_${status}`;
    expect(read(status, body)).toMatchObject({ kind: "retryable", code, fault });
  });
});

describe("the signature", () => {
  const body =
    '{"data":{"event_type":"message.finalized","id":"4ee8c3a6-4995-4309-a3c6-38e3db9ea4be","occurred_at":"2024-12-09T21:32:14.148+00:00","payload":{"id":"40318f29-5c3f-4689-aa8a-4f41c6d49178","to":[{"phone_number":"+13125000000","status":"delivered"}],"errors":[]},"record_type":"event"}}';
  const headers = {
    "telnyx-timestamp": "1733779934",
    "telnyx-signature-ed25519":
      "SvqNLprSv102Ov59RgJwTJHIuePTbxAaqCxS5LDJaaxXuz97f2U8X3MSjheptv/UwyyKxxrWtesGqz0IiLWNCA==",
  };
  const signedAt = 1_733_779_934_000;
  const check = (given = body, more: Record<string, string> = {}, laterMs = 0, own = settings) =>
    telnyx.authenticate(callback(given, { ...headers, ...more }), own, new Date(signedAt + laterMs));

  it("covers the raw body, and allows repeats of an event under the same id", () => {
    const nonces = ["4ee8c3a6-4995-4309-a3c6-38e3db9ea4be"];
    expect(check()).toEqual({ kind: "genuine", nonces });
  });

  it("is forged for the same JSON in another notation", () => {
    expect(check(JSON.stringify(JSON.parse(body), null, 1))).toMatchObject({ kind: "forged" });
    expect(check(body.replace('"delivered"', '"expired"'))).toMatchObject({ kind: "forged" });
  });

  it("is forged for another time or another key", () => {
    expect(check(body, { "telnyx-timestamp": "1733779935" })).toMatchObject({ kind: "forged" });
    const publicKey = Buffer.alloc(32, 7).toString("base64");
    expect(check(body, {}, 0, { ...settings, publicKey })).toMatchObject({ kind: "forged" });
  });

  it.each([
    ["telnyx-signature-ed25519", ""],
    ["telnyx-signature-ed25519", "AAAA"],
    ["telnyx-timestamp", ""],
  ])("is forged with %s as %j", (name, value) => {
    expect(check(body, { [name]: value })).toMatchObject({ kind: "forged" });
  });

  it("is stale more than 300 s before or after its time, in seconds", () => {
    for (const laterMs of [-300_000, 300_000]) expect(check(body, {}, laterMs)).toMatchObject({ kind: "genuine" });
    for (const laterMs of [-301_000, 301_000]) expect(check(body, {}, laterMs)).toMatchObject({ kind: "stale" });
  });
});

describe("the callback", () => {
  it("names the message by its id, and the attempt by the URL", () => {
    expect(report("message.finalized", "delivered")).toEqual({
      providerMessageId: ID,
      reference: "msg_1-1",
      status: "delivered",
      code: null,
      detail: null,
      occurredAt: AT,
    });
  });

  it("reports the status in our terms", () => {
    const ours = (type: string, ...statuses: string[]) => statuses.map((status) => report(type, status)?.status);
    expect(ours("message.sent", "queued", "sending", "sent")).toEqual(["sent", "sent", "sent"]);
    expect(ours("message.finalized", "delivered", "delivery_unconfirmed")).toEqual(["delivered", "sent"]);
    expect(ours("message.finalized", "sending_failed")).toEqual(["failed"]);
    expect(ours("message.finalized", "delivery_failed", "expired")).toEqual(["undelivered", "undelivered"]);
  });

  it("each event is read separately: a late message.sent reports sent", () => {
    expect(report("message.sent", "sent", [], "2024-12-09T21:32:10+00:00")).toMatchObject({
      status: "sent",
      occurredAt: "2024-12-09T21:32:10+00:00",
    });
  });

  it("a failure has the provider's code with its meaning", () => {
    const failed = (code: string, title: string) => report("message.finalized", "delivery_failed", [{ code, title }]);
    expect(failed("40001", "Not routable")).toMatchObject({
      code: "40001",
      detail: expect.stringContaining("landline"),
    });
    expect(failed("49999", "Something new")).toMatchObject({
      code: "49999",
      detail: "The message could not be delivered. The reason is not known.",
      providerDetail: "Something new.",
    });
    expect(failed("40300", "Blocked due to STOP message")?.detail).toContain("STOP");
    expect(failed("40300", "Unreachable")?.detail).toBe("The recipient cannot be reached.");
    expect(report("message.finalized", "expired")).toMatchObject({ code: "expired", detail: expect.any(String) });
  });

  it("has no time if the reported one is invalid", () => {
    expect(report("message.finalized", "delivered", [], "yesterday")?.occurredAt).toBeNull();
  });

  it("contains messages from handsets", () => {
    const payload = {
      id: "7ee4241c-f127-47e5-9c34-3aac291f8058",
      direction: "inbound",
      from: { phone_number: "+13125550001" },
      to: [{ phone_number: "+13125550002", status: "webhook_delivered" }],
      text: "STOP",
      errors: [],
    };
    const given = { data: { event_type: "message.received", id: "e", occurred_at: "2024-12-09T21:32:14Z", payload } };
    expect(telnyx.readCallback(callback(given))).toEqual({
      reports: [],
      inbound: [
        {
          ...{ providerMessageId: payload.id, from: "+13125550001", to: "+13125550002", text: "STOP" },
          occurredAt: "2024-12-09T21:32:14Z",
        },
      ],
    });
  });

  it.each([
    ["STOP", { keyword: "stop" }],
    ["START", { keyword: "start" }],
    ["HELP", {}],
    [null, {}],
    [7, {}],
  ])("of a message with the autoresponse_type %j has that keyword, whatever the text", (autoresponse_type, keyword) => {
    const numbers = { from: { phone_number: "+13125550001" }, to: [{ phone_number: "+13125550002" }] };
    const payload = { id: "m1", ...numbers, text: "ARRET", autoresponse_type };
    const given = { data: { event_type: "message.received", id: "e", payload } };
    expect(telnyx.readCallback(callback(given)).inbound).toEqual([
      { providerMessageId: "m1", from: "+13125550001", to: "+13125550002", text: "ARRET", ...keyword },
    ]);
  });

  it("has no content about anything else, and throws when it is unreadable", () => {
    const nothing = { reports: [], inbound: [] };
    expect(telnyx.readCallback(callback({ data: { event_type: "number.ported", payload: {} } }))).toEqual(nothing);
    expect(telnyx.readCallback(callback(event("message.finalized", "some_new_status")))).toEqual(nothing);
    for (const body of ["", "{}", { data: { event_type: "message.finalized", payload: { id: ID } } }]) {
      expect(() => telnyx.readCallback(callback(body))).toThrow();
    }
  });
});
