import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Callback, SendRequest } from "../port";
import { twilio } from "./twilio";

const settings = twilio.settings.parse({ accountSid: "AC0db966d80e9f1662da09c61287f8bba1", authToken: "12345" });
const TEXT = "Grüße & mehr + 1";
const ONE_SEGMENT = { encoding: "GSM-7", segments: 1 } as const;
const RECEIPTS = "https://sms.example.test/webhooks/twilio";

const sendRequest = (message: Partial<SendRequest["message"]> = {}): SendRequest => ({
  message: { id: "msg_1", to: "+15622089096", from: "+16232320112", body: TEXT, ...ONE_SEGMENT, ...message },
  reference: "msg_1-1",
  receiptUrl: `${RECEIPTS}?ref=msg_1-1`,
});

const formOf = (own: object, message?: Partial<SendRequest["message"]>) =>
  new URLSearchParams(twilio.buildRequest(sendRequest(message), { ...settings, ...own }).body ?? "");

const answer = (status: number, body: unknown) =>
  twilio.readResponse({ status, headers: {}, body: typeof body === "string" ? body : JSON.stringify(body) });

type Fields = Record<string, string> | [string, string][];
const callback = (url: string, fields: Fields, signature?: string): Callback => ({
  method: "POST",
  url,
  headers: signature === undefined ? {} : { "x-twilio-signature": signature },
  body: Buffer.from(new URLSearchParams(fields).toString()),
});
const authenticate = (given: Callback, authToken = "12345") =>
  twilio.authenticate(given, { ...settings, authToken }, new Date());
const genuine = { kind: "genuine", nonces: [] };

const UNEXPLAINED = "The message was not accepted for delivery. The reason is not known.";

describe("the request", () => {
  it("is a form under the account, with its token and with a callback that names the attempt", () => {
    const request = twilio.buildRequest(sendRequest(), settings);
    expect(request.method).toBe("POST");
    expect(request.url).toBe(`https://api.twilio.com/2010-04-01/Accounts/${settings.accountSid}/Messages.json`);
    expect(request.headers).toMatchObject({
      authorization: `Basic ${Buffer.from(`${settings.accountSid}:12345`).toString("base64")}`,
      "content-type": "application/x-www-form-urlencoded",
    });
    const numbers = { To: "+15622089096", From: "+16232320112" };
    expect(Object.fromEntries(formOf({}))).toEqual({
      ...numbers,
      Body: TEXT,
      StatusCallback: `${RECEIPTS}?ref=msg_1-1#rc=5&rp=all`,
    });
  });

  it("uses an API key with both of its parts, under the same account", () => {
    const request = twilio.buildRequest(sendRequest(), { ...settings, apiKeySid: "SK1", apiKeySecret: "s" });
    expect(request.headers.authorization).toBe(`Basic ${Buffer.from("SK1:s").toString("base64")}`);
    expect(request.url).toContain(settings.accountSid);
    const { headers } = twilio.buildRequest(sendRequest(), { ...settings, apiKeySid: "SK1" });
    expect(headers).toEqual(twilio.buildRequest(sendRequest(), settings).headers);
  });

  it("keeps the sender with a messaging service", () => {
    const form = formOf({ messagingServiceSid: "MG1" });
    expect([form.get("From"), form.get("MessagingServiceSid")]).toEqual(["+16232320112", "MG1"]);
  });

  it("writes a number with +, and short codes and names unchanged", () => {
    const written = ["16232320112", "12345", "Acme"].map((from) => formOf({}, { from }).get("From"));
    expect(written).toEqual(["+16232320112", "12345", "Acme"]);
  });
});

describe("the response", () => {
  it("of 201 gives the id", () => {
    const body = { sid: "SM1", status: "queued", num_segments: "0", error_code: null };
    expect(answer(201, body)).toEqual({ kind: "accepted", providerMessageIds: ["SM1"] });
  });

  it.each(["", "<html>", "{}", '{"sid":""}'])("of 2xx without an id is unreadable: %s", (body) => {
    expect(() => answer(201, body)).toThrow();
  });

  it.each([
    ["refused", undefined, [21211, 21217, 21602, 21610, 21614]],
    ["retryable", "message", [21212, 21408, 21606, 21608, 21612, 21617]],
    ["retryable", "account", [20003, 20005, 21702, 21703, 21704]],
    ["retryable", "throttled", [20429, 21611]],
    ["retryable", "provider", [20500, 20503]],
  ])("with a code is %s %s: %j", (kind, fault, codes) => {
    for (const code of codes) {
      const outcome = answer(400, { code, message: "words of theirs", more_info: "", status: 400 });
      expect(outcome).toEqual({
        kind,
        code: String(code),
        detail: expect.stringMatching(/^The |^Too |^A |^Int/),
        fault,
      });
    }
  });

  it.each([
    [400, "message"],
    [403, "account"],
    [429, "throttled"],
    [500, "provider"],
  ])("of %d with an unknown code is classified by its status: %s", (status, fault) => {
    const outcome = answer(status, { code: 99999, message: "words of theirs" });
    expect(outcome).toEqual({
      kind: "retryable",
      code: "99999",
      detail: expect.stringMatching(/^The provider /),
      providerDetail: "Words of theirs.",
      fault,
    });
  });

  it("may have the newer shape of errors", () => {
    const outcome = answer(400, { type: "about:blank", title: "x", status: 400, code: 21999, detail: "Why." });
    expect(outcome).toMatchObject({ kind: "retryable", code: "21999", providerDetail: "Why.", fault: "message" });
  });

  it.each([
    [404, "<?xml version='1.0'?><TwilioResponse/>", "account"],
    [503, "<html>", "provider"],
  ])("of %d that is unreadable: %s", (status, body, fault) => {
    expect(answer(status, body)).toMatchObject({ kind: "retryable", code: `http_${status}`, fault });
  });
});

