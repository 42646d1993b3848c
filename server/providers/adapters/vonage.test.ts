import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Callback, SendRequest } from "../port";
import { vonage } from "./vonage";

const settings = vonage.settings.parse({ apiKey: "abcd1234", apiSecret: "s3cret" });
const RECEIPTS = "https://sms.example.test/webhooks/vonage?ref=msg_1-1";

const ONE_SEGMENT = { encoding: "GSM-7", segments: 1 } as const;
const sendRequest = (message: Partial<SendRequest["message"]> = {}): SendRequest => ({
  message: { ...ONE_SEGMENT, id: "msg_1", to: "+447700900000", from: "+447700900001", body: "a & b", ...message },
  reference: "msg_1-1",
  receiptUrl: RECEIPTS,
});
const formOf = (message?: Partial<SendRequest["message"]>) =>
  Object.fromEntries(new URLSearchParams(vonage.buildRequest(sendRequest(message), settings).body ?? ""));

const answer = (status: number, body: unknown) =>
  vonage.readResponse({ status, headers: {}, body: typeof body === "string" ? body : JSON.stringify(body) });
const parts = (...messages: unknown[]) => answer(200, { "message-count": String(messages.length), messages: messages });
const taken = (id: string) => ({ to: "447700900000", "message-id": id, status: "0", "message-price": "0.03330000" });

type Fields = Record<string, string>;
const posted = (type: string, body: string): Callback => ({
  method: "POST",
  url: RECEIPTS,
  headers: { "content-type": type },
  body: Buffer.from(body),
});
const inForm = (fields: Fields) => posted("application/x-www-form-urlencoded", `${new URLSearchParams(fields)}`);
const inJson = (fields: Fields) => posted("application/json; charset=utf-8", JSON.stringify(fields));
const inQuery = (fields: Fields): Callback => ({
  method: "GET",
  url: `${RECEIPTS}&${new URLSearchParams(fields)}`,
  headers: {},
  body: Buffer.alloc(0),
});
const everyWay = [
  ["a form", inForm],
  ["JSON", inJson],
  ["the query", inQuery],
] as const;

const UNEXPLAINED = "The message could not be delivered. The reason is not known.";

describe("the request", () => {
  it("is a form with the credentials, numbers without +, our reference and the callback", () => {
    const request = vonage.buildRequest(sendRequest(), settings);
    expect(request.method).toBe("POST");
    expect(request.url).toBe("https://rest.nexmo.com/sms/json");
    expect(formOf()).toEqual({
      api_key: "abcd1234",
      api_secret: "s3cret",
      from: "447700900001",
      to: "447700900000",
      text: "a & b",
      type: "text",
      "client-ref": "msg_1-1",
      "status-report-req": "1",
      callback: RECEIPTS,
    });
  });

  it("marks a text outside the GSM alphabet, which would arrive as question marks", () => {
    expect(formOf({ body: "Привет", encoding: "UCS-2" })).toMatchObject({ type: "unicode", text: "Привет" });
  });

  it("leaves a name as it is", () => expect(formOf({ from: "Acme" })).toMatchObject({ from: "Acme" }));
});

describe("the response", () => {
  it("gives the ids of all parts", () => {
    const outcome = parts(taken("A1"), taken("A2"), taken("A3"));
    expect(outcome).toEqual({ kind: "accepted", providerMessageIds: ["A1", "A2", "A3"] });
  });

  it("with a failed part gives the ids of the others", () => {
    const outcome = parts(taken("A1"), { status: "1", "error-text": "Throughput" }, taken("A3"));
    const lost = { code: "1", detail: "Part 2 of 3 was not taken. The throughput was exceeded." };
    expect(outcome).toEqual({ kind: "accepted", providerMessageIds: ["A1", "A3"], lost });
  });

  it.each([
    ["refused", undefined, ["2", "3", "7", "22", "33"]],
    ["retryable", "account", ["4", "8", "9", "11", "14", "32"]],
    ["retryable", "message", ["6", "12", "15", "23", "29", "999"]],
    ["retryable", "throttled", ["1", "10"]],
    ["retryable", "provider", ["5"]],
  ])("of HTTP 200 with a status is %s %s: %j", (kind, fault, codes) => {
    for (const code of codes) {
      const [detail, providerDetail] = [expect.not.stringContaining("theirs"), "Words of theirs."];
      expect(parts({ status: code, "error-text": "words of theirs" })).toEqual({
        kind,
        code,
        detail,
        providerDetail,
        fault,
      });
    }
  });

  it.each(["", "<html>", "{}", { messages: [] }, { messages: [{ status: "0" }] }])(
    "of HTTP 200 that is unreadable: %j",
    (body) => {
      expect(() => answer(200, body)).toThrow();
    },
  );

  it.each([
    [429, "", "throttled"],
    [401, "", "account"],
    [500, "<html>", "provider"],
    [503, "", "provider"],
  ])("of HTTP %d that is unreadable: %s", (status, body, fault) => {
    expect(answer(status, body)).toMatchObject({ kind: "retryable", code: `http_${status}`, fault });
  });
});

