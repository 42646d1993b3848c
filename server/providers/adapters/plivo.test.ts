import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Callback, SendRequest } from "../port";
import { plivo } from "./plivo";

const settings = plivo.settings.parse({ authId: "MAXXXX", authToken: "plivo_auth_token" });
const RECEIPTS = "https://sms.example.test/webhooks/plivo";
const AT = new Date("2026-01-01T00:00:00Z");

const numbers = { to: "+14150000002", from: "+14150000001" };
const sendRequest: SendRequest = {
  message: { id: "msg_1", ...numbers, body: "Grüße 😀", encoding: "UCS-2", segments: 1 },
  reference: "msg_1-1",
  receiptUrl: `${RECEIPTS}?ref=msg_1-1`,
};

const answer = (status: number, body: unknown) =>
  plivo.readResponse({ status, headers: {}, body: typeof body === "string" ? body : JSON.stringify(body) });

type Fields = Record<string, string>;
const post = (url: string, fields: Fields, headers: Fields = {}): Callback => ({
  method: "POST",
  url,
  headers,
  body: Buffer.from(new URLSearchParams(fields).toString()),
});
const get = (url: string, fields: Fields, headers: Fields = {}): Callback => ({
  method: "GET",
  url: `${url}${url.includes("?") ? "&" : "?"}${new URLSearchParams(fields)}`,
  headers,
  body: Buffer.alloc(0),
});
const signed = (version: string, signature: string, nonce: string) => ({
  [`x-plivo-signature-${version}`]: signature,
  [`x-plivo-signature-${version}-nonce`]: nonce,
});
const v3 = (signature: string, nonce: string) => signed("v3", signature, nonce);
const v2 = (signature: string, nonce: string) => signed("v2", signature, nonce);

const UNEXPLAINED = "The message was not accepted for delivery. The reason is not known.";

describe("the request", () => {
  it("is JSON, to a path that ends in a slash", () => {
    const request = plivo.buildRequest(sendRequest, settings);
    expect(request.method).toBe("POST");
    expect(request.url).toBe("https://api.plivo.com/v1/Account/MAXXXX/Message/");
    expect(request.headers).toMatchObject({
      authorization: `Basic ${Buffer.from("MAXXXX:plivo_auth_token").toString("base64")}`,
      "content-type": "application/json",
    });
    expect(JSON.parse(request.body ?? "")).toEqual({
      src: "+14150000001",
      dst: "+14150000002",
      type: "sms",
      text: "Grüße 😀",
      url: `${RECEIPTS}?ref=msg_1-1`,
      method: "POST",
    });
  });
});

describe("the response", () => {
  it("of 202 gives the id, which comes in a list", () => {
    const outcome = answer(202, { api_id: "x", message: "message(s) queued", message_uuid: ["db3ce55a"] });
    expect(outcome).toEqual({ kind: "accepted", providerMessageIds: ["db3ce55a"] });
  });

  it.each(["", "<html>", "{}", { message_uuid: [] }, { message_uuid: "one" }])(
    "of 2xx without an id is unreadable: %j",
    (body) => {
      expect(() => answer(202, body)).toThrow();
    },
  );

  it("of 2xx without any valid recipient is a refusal", () => {
    expect(answer(202, { message_uuid: [], invalid_number: ["1"] })).toMatchObject({ kind: "refused" });
  });

  it.each([
    ["dst parameter is not provided", "refused", undefined],
    ["'1111111' is not a valid phone number.", "refused", undefined],
    ["text parameter is too long", "retryable", "message"],
    ["src parameter is not provided", "retryable", "message"],
    ["destination country is not enabled", "retryable", "message"],
    ["insufficient credit", "retryable", "account"],
    ["something else", "retryable", "message"],
  ])("of 400 is classified by its text: %s", (error, kind, fault) => {
    const providerDetail = `${error.charAt(0).toUpperCase()}${error.slice(1).replace(/\.$/, "")}.`;
    const detail = expect.stringMatching(/^The provider /);
    expect(answer(400, { api_id: "x", error })).toEqual({ kind, code: "http_400", detail, providerDetail, fault });
  });

  it.each([
    [401, "Could not verify your access level for that URL.", "account"],
    [402, "", "account"],
    [403, { error: "dst is in a region that is not permitted" }, "message"],
    [404, { message: "Not Found" }, "account"],
    [429, "", "throttled"],
    [429, { error: "src sends too fast" }, "throttled"],
    [500, { error: "text of theirs" }, "provider"],
    [503, "<html>", "provider"],
    [400, "", "message"],
  ])("of %d is classified by its status: %j", (status, body, fault) => {
    expect(answer(status, body)).toMatchObject({ kind: "retryable", code: `http_${status}`, fault });
  });
});