describe("the signature", () => {
  const caller = { Caller: "+14158675309", From: "+14158675309", To: "+18005551212" };
  const call = { CallSid: "CA1234567890ABCDE", Digits: "1234", ...caller };
  const url = "https://mycompany.com/myapp.php?foo=1&bar=2";
  const sid = "SM4262411b90e5464b98a4f66a49c57a97";
  const status = {
    SmsSid: sid,
    MessageSid: sid,
    SmsStatus: "delivered",
    MessageStatus: "delivered",
    To: "+15622089096",
    AccountSid: "AC0db966d80e9f1662da09c61287f8bba1",
    From: "+16232320112",
    ApiVersion: "2010-04-01",
  };
  const fieldsOf = (text: string): [string, string][] => [...new URLSearchParams(text)];
  const bindings = fieldsOf("MessagingBinding.Address=%2B1415xxxxxxx&MessagingBinding.Address=%2B1325xxxxxxx");
  const repeated = fieldsOf("Sid=CA123&SidAccount=AC123&Digits=5678&Digits=1234&Digits=1234");

  it.each<[string, string, Fields, string]>([
    ["a form", url, call, "RSOYDt4T1cUTdK1PDd93/VVr8B8="],
    ["the port of https", "https://mycompany.com:443/myapp.php?foo=1&bar=2", call, "kvajT1Ptam85bY51eRf/AJRuM3w="],
    ["the port of http", "http://mycompany.com:80/myapp.php?foo=1&bar=2", call, "0ZXoZLH/DfblKGATFgpif+LLRf4="],
    ["a port", "http://mycompany.com:1234/myapp.php?foo=1&bar=2", call, "Zmvh+3yNM1Phv2jhDCwEM3q5ebU="],
    ["credentials", "https://user:pass@mycompany.com/myapp.php?foo=1&bar=2", call, "CukzLTc1tT5dXEDIHm/tKBanW10="],
    ["an escaped quote", `${url}&Body=It%27s+amazing`, call, "TfZzewPq8wqrGlMfyAud8+/IvJ0="],
    ["an unescaped quote", `${url}&Body=It's+amazing`, call, "TfZzewPq8wqrGlMfyAud8+/IvJ0="],
    ["several values", url, bindings, "83O6e2vORAoJHUNzJjDWN1jz+BA="],
    ["several values in another order", url, bindings.toReversed(), "83O6e2vORAoJHUNzJjDWN1jz+BA="],
    ["repeated values", url, repeated, "IK+Dwps556ElfBT0I3Rgjkr1wJU="],
    ["a receipt", RECEIPTS, status, "i1xhhD/rDFGWlCt82AQNLa3MOsk="],
  ])("of %s is valid", (_, at, given, signature) => {
    expect(authenticate(callback(at, given, signature))).toEqual(genuine);
  });

  it.each([
    ["stripped", url, "kvajT1Ptam85bY51eRf/AJRuM3w="],
    ["added", "https://mycompany.com:443/myapp.php?foo=1&bar=2", "RSOYDt4T1cUTdK1PDd93/VVr8B8="],
    ["stripped from http", "http://mycompany.com/myapp.php?foo=1&bar=2", "0ZXoZLH/DfblKGATFgpif+LLRf4="],
  ])("is valid if the port was %s in transit", (_, at, signature) => {
    expect(authenticate(callback(at, call, signature))).toEqual(genuine);
  });

  describe("of a body's hash", () => {
    const json = '{"property": "value", "boolean": true}';
    const hashed = `${url}&bodySHA256=0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620`;
    const empty = `${url}&bodySHA256=44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a`;
    const posted = (at: string, body: string, signature: string): Callback => ({
      method: "POST",
      url: at,
      headers: { "content-type": "application/json", "x-twilio-signature": signature },
      body: Buffer.from(body),
    });

    it.each([
      [hashed, json, "a9nBmqA0ju/hNViExpshrM61xv4="],
      [empty, "{}", "rw/jVviOgicj2+kHZULvebnA4ag="],
      [empty, "{}", "Ldidvp12m26NI7eqEvxnEpkd9Hc="],
    ])("is valid: %s", (at, body, signature) => {
      expect(authenticate(posted(at, body, signature))).toEqual(genuine);
    });

    it("is forged with another body", () => {
      const given = posted(hashed, `${json} `, "a9nBmqA0ju/hNViExpshrM61xv4=");
      expect(authenticate(given)).toMatchObject({ kind: "forged" });
    });

    it("covers a body of any type whose hash is not in the URL", () => {
      const signature = createHmac("sha1", "12345").update(RECEIPTS).digest("base64");
      expect(authenticate(callback(RECEIPTS, {}, signature))).toEqual(genuine);
      const given = posted(RECEIPTS, "MessageSid=SM1&MessageStatus=failed", signature);
      expect(authenticate(given)).toMatchObject({ kind: "forged" });
    });
  });

  it.each<[string, Callback]>([
    ["no signature", callback(url, call)],
    ["another signature", callback(url, call, "RSOYDt4T1cUTdK1PDd93/VVr8B9=")],
    ["a field changed", callback(url, { ...call, Digits: "12345" }, "RSOYDt4T1cUTdK1PDd93/VVr8B8=")],
    ["another query", callback(`${url}&ref=x`, call, "RSOYDt4T1cUTdK1PDd93/VVr8B8=")],
    ["another port", callback(url.replace(".com/", ".com:8443/"), call, "kvajT1Ptam85bY51eRf/AJRuM3w=")],
  ])("is forged with %s", (_, given) => {
    expect(authenticate(given)).toMatchObject({ kind: "forged" });
  });

  it("is forged with another token", () => {
    const given = callback(url, call, "RSOYDt4T1cUTdK1PDd93/VVr8B8=");
    expect(authenticate(given, "1234")).toMatchObject({ kind: "forged" });
  });
});

