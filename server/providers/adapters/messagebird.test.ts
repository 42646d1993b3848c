import { createHash, createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Callback, SendRequest } from "../port";
import { messagebird } from "./messagebird";

const settings = messagebird.settings.parse({
  accessKey: "live_key",
  signingKey: "36efdd1aace2e26cd490f0d951138253bef2f7c6d34d18981da781555cc4cebb",
});
const RECEIPTS = "https://sms.example.test/webhooks/messagebird?ref=msg_1-1";
const NOW = 1_625_479_200;

const ONE_SEGMENT = { encoding: "GSM-7", segments: 1 } as const;
const sendRequest = (message: Partial<SendRequest["message"]> = {}): SendRequest => ({
  message: { ...ONE_SEGMENT, id: "msg_1", to: "+31612345678", from: "+3197010200000", body: "Hello", ...message },
  reference: "msg_1-1",
  receiptUrl: RECEIPTS,
});
const bodyOf = (message?: Partial<SendRequest["message"]>) =>
  JSON.parse(messagebird.buildRequest(sendRequest(message), settings).body ?? "");

const answer = (status: number, body: unknown) =>
  messagebird.readResponse({ status, headers: {}, body: typeof body === "string" ? body : JSON.stringify(body) });

const request = (method: string, url: string, body = "", token?: string): Callback => ({
  method,
  url,
  headers: token === undefined ? {} : { "messagebird-signature-jwt": token },
  body: Buffer.from(body),
});
const authenticate = (given: Callback, seconds = NOW, own: object = {}) =>
  messagebird.authenticate(given, { ...settings, ...own }, new Date(seconds * 1_000));

const UNEXPLAINED = "The message could not be delivered. The reason is not known.";

describe("the request", () => {
  it("is JSON with a numeric recipient, a receipt URL and the reference that receipts need", () => {
    const made = messagebird.buildRequest(sendRequest(), settings);
    expect(made.method).toBe("POST");
    expect(made.url).toBe("https://rest.messagebird.com/messages");
    expect(made.headers).toMatchObject({ authorization: "AccessKey live_key", "content-type": "application/json" });
    expect(bodyOf()).toEqual({
      originator: "3197010200000",
      recipients: [31612345678],
      type: "sms",
      body: "Hello",
      datacoding: "auto",
      reference: "msg_1-1",
      reportUrl: RECEIPTS,
    });
  });

  it("never uses the default encoding, which replaces characters", () => {
    expect(bodyOf({ body: "Привет", encoding: "UCS-2" })).toMatchObject({ datacoding: "unicode", body: "Привет" });
  });

  it("writes the longest number exactly, and a name unchanged", () => {
    const body = bodyOf({ to: "+999999999999999", from: "Acme" });
    expect(body).toMatchObject({ recipients: [999999999999999], originator: "Acme" });
  });
});

describe("the response", () => {
  it("of 201 gives the id", () => {
    const outcome = answer(201, { id: "efa6405d", recipients: { totalCount: 1 } });
    expect(outcome).toEqual({ kind: "accepted", providerMessageIds: ["efa6405d"] });
  });

  it.each(["", "<html>", "{}"])("of 2xx without an id is unreadable: %s", (body) => {
    expect(() => answer(201, body)).toThrow();
  });

  it.each([
    [401, 2, "access_key", "retryable", "account"],
    [402, 25, null, "retryable", "account"],
    [404, 20, null, "retryable", "message"],
    [422, 9, "recipient", "refused", undefined],
    [422, 10, "body", "retryable", "message"],
    [422, 10, "originator", "retryable", "message"],
    [500, 99, null, "retryable", "provider"],
    [429, 9, null, "retryable", "throttled"],
    [422, 999, null, "retryable", "message"],
  ])("of %d with code %d of %s: %s %s", (status, code, parameter, kind, fault) => {
    const outcome = answer(status, { errors: [{ code, description: "words of theirs", parameter }] });
    expect(outcome).toEqual({
      kind,
      code: String(code),
      detail: expect.not.stringContaining("theirs"),
      providerDetail: "Words of theirs.",
      fault,
    });
  });

  it.each([
    [429, "Too Many Requests", "throttled"],
    [401, "", "account"],
    [503, "<html>", "provider"],
  ])("of %d that is unreadable: %s", (status, body, fault) => {
    expect(answer(status, body)).toMatchObject({ kind: "retryable", code: `http_${status}`, fault });
  });
});

