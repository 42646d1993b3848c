import { createHash, createHmac, generateKeyPairSync, verify } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Callback, SendRequest } from "../port";
import { vonage } from "./vonage";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const APPLICATION = "78d335fa-323d-0114-9c3d-d6f0d48968cf";
const SECRET = "my_secret_key_for_testing";
const application = {
  applicationId: APPLICATION,
  privateKey: String(privateKey.export({ format: "pem", type: "pkcs8" })),
};
const settings = vonage.settings.parse({ ...application, signatureSecret: SECRET });
const RECEIPTS = "https://sms.example.test/webhooks/vonage?ref=msg_1-1";
const ID = "aaaaaaaa-bbbb-4ccc-8ddd-0123456789ab";
const AT = new Date("2025-02-03T12:14:25Z");

const sendRequest = (message: Partial<SendRequest["message"]> = {}): SendRequest => ({
  message: {
    id: "msg_1",
    to: "+447700900000",
    from: "+447700900001",
    body: "a & b",
    encoding: "GSM-7",
    segments: 1,
    ...message,
  },
  reference: "msg_1-1",
  receiptUrl: RECEIPTS,
});
const answer = (status: number, body: unknown) =>
  vonage.readResponse({ status, headers: {}, body: typeof body === "string" ? body : JSON.stringify(body) });
const problem = (code: string, more: object = {}) => ({
  type: `https://developer.vonage.com/api-errors/messages#${code}`,
  title: "a title",
  detail: "a detail",
  instance: "bf0ca0bf927b3b52e3cb03217e1a1ddf",
  ...more,
});

describe("the settings", () => {
  it.each([
    ["neither an API key nor an application", {}],
    ["a key without its secret", { apiKey: "abcd1234" }],
    ["an application without its key", { applicationId: APPLICATION }],
    ["an invalid private key", { ...application, privateKey: "secret" }],
  ])("are refused with %s", (_, given) => {
    expect(vonage.settings.safeParse(given).success).toBe(false);
  });

  it("choose the API: the application's once there is one", () => {
    const legacy = { apiKey: "abcd1234", apiSecret: "s3cret" };
    const urlOf = (given: object) => vonage.buildRequest(sendRequest(), vonage.settings.parse(given), "token").url;
    expect(urlOf(legacy)).toBe("https://rest.nexmo.com/sms/json");
    expect(urlOf({ ...legacy, ...application })).toBe("https://api.nexmo.com/v1/messages");
    expect(vonage.signToken?.(vonage.settings.parse(legacy), AT, "id")).toBeNull();
  });
});

describe("the request", () => {
  it("is JSON with the token, numbers without +, our reference and the webhook", () => {
    const request = vonage.buildRequest(sendRequest(), settings, "token");
    expect(request).toMatchObject({ method: "POST", headers: { authorization: "Bearer token" } });
    expect(JSON.parse(request.body ?? "")).toEqual({
      channel: "sms",
      message_type: "text",
      to: "447700900000",
      from: "447700900001",
      text: "a & b",
      sms: { encoding_type: "text" },
      client_ref: "msg_1-1",
      webhook_url: RECEIPTS,
      webhook_version: "v1",
    });
    const other = vonage.buildRequest(sendRequest({ encoding: "UCS-2", from: "Shop" }), settings, "token");
    expect(JSON.parse(other.body ?? "")).toMatchObject({ from: "Shop", sms: { encoding_type: "unicode" } });
  });

  it("has a token of the application, signed by its key and valid for 15 minutes", () => {
    const { token = "", lifetimeMs } = vonage.signToken?.(settings, AT, "id-1") ?? {};
    const [head = "", claims = "", signature = ""] = token.split(".");
    expect(lifetimeMs).toBe(900_000);
    expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toEqual({
      application_id: APPLICATION,
      iat: 1_738_584_865,
      exp: 1_738_585_765,
      jti: "id-1",
    });
    expect(verify("sha256", Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature, "base64url"))).toBe(
      true,
    );
  });
});