describe("a callback", () => {
  const read = (fields: Record<string, string>) =>
    twilio.readCallback(callback(`${RECEIPTS}?ref=msg_1-1`, { MessageSid: "SM1", SmsSid: "SM1", ...fields }));
  const receipt = (MessageStatus: string, more: Record<string, string> = {}) =>
    read({ MessageStatus, SmsStatus: MessageStatus, From: "+1", To: "+2", ...more });

  it.each([
    ["sent", ["accepted", "queued", "sending", "sent"]],
    ["delivered", ["delivered", "read"]],
  ])("reports %s for %j", (status, words) => {
    const own = { providerMessageId: "SM1", reference: "msg_1-1", status, code: null, detail: null, occurredAt: null };
    for (const word of words) expect(receipt(word, { RawDlrDoneDate: "2601011200" }).reports).toEqual([own]);
  });

  it.each([
    ["undelivered", "30003", "undelivered", "30003", "The handset is not reachable."],
    ["failed", "30001", "failed", "30001", "The queue overflowed."],
    ["failed", "39999", "failed", "39999", UNEXPLAINED],
    ["canceled", "", "failed", "canceled", UNEXPLAINED],
    ["failed", "constructor", "failed", "constructor", UNEXPLAINED],
  ])("of %s with code %s has a reason", (word, ErrorCode, status, code, detail) => {
    expect(receipt(word, { ErrorCode }).reports).toMatchObject([{ status, code, detail }]);
  });

  it("of a message from a handset is not a receipt, even if it is empty or looks like one", () => {
    for (const Body of ["STOP", "", "MessageStatus=delivered&x=1"]) {
      expect(read({ SmsStatus: "received", From: "+15550001111", To: "+16232320112", Body })).toEqual({
        reports: [],
        inbound: [{ providerMessageId: "SM1", from: "+15550001111", to: "+16232320112", text: Body }],
      });
    }
  });

  it.each([
    ["STOP", { keyword: "stop" }],
    ["START", { keyword: "start" }],
    ["HELP", {}],
    ["constructor", {}],
  ])("of a message that Twilio itself took for %s has that keyword, whatever the text", (OptOutType, keyword) => {
    const message = { SmsStatus: "received", From: "+15550001111", To: "+16232320112", Body: "ARRET", OptOutType };
    expect(read(message).inbound).toEqual([
      { providerMessageId: "SM1", from: "+15550001111", to: "+16232320112", text: "ARRET", ...keyword },
    ]);
  });

  it("may be a GET", () => {
    const url = `${RECEIPTS}?MessageSid=SM1&MessageStatus=delivered`;
    const { reports } = twilio.readCallback({ ...callback(url, {}), method: "GET" });
    expect(reports).toMatchObject([{ providerMessageId: "SM1", status: "delivered" }]);
  });

  it("about anything else has no content, and without an id is unreadable", () => {
    const words = ["receiving", "partially_delivered", "something new", ""];
    for (const word of words) expect(receipt(word)).toEqual({ reports: [], inbound: [] });
    expect(() => receipt("delivered", { MessageSid: "" })).toThrow("MessageSid");
  });
});