describe("the signature", () => {
  const authenticate = (given: Callback, authToken = "plivo_auth_token") =>
    plivo.authenticate(given, { ...settings, authToken }, AT);

  const receipt = {
    From: "14150000001",
    To: "14150000002",
    MessageUUID: "b48d95dc-e3ac-11eb-a9c2-0242ac110005",
    Status: "delivered",
    ErrorCode: "000",
    MCC: "310",
    MNC: "004",
    Units: "1",
    TotalRate: "0.00140",
    TotalAmount: "0.00140",
  };
  const altered = { ...receipt, Status: "failed" };
  const nonce = "05429567804466091622";
  const V3 = "OiWstniU6Dn6WomywrCoVzIFOcFqUBGnH7VqY5wtSa4=";
  const V2 = "XWy2B9anAYd4Nb0Vg7zkKUzCGJ2/v4VAir3HZ55VZFo=";

  describe("of a call, version 3", () => {
    const token = "Y2Q2ZDgxZmY5YWRiOTI5YmQ1Njg0MTAxZWIyOTc4";
    const callNonce = "31627761595286130198";
    const base = "https://plivobin.non-prod.plivops.com/api/v1/validate_signature03.xml";
    const id = "3e82ae9d-2c78-4d85-b1a4-6eae7dbafb36";
    const call = {
      Direction: "outbound",
      From: "19792014278",
      CallStatus: "in-progress",
      BillRate: "0.002",
      ALegUUID: id,
      ALegRequestUUID: id,
      CallUUID: id,
      RequestUUID: id,
      ParentAuthID: "MANWVLYTK4ZWU1YTY4QA",
      To: "sip:PlivoSignature382029104058171078704104@phone-qa.voice.plivodev.com",
      "SIP-H-To": "<sip:PlivoSignature382029104058171078704104@52.9.11.55;transport=udp>;tag=1",
      SessionStart: "2020-04-08 11:34:33.238707",
      Event: "StartApp",
    };

    it.each([
      ["POST with a query", post, `${base}/?a=b&c=d`, "k7Pusd4OxCIjR5IfA9iedDNu/h/gbdYqdzG/MiYtd1c="],
      ["GET with a query", get, `${base}/?a=b&c=d`, "UBq8jAtd32wR8EK9VgxbBn4n5rpI/l1H9iN4WfSEHFQ="],
      ["POST", post, base, "iAjE5QqI37mbkYe4w3jTMudqEzbDufdqi7sYwTu64e0="],
      ["GET", get, base, "i/MQsaQSAd6fiKhOh2qeeeLHZ9faldADSb3/7+Akfbc="],
    ])("by %s is valid, and counts as forged after any change", (_, made, url, signature) => {
      const headers = v3(signature, callNonce);
      expect(authenticate(made(url, call, headers), token)).toEqual({ kind: "genuine", nonces: [callNonce] });
      for (const given of [
        made(url, { ...call, CallStatus: "completed" }, headers),
        made(url, { ...call, More: "1" }, headers),
        made(`${base}/?a=b&c=e`, call, headers),
        made(url.replace("https", "http"), call, headers),
        made(url, call, v3(signature, "1")),
      ]) {
        expect(authenticate(given, token)).toMatchObject({ kind: "forged" });
      }
      expect(authenticate(made(url, call, headers), "another")).toMatchObject({ kind: "forged" });
    });
  });

  it("of a receipt is valid by either version, with its nonce", () => {
    for (const headers of [v3(V3, nonce), { ...v2(V2, nonce), ...v3(V3, nonce) }]) {
      expect(authenticate(post(RECEIPTS, receipt, headers))).toEqual({ kind: "genuine", nonces: [nonce] });
    }
    const [first, repeated, other] = [receipt, receipt, altered].map((fields) => {
      const authenticity = authenticate(post(RECEIPTS, fields, v2(V2, nonce)));
      expect(authenticity).toEqual({
        kind: "genuine",
        nonces: [nonce, expect.stringMatching(`^${nonce} [0-9a-f]{64}$`)],
      });
      return authenticity;
    });
    expect(repeated).toEqual(first);
    expect(other).not.toEqual(first);
    const both = { ...v3(V3, nonce), ...v2(V2, "another") };
    expect(authenticate(post(RECEIPTS, receipt, both))).toEqual({ kind: "genuine", nonces: [nonce, "another"] });
  });

  it("of version 2 covers the URL without its query", () => {
    const headers = v2("ehV3IKhLysWBxC1sy8INm0qGoQYdYsHwuoKjsX7FsXc=", "12345");
    const check = (url: string, token = "my_auth_token") => authenticate(post(url, {}, headers), token);
    for (const url of ["https://answer.url", "https://answer.url?a=b"]) {
      expect(check(url)).toEqual({ kind: "genuine", nonces: ["12345", expect.stringMatching("^12345 [0-9a-f]{64}$")] });
    }
    expect(check("https://answer.url/x")).toMatchObject({ kind: "forged" });
    expect(check("https://answer.url", "another")).toMatchObject({ kind: "forged" });
  });

  it.each([
    ["by the token of the main account", { "x-plivo-signature-ma-v3": V3 }],
    ["as one of several while a token is being rotated", { "x-plivo-signature-v3": `${"A".repeat(43)}=, ${V3}` }],
    ["next to one of a subaccount", { "x-plivo-signature-v3": `${"A".repeat(43)}=`, "x-plivo-signature-ma-v3": V3 }],
  ])("is valid %s", (_, headers) => {
    const given = post(RECEIPTS, receipt, { ...headers, "x-plivo-signature-v3-nonce": nonce });
    expect(authenticate(given)).toEqual({ kind: "genuine", nonces: [nonce] });
  });

  it.each<[string, Callback]>([
    ["no signature", post(RECEIPTS, receipt)],
    ["an empty signature", post(RECEIPTS, receipt, v3("", nonce))],
    ["no nonce", post(RECEIPTS, receipt, { "x-plivo-signature-v3": V3 })],
    ["another body", post(RECEIPTS, altered, v3(V3, nonce))],
    ["a query", post(`${RECEIPTS}?ref=x`, receipt, v3(V3, nonce))],
    ["a wrong version 3 with a right version 2", post(RECEIPTS, altered, { ...v3(V3, nonce), ...v2(V2, nonce) })],
    ["version 2 in the header of version 3", post(RECEIPTS, receipt, v3(V2, nonce))],
    ["another nonce", post(RECEIPTS, receipt, v2(V2, "05429567804466091623"))],
  ])("is forged with %s", (_, given) => {
    expect(authenticate(given)).toMatchObject({ kind: "forged" });
  });

  it("sorts the values of a repeated name", () => {
    const text = `${RECEIPTS}?ref=1.a1a2b3.n`;
    const signature = createHmac("sha256", "plivo_auth_token").update(text).digest("base64");
    const given = { ...post(`${RECEIPTS}?ref=1`, {}, v3(signature, "n")), body: Buffer.from("b=3&a=2&a=1") };
    expect(authenticate(given)).toMatchObject({ kind: "genuine" });
  });
});