describe("the response", () => {
  it("of 202 has the id of the whole message", () => {
    expect(answer(202, { message_uuid: ID })).toEqual({ kind: "accepted", providerMessageIds: [ID] });
    for (const body of ["", "{}", { message_uuid: "" }]) expect(() => answer(202, body)).toThrow();
  });

  it.each([
    [401, { ...problem("x"), type: "https://developer.vonage.com/api-errors#unauthorized" }, "unauthorized", "account"],
    [402, problem("1070"), "1070", "account"],
    [429, problem("1000"), "1000", "throttled"],
    [422, problem("1120"), "1120", "message"],
    [500, problem("1030"), "1030", "provider"],
    [422, problem("1020", { invalid_parameters: [{ name: "from", reason: "no" }] }), "1020", "message"],
    [422, problem("1999", { invalid_parameters: [{ name: "text", reason: "no" }] }), "1999", "message"],
  ])("of %d is not taken: %#", (status, body, code, fault) => {
    expect(answer(status, body)).toMatchObject({ kind: "retryable", code, fault, providerDetail: expect.any(String) });
  });

  it.each([
    [422, problem("1050")],
    [422, problem("1170")],
    [422, problem("1020", { invalid_parameters: [{ name: "to", reason: "no" }] })],
    [422, problem("1999", { invalid_parameters: [{ name: "to", reason: "no" }] })],
  ])("of %d is refused for good: %#", (status, body) => {
    const outcome = answer(status, body);
    expect(outcome).toMatchObject({ kind: "refused" });
    expect(outcome).not.toMatchObject({ detail: expect.stringContaining("a detail") });
  });

  it("of a gateway is an unknown outcome", () => {
    expect(answer(502, "<html>")).toMatchObject({ kind: "unknown", code: "http_502" });
    expect(answer(503, "<html>")).toMatchObject({ kind: "retryable", fault: "provider" });
  });
});

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

function webhook(body: unknown, claims: object = {}, { secret = SECRET, alg = "HS256" } = {}): Callback {
  const text = JSON.stringify(body);
  const standard = { iat: AT.getTime() / 1_000, jti: "j-1", iss: "Vonage", payload_hash: sha256(text), api_key: "a" };
  const signed = `${encode({ alg, typ: "JWT" })}.${encode({ ...standard, application_id: APPLICATION, ...claims })}`;
  const signature = createHmac("sha256", secret).update(signed).digest("base64url");
  const headers = { "content-type": "application/json", authorization: `Bearer ${signed}.${signature}` };
  return { method: "POST", url: RECEIPTS, headers, body: Buffer.from(text) };
}

describe("the token of a webhook", () => {
  const authenticate = (callback: Callback, at = AT) => vonage.authenticate(callback, settings, at);

  it("is valid for five minutes before and after its time, once", () => {
    const at = (seconds: number) => new Date(AT.getTime() + seconds * 1_000);
    const given = webhook({ status: "delivered" });
    expect(authenticate(given)).toEqual({ kind: "genuine", nonces: ["j-1"] });
    const kinds = [-301, -300, 300, 301].map((seconds) => authenticate(given, at(seconds)).kind);
    expect(kinds).toEqual(["stale", "genuine", "genuine", "stale"]);
  });

  it.each([
    ["another secret", webhook({}, {}, { secret: "another" })],
    ["another algorithm", webhook({}, {}, { alg: "none" })],
    ["another body", { ...webhook({}), body: Buffer.from("{ }") }],
    ["no hash of the body", webhook({}, { payload_hash: undefined })],
    ["another application", webhook({}, { application_id: "other" })],
    ["no id", webhook({}, { jti: "" })],
    [
      "its content in the query, which it does not cover",
      { ...webhook({}), method: "GET", url: `${RECEIPTS}?status=delivered` },
    ],
    ["no token", { ...webhook({}), headers: { "content-type": "application/json" } }],
  ])("is forged with %s", (_, callback) => {
    expect(authenticate(callback)).toMatchObject({ kind: "forged" });
  });

  it("is not required without a secret", () => {
    const own = vonage.settings.parse(application);
    expect(vonage.authenticate(webhook({}), own, AT)).toEqual({ kind: "genuine", nonces: [] });
  });
});