describe("the signature", () => {
  const secret = "my_secret_key_for_testing";
  const ids = { messageId: "020000001B0FE827", msisdn: "14843472194", to: "13239877404" };
  const times = { "message-timestamp": "2013-11-21 15:27:30", timestamp: "1385047698" };
  const fields = { ...ids, ...times, text: "Test again", type: "text" };
  const MD5HASH = "d2e7b1dc968737c5998ad624e02f90b7";
  const at = (seconds: number) => new Date((1_385_047_698 + seconds) * 1_000);
  const authenticate = (given: Callback, own: object = {}, when = at(0)) =>
    vonage.authenticate(given, { ...settings, signatureSecret: secret, ...own }, when);
  const md5 = (text: string) => createHash("md5").update(text).digest("hex");

  describe.each(everyWay)("in %s", (_, callback) => {
    it.each([
      ["md5hash", MD5HASH],
      ["md5", "ddebd46008c2d4e93cce578a332a52d5"],
      ["sha1", "27d0d05c2876c7cb1720dbcdba4d492e1e55c09a"],
      ["sha256", "ddb8397c2b90aac7f3882d306475c9a5058c92322eef43c92b298b6e0fc0d330"],
      [
        "sha512",
        "E0D3C650F8C9D1A5C174D10DDDBFB003E561F59B265616208B0487C5D819481CD3C311D59CF6165ECD1139622D5BA3A256C0D763AC4A9AD9144B5A426B94FE82",
      ],
    ] as const)("by %s is valid, in either case", (signatureMethod, sig) => {
      for (const written of [sig, sig.toLowerCase(), sig.toUpperCase()]) {
        const given = callback({ ...fields, sig: written });
        expect(authenticate(given, { signatureMethod })).toEqual({ kind: "genuine", nonces: [] });
      }
    });

    it.each<[string, Fields, object]>([
      ["no signature", fields, {}],
      ["an empty signature", { ...fields, sig: "" }, {}],
      ["a field changed", { ...fields, text: "Test Again", sig: MD5HASH }, {}],
      ["a field more", { ...fields, status: "delivered", sig: MD5HASH }, {}],
      ["a newer time", { ...fields, timestamp: "1385047699", sig: MD5HASH }, {}],
      ["another secret", { ...fields, sig: MD5HASH }, { signatureSecret: "another" }],
      ["another method", { ...fields, sig: MD5HASH }, { signatureMethod: "md5" }],
    ])("is forged with %s", (_, given, own) => {
      expect(authenticate(callback(given), own)).toMatchObject({ kind: "forged" });
    });

    it("is valid for five minutes before and after its time", () => {
      const given = callback({ ...fields, sig: MD5HASH });
      const kinds = [-3_600, -301, -300, 300, 301].map((seconds) => authenticate(given, {}, at(seconds)).kind);
      expect(kinds).toEqual(["stale", "stale", "genuine", "genuine", "stale"]);
    });
  });

  it("replaces separators within the fields, and has a nonce", () => {
    const signed = { messageId: "A1", nonce: "n-1", text: "a=b&c", timestamp: "1385047698" };
    const sig = md5(`&messageId=A1&nonce=n-1&text=a_b_c&timestamp=1385047698${secret}`);
    expect(authenticate(inForm({ ...signed, sig }))).toEqual({ kind: "genuine", nonces: ["n-1"] });
  });

  it("may cover our own reference in the query", () => {
    const sig = md5(`&messageId=A1&ref=msg_1-1&timestamp=1385047698${secret}`);
    expect(authenticate(inQuery({ messageId: "A1", timestamp: "1385047698", sig }))).toMatchObject({ kind: "genuine" });
  });

  it.each(["", "&timestamp=soon", "&timestamp="])("without a time is stale: %j", (time) => {
    const sig = md5(`&messageId=A1${time}${secret}`);
    const given = inForm({ ...Object.fromEntries(new URLSearchParams(`messageId=A1${time}`)), sig });
    expect(authenticate(given)).toMatchObject({ kind: "stale" });
  });

  it("of an unreadable body is forged", () => {
    expect(authenticate(posted("application/json", "{"))).toMatchObject({ kind: "forged" });
  });

  it("is not required without a secret", () => {
    expect(vonage.authenticate(inForm(fields), settings, at(0))).toEqual({ kind: "genuine", nonces: [] });
  });
});