describe("the signature", () => {
  const GET_TOKEN =
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTYyNTQ3OTIwMCwiZXhwIjoxNjI1NDc5MjYwLCJqdGkiOiI1OWEyNDRkYy1lOWFkLTRlMjMtOTc3OC0zNzFmYWEyMzhmNzIiLCJ1cmxfaGFzaCI6IjBmMTE1ZGIwNjJiN2MwZGQwMzBiMTY4NzhjOTlkZWE1YzM1NGI0OWRjMzdiMzhlYjg4NDYxNzljNzc4M2U5ZDcifQ.6Fp0rVOsRr1fj9S2GidXAfkmPVofKr8_RTffC6G6r2E";
  const POST_TOKEN =
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTYyNTQ3OTIwMCwiZXhwIjoxNjI1NDc5MjYwLCJqdGkiOiI5M2U1NTAwNi1hMGU4LTQ1MjYtYTE5MC1mYTVmZjAwZWExMTYiLCJ1cmxfaGFzaCI6IjQxZjA1ZjBkZGQwYTIyYWIyMDlhYzQ2ZjQ3YzQ1NzJkOWNlZmEyNTdlZDc0YjI0MDA0YmFlNzUzZWNlNmMyNjAiLCJwYXlsb2FkX2hhc2giOiJkZmZkNjAyMWJiMmJkNWIwYWY2NzYyOTA4MDllYzNhNTMxOTFkZDgxYzdmNzBhNGIyODY4OGEzNjIxODI5ODZmIn0._H--TOuYFLpeEH39-rg5E3IHVkjHozBcaKVWPRC5m9I";
  const PATH = "https://example.com/path?bar=1&foo=2";
  const got = (token?: string, url = "https://example.com/") => request("GET", url, "", token);
  const posted = (body: string, url = PATH) => request("POST", url, body, POST_TOKEN);

  it("of a GET is valid, and its jti is the nonce", () => {
    expect(authenticate(got(GET_TOKEN))).toEqual({ kind: "genuine", nonces: ["59a244dc-e9ad-4e23-9778-371faa238f72"] });
  });

  it("of a POST is valid", () => {
    const nonce = "93e55006-a0e8-4526-a190-fa5ff00ea116";
    expect(authenticate(posted("Hello, World!"))).toEqual({ kind: "genuine", nonces: [nonce] });
  });

  it.each<[string, Callback]>([
    ["no token", got()],
    ["something other than a token", got("garbage")],
    ["another body", posted("Hello, World")],
    ["the body left out", posted("")],
    ["the query in another order", posted("Hello, World!", "https://example.com/path?foo=2&bar=1")],
    ["another path", got(GET_TOKEN, "https://example.com/x")],
    ["a body that the token does not cover", request("POST", "https://example.com/", "x", GET_TOKEN)],
    ["an extra part", got(`${GET_TOKEN}.x`)],
    ["the signature cut off", got(GET_TOKEN.replace(/\.[^.]*$/, "."))],
  ])("is forged with %s", (_, given) => {
    expect(authenticate(given)).toMatchObject({ kind: "forged" });
  });

  it("is forged with another key", () => {
    expect(authenticate(got(GET_TOKEN), NOW, { signingKey: "another" })).toMatchObject({ kind: "forged" });
  });

  it.each([
    [-6, "stale"],
    [-5, "genuine"],
    [64, "genuine"],
    [66, "stale"],
  ])("with the clock at %d s is %s", (seconds, kind) => {
    expect(authenticate(got(GET_TOKEN), NOW + seconds)).toMatchObject({ kind });
  });

  describe("of a token made by the test", () => {
    const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
    const claims = { iss: "MessageBird", nbf: NOW, exp: NOW + 60, jti: "j-1", url_hash: sha256(RECEIPTS) };
    const check = (alg: string, digest: string | null, own: object = {}) => {
      const signed = `${encoded({ alg, typ: "JWT" })}.${encoded({ ...claims, ...own })}`;
      const signature = digest && createHmac(digest, settings.signingKey).update(signed).digest("base64url");
      return authenticate(got(`${signed}.${signature ?? ""}`, RECEIPTS));
    };

    it.each([
      ["HS256", "sha256"],
      ["HS384", "sha384"],
      ["HS512", "sha512"],
    ])("is valid when signed by %s", (alg, digest) => {
      expect(check(alg, digest)).toEqual({ kind: "genuine", nonces: ["j-1"] });
    });

    it.each([
      ["none", null],
      ["none", "sha256"],
      ["RS256", "sha256"],
      ["HS256", "sha512"],
    ])("is forged by %s with a signature by %s", (alg, digest) => {
      expect(check(alg, digest)).toMatchObject({ kind: "forged" });
    });

    it.each<[string, object]>([
      ["another issuer", { iss: "Someone" }],
      ["no id", { jti: undefined }],
      ["no end", { exp: undefined }],
      ["no beginning", { nbf: undefined }],
      ["no hash of the URL", { url_hash: undefined }],
      ["the hash of a missing body", { payload_hash: sha256("") }],
    ])("is forged with %s", (_, own) => {
      expect(check("HS256", "sha256", own)).toMatchObject({ kind: "forged" });
    });
  });
});