describe.each([
  ["POST", post],
  ["GET", get],
])("a callback by %s", (_, made) => {
  const read = (fields: Fields) => plivo.readCallback(made(`${RECEIPTS}?ref=msg_1-1`, fields));
  const reported = (fields: Fields) => read({ MessageUUID: "u1", From: "1", To: "2", ...fields }).reports;

  it.each([
    ["queued", "sent"],
    ["sent", "sent"],
    ["delivered", "delivered"],
    ["read", "delivered"],
  ])("of %s reports %s", (Status, status) => {
    expect(reported({ Status, ErrorCode: "000" })).toEqual([
      { providerMessageId: "u1", reference: "msg_1-1", status, code: null, detail: null, occurredAt: null },
    ]);
  });

  it.each([
    ["undelivered", "80", "undelivered", "80", "The recipient is not available for now."],
    ["failed", "900", "failed", "900", "The account's credit does not suffice."],
    ["rejected", "200", "failed", "200", "The recipient has opted out."],
    ["failed", "12345", "failed", "12345", UNEXPLAINED],
    ["failed", "000", "failed", "failed", UNEXPLAINED],
    ["failed", "", "failed", "failed", UNEXPLAINED],
  ])("of %s with code %j has a reason", (Status, ErrorCode, status, code, detail) => {
    expect(reported({ Status, ErrorCode })).toMatchObject([{ status, code, detail }]);
  });

  it("of a part has the id in the response to the send", () => {
    const fields = { Status: "delivered", MessageUUID: "part", ParentMessageUUID: "u1" };
    expect(reported(fields)).toMatchObject([{ providerMessageId: "u1" }]);
    expect(reported({ ...fields, ParentMessageUUID: "" })).toMatchObject([{ providerMessageId: "part" }]);
  });

  it("of a message from a handset is not a receipt", () => {
    const fields = { From: "14150000002", To: "14150000001", Text: "Status=delivered", MessageUUID: "in1" };
    expect(read({ ...fields, Type: "sms" })).toEqual({
      reports: [],
      inbound: [{ providerMessageId: "in1", from: "14150000002", to: "14150000001", text: "Status=delivered" }],
    });
    const { Text: _, ...withoutText } = fields;
    expect(read({ ...withoutText, Type: "mms", Media0: "https://m.example.test/1" }).inbound).toMatchObject([
      { providerMessageId: "in1", text: "" },
    ]);
  });

  it("about anything else has no content, and without an id is unreadable", () => {
    expect(reported({ Status: "something new" })).toEqual([]);
    expect(read({ MessageUUID: "in1", Type: "mms" })).toEqual({ reports: [], inbound: [] });
    expect(() => read({ Status: "delivered" })).toThrow("MessageUUID");
  });
});