describe.each(everyWay)("a callback in %s", (_, callback) => {
  const receipt = (status: string, errorCode = "0") =>
    vonage.readCallback(
      callback({
        msisdn: "447700900000",
        to: "AcmeInc",
        messageId: "A1",
        "client-ref": "msg_1-2",
        "api-key": "abcd1234",
        status,
        "err-code": errorCode,
        scts: "2001011400",
        "message-timestamp": "2020-01-01 12:00:00",
      }),
    );

  it.each([
    ["accepted", "sent"],
    ["buffered", "sent"],
    ["unknown", "sent"],
    ["delivered", "delivered"],
  ])("of %s reports %s with the reference of the message", (word, status) => {
    expect(receipt(word)).toEqual({
      reports: [{ providerMessageId: "A1", reference: "msg_1-2", status, code: null, detail: null, occurredAt: null }],
      inbound: [],
    });
  });

  it.each([
    ["expired", "1", "undelivered", "1", "Unknown error."],
    ["failed", "3", "undelivered", "3", "The handset no longer exists."],
    ["rejected", "9", "undelivered", "9", "The number is not allowed, or has opted out."],
    ["undelivered", "2", "undelivered", "2", "The handset is not reachable for now."],
    ["deleted", "0", "undelivered", "deleted", UNEXPLAINED],
    ["rejected", "10", "failed", "10", "The message is not allowed."],
    ["failed", "11", "failed", "11", "The message cannot be routed."],
    ["failed", "54", "failed", "54", "The message breaks a regulation of the country."],
    ["failed", "0", "undelivered", "failed", UNEXPLAINED],
    ["failed", "", "undelivered", "failed", UNEXPLAINED],
    ["failed", "77", "undelivered", "77", UNEXPLAINED],
  ])("of %s with err-code %s has a reason", (word, errorCode, status, code, detail) => {
    expect(receipt(word, errorCode).reports).toMatchObject([{ status, code, detail }]);
  });

  it("of a message from a handset is not a receipt", () => {
    const fields = { msisdn: "447700900000", to: "447700900001", messageId: "B1", text: "status=delivered" };
    expect(vonage.readCallback(callback({ ...fields, type: "text" }))).toEqual({
      reports: [],
      inbound: [{ providerMessageId: "B1", from: "447700900000", to: "447700900001", text: "status=delivered" }],
    });
  });

  it.each([
    ["2020-01-01 12:00:00", "2020-01-01T12:00:00Z"],
    ["yesterday", undefined],
    ["", undefined],
  ])("of a message from a handset has the time of its push, %j, which is in UTC", (time, occurredAt) => {
    const fields = { msisdn: "447700900000", to: "447700900001", messageId: "B1", text: "STOP", type: "text" };
    const { inbound } = vonage.readCallback(callback({ ...fields, "message-timestamp": time }));
    expect(inbound[0]?.occurredAt).toBe(occurredAt);
  });

  it("of a binary message from a handset has no text", () => {
    const fields = {
      msisdn: "447700900000",
      to: "447700900001",
      messageId: "B1",
      type: "binary",
      data: "00",
      udh: "05",
    };
    expect(vonage.readCallback(callback(fields))).toEqual({
      reports: [],
      inbound: [{ providerMessageId: "B1", from: "447700900000", to: "447700900001", text: "" }],
    });
  });

  it("with a status is a receipt, whatever its other fields", () => {
    const fields = { messageId: "A1", status: "delivered", text: "x", msisdn: "1", to: "2" };
    expect(vonage.readCallback(callback(fields))).toMatchObject({ reports: [{ status: "delivered" }], inbound: [] });
  });

  it("about anything else has no content", () => {
    const other = vonage.readCallback(callback({ messageId: "B1", type: "something new" }));
    for (const content of [receipt("something new"), other]) expect(content).toEqual({ reports: [], inbound: [] });
  });

  it("without the message's id is unreadable", () => {
    expect(() => vonage.readCallback(callback({ status: "delivered" }))).toThrow("messageId");
  });
});

it("does not use the reference in the URL, which the signature may not cover", () => {
  const { reports } = vonage.readCallback(inForm({ messageId: "A1", status: "delivered" }));
  expect(reports).toMatchObject([{ reference: null }]);
});