describe("a webhook", () => {
  const update = (status: string, more: object = {}) =>
    vonage.readCallback(
      webhook({
        message_uuid: ID,
        to: "447700900000",
        from: "447700900001",
        timestamp: "2025-02-03T12:14:25Z",
        status,
        client_ref: "msg_1-2",
        usage: { currency: "EUR", price: "0.0333" },
        channel: "sms",
        destination: { network_code: "12345" },
        sms: { count_total: "1" },
        ...more,
      }),
    ).reports;
  const error = (code: string) => ({
    error: { type: `https://developer.vonage.com/api-errors/messages#${code}`, title: code, detail: "their words" },
  });

  it("reports the status of the whole message, however many parts it has, with our reference", () => {
    const own = { providerMessageId: ID, reference: "msg_1-2", code: null, detail: null, isOfWhole: true };
    expect(update("delivered")).toEqual([{ ...own, status: "delivered", occurredAt: "2025-02-03T12:14:25Z" }]);
    expect(update("submitted")).toMatchObject([{ status: "sent" }]);
    for (const sms of [{ count_total: "2" }, {}, null]) {
      expect(update("delivered", { sms })).toMatchObject([
        { reference: "msg_1-2", status: "delivered", isOfWhole: true },
      ]);
    }
  });

  it.each([
    ["rejected", "1180", "undelivered", "The handset is not reachable for now."],
    ["rejected", "1240", "undelivered", "The recipient has opted out."],
    ["rejected", "1120", "failed", "The sender is not allowed."],
    ["undeliverable", "1331", "failed", "The carrier does not respond, or cannot process the message."],
    ["rejected", "1999", "undelivered", "The message could not be delivered. The reason is not known."],
  ])("of %s with the error %s has a reason", (word, code, status, detail) => {
    expect(update(word, error(code))).toMatchObject([{ status, code, detail }]);
    expect(update(word)).toMatchObject([{ code: word }]);
  });

  it("contains messages from handsets", () => {
    const AT = "2025-02-03T12:14:25.000Z";
    const message = { channel: "sms", message_uuid: ID, to: "447700900001", from: "447700900000", text: "STOP" };
    const sms = { num_messages: "1", keyword: "STOP" };
    expect(vonage.readCallback(webhook({ ...message, timestamp: AT, message_type: "text", sms }))).toEqual({
      reports: [],
      inbound: [{ providerMessageId: ID, from: "447700900000", to: "447700900001", text: "STOP", occurredAt: AT }],
    });
  });

  it("contains messages from handsets that are not texts: their body is empty, or the text sent with a picture", () => {
    const message = { message_uuid: ID, to: "447700900001", from: "447700900000" };
    const textsOf = (content: object) =>
      vonage.readCallback(webhook({ ...message, ...content })).inbound.map(({ text }) => text);
    const image = { url: "https://api.nexmo.com/v3/media/1" };
    expect(textsOf({ channel: "mms", message_type: "image", image })).toEqual([""]);
    expect(textsOf({ channel: "mms", message_type: "image", image: { ...image, caption: "Stop" } })).toEqual(["Stop"]);
    expect(textsOf({ channel: "sms", message_type: "unsupported" })).toEqual([""]);
    expect(textsOf({ channel: "whatsapp", message_type: "image", image })).toEqual([]);
    expect(textsOf({ channel: "sms" })).toEqual([]);
  });

  it("about anything else has no content", () => {
    expect(update("something new")).toEqual([]);
    expect(() => vonage.readCallback(webhook({ message_uuid: "", status: "delivered" }))).toThrow();
  });
});