describe("a callback", () => {
  const receipt = (query: string) => messagebird.readCallback(request("GET", `${RECEIPTS}&${query}`));
  const reported = (status: string, more = "") =>
    receipt(`id=efa6&reference=msg_1-1&recipient=31612345678&status=${status}${more}`).reports;

  it("reports by GET, with everything in the query", () => {
    const more = "&statusReason=successfully+delivered&statusDatetime=2017-01-05T10:02:59%2B00:00&statusErrorCode=0";
    expect(reported("delivered", more)).toEqual([
      {
        providerMessageId: "efa6",
        reference: "msg_1-1",
        status: "delivered",
        code: null,
        detail: null,
        occurredAt: "2017-01-05T10:02:59+00:00",
      },
    ]);
  });

  it.each([
    ["sent", ["scheduled", "sent", "buffered"]],
    ["delivered", ["delivered"]],
    ["undelivered", ["expired", "delivery_failed"]],
  ])("reports %s for %j", (status, words) => {
    for (const word of words) expect(reported(word)).toMatchObject([{ status }]);
  });

  it.each([
    ["103", "103", "The recipient has opted out."],
    ["1", "1", UNEXPLAINED],
    ["0", "delivery_failed", UNEXPLAINED],
    ["", "delivery_failed", UNEXPLAINED],
  ])("of a failure with code %j has a reason", (errorCode, code, detail) => {
    const more = `&statusReason=words+of+theirs&statusErrorCode=${errorCode}`;
    const providerDetail = detail === UNEXPLAINED ? { providerDetail: "Words of theirs." } : {};
    expect(reported("delivery_failed", more)).toMatchObject([{ code, detail, ...providerDetail }]);
  });

  it.each([
    ["2017-01-05T10:02:59+00:00", "2017-01-05T10:02:59+00:00"],
    ["2017-01-05T10:02:59%2B02:00", "2017-01-05T10:02:59+02:00"],
    ["2017-01-05T10:02:59-05:00", "2017-01-05T10:02:59-05:00"],
    ["yesterday", null],
    ["", null],
  ])("reads the time %j, even with an unescaped +", (time, occurredAt) => {
    expect(reported("sent", `&statusDatetime=${time}`)).toMatchObject([{ occurredAt }]);
  });

  const FORM = "application/x-www-form-urlencoded";
  it.each([
    [FORM, "id=in1&recipient=3197&originator=316&body=status%3Dsent"],
    [FORM, "id=in1&recipient=3197&originator=316&payload=status%3Dsent"],
    ["application/json", '{"id":"in1","recipient":3197,"originator":"316","body":"status=sent"}'],
  ])("of a message from a handset is not a receipt: %s %s", (type, body) => {
    const posted = { ...request("POST", RECEIPTS, body), headers: { "content-type": type } };
    expect(messagebird.readCallback(posted)).toEqual({
      reports: [],
      inbound: [{ providerMessageId: "in1", from: "316", to: "3197", text: "status=sent" }],
    });
  });

  it("of a message from a handset may come by GET, with its time", () => {
    const time = "2026-11-21T20:57:41%2B00:00";
    const { inbound } = receipt(`id=in1&recipient=3197&originator=316&body=STOP&createdDatetime=${time}`);
    expect(inbound).toMatchObject([{ text: "STOP", occurredAt: decodeURIComponent(time) }]);
    const other = receipt(`id=in1&recipient=3197&originator=316&body=STOP&receive_datetime=${time}`);
    expect(other.inbound).toEqual(inbound);
  });

  it("of a message to a short code has different field names, and a time without a zone", () => {
    const query = "mid=123456789&shortcode=1008&keyword=STOP&originator=31612345678&operator=20401&message=STOP";
    expect(receipt(`${query}&receive_datetime=20160503142657`)).toEqual({
      reports: [],
      inbound: [{ providerMessageId: "123456789", from: "31612345678", to: "1008", text: "STOP" }],
    });
  });

  it("of a message from a handset may have only pictures", () => {
    const { inbound } = receipt(
      "id=in1&recipient=3197&originator=316&mediaUrls%5B%5D=https%3A%2F%2Fm.example.test%2F1",
    );
    expect(inbound).toEqual([{ providerMessageId: "in1", from: "316", to: "3197", text: "" }]);
  });

  it("about anything else has no content, and without an id is unreadable", () => {
    expect(reported("something_new")).toEqual([]);
    expect(receipt("id=x")).toEqual({ reports: [], inbound: [] });
    expect(() => receipt("status=delivered")).toThrow("no id");
  });
});
