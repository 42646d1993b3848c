import { createHash, createPrivateKey, createPublicKey, verify } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type Received, startReceiver } from "../network/receiver";
import { signBird } from "./bird-channels";
import { signMessageBird, startMessageBird } from "./messagebird";
import { countParts, forceGsm } from "./parts";
import { signPlivoV2, signPlivoV3, startPlivo } from "./plivo";
import { signTelnyx, startTelnyx } from "./telnyx";
import { signTwilio, startTwilio } from "./twilio";
import { type SignatureMethod, signVonage, startVonage } from "./vonage";
import { signVonageWebhook } from "./vonage-messages";

test("forcing a text into GSM-7 leaves a question mark for each character that it lacks", () => {
  expect(forceGsm("5€ für ŝi 😀")).toBe("5€ für ?i ?");
});

test.each([
  ["a".repeat(160), 1],
  ["a".repeat(307), 3],
  ["€".repeat(153), 3],
  [`${"a".repeat(152)}€${"a".repeat(151)}`, 2],
  ["я".repeat(70), 1],
  ["😀".repeat(67), 3],
  [`${"я".repeat(66)}😀${"я".repeat(65)}`, 2],
  ["`".repeat(160), 3],
  ["Ç".repeat(160), 1],
])("counts the parts of %s", (text, parts) => expect(countParts(text)).toBe(parts));

const repeated = (query: string) => [...new URLSearchParams(query)];
const binding = "MessagingBinding.Address";

describe("twilio signs", () => {
  const call = { CallSid: "CA1234567890ABCDE", Caller: "+14158675309", Digits: "1234", From: "+14158675309" };
  const url = "https://mycompany.com/myapp.php?foo=1&bar=2";
  const called = Object.entries({ ...call, To: "+18005551212" });
  const status = { MessageStatus: "delivered", SmsStatus: "delivered", ApiVersion: "2010-04-01" };
  const sid = "SM4262411b90e5464b98a4f66a49c57a97";
  const numbers = { To: "+15622089096", From: "+16232320112", AccountSid: "AC0db966d80e9f1662da09c61287f8bba1" };
  const report = Object.entries({ SmsSid: sid, MessageSid: sid, ...status, ...numbers });
  test.each([
    [url, called, "RSOYDt4T1cUTdK1PDd93/VVr8B8="],
    ["https://mycompany.com:443/myapp.php?foo=1&bar=2", called, "kvajT1Ptam85bY51eRf/AJRuM3w="],
    ["http://mycompany.com:1234/myapp.php?foo=1&bar=2", called, "Zmvh+3yNM1Phv2jhDCwEM3q5ebU="],
    ["https://user:pass@mycompany.com/myapp.php?foo=1&bar=2", called, "CukzLTc1tT5dXEDIHm/tKBanW10="],
    ["https://sms.example.test/webhooks/twilio", report, "i1xhhD/rDFGWlCt82AQNLa3MOsk="],
    [url, repeated("Digits=5678&Digits=1234&SidAccount=AC123&Digits=1234&Sid=CA123"), "IK+Dwps556ElfBT0I3Rgjkr1wJU="],
    [url, repeated(`${binding}=%2B1415xxxxxxx&${binding}=%2B1325xxxxxxx`), "83O6e2vORAoJHUNzJjDWN1jz+BA="],
  ])("%s", (signedUrl, fields, signature) => {
    expect(signTwilio("12345", signedUrl, fields)).toBe(signature);
  });
});

test.each<[SignatureMethod, string]>([
  ["md5hash", "d2e7b1dc968737c5998ad624e02f90b7"],
  ["md5", "ddebd46008c2d4e93cce578a332a52d5"],
  ["sha1", "27d0d05c2876c7cb1720dbcdba4d492e1e55c09a"],
  [
    "sha512",
    "e0d3c650f8c9d1a5c174d10dddbfb003e561f59b265616208b0487c5d819481cd3c311d59cf6165ecd1139622d5ba3a256c0d763ac4a9ad9144b5a426b94fe82",
  ],
  ["sha256", "ddb8397c2b90aac7f3882d306475c9a5058c92322eef43c92b298b6e0fc0d330"],
])("vonage signs with %s", (method, signature) => {
  const sent = { "message-timestamp": "2013-11-21 15:27:30", messageId: "020000001B0FE827", msisdn: "14843472194" };
  const fields = { ...sent, text: "Test again", timestamp: "1385047698", to: "13239877404", type: "text" };
  expect(signVonage("my_secret_key_for_testing", method, fields)).toBe(signature);
});

test.each([
  [
    { url: "https://example.com/", body: "" },
    "59a244dc-e9ad-4e23-9778-371faa238f72",
    "6Fp0rVOsRr1fj9S2GidXAfkmPVofKr8_RTffC6G6r2E",
  ],
  [
    { url: "https://example.com/path?bar=1&foo=2", body: "Hello, World!" },
    "93e55006-a0e8-4526-a190-fa5ff00ea116",
    "_H--TOuYFLpeEH39-rg5E3IHVkjHozBcaKVWPRC5m9I",
  ],
])("messagebird signs %o", (request, jti, signature) => {
  const key = "36efdd1aace2e26cd490f0d951138253bef2f7c6d34d18981da781555cc4cebb";
  expect(signMessageBird(key, request, 1_625_479_200, jti).split(".")[2]).toBe(signature);
});

describe("plivo signs", () => {
  test("V2", () => {
    expect(signPlivoV2("my_auth_token", "12345", "https://answer.url")).toBe(
      "ehV3IKhLysWBxC1sy8INm0qGoQYdYsHwuoKjsX7FsXc=",
    );
  });
  const id = "3e82ae9d-2c78-4d85-b1a4-6eae7dbafb36";
  const sip = "PlivoSignature382029104058171078704104@";
  const fields = Object.entries({
    Direction: "outbound",
    From: "19792014278",
    ALegUUID: id,
    ALegRequestUUID: id,
    CallUUID: id,
    RequestUUID: id,
    CallStatus: "in-progress",
    BillRate: "0.002",
    ParentAuthID: "MANWVLYTK4ZWU1YTY4QA",
    To: `sip:${sip}phone-qa.voice.plivodev.com`,
    "SIP-H-To": `<sip:${sip}52.9.11.55;transport=udp>;tag=1`,
    SessionStart: "2020-04-08 11:34:33.238707",
    Event: "StartApp",
  });
  const url = "https://plivobin.non-prod.plivops.com/api/v1/validate_signature03.xml";
  test.each([
    ["POST", `${url}/?a=b&c=d`, "k7Pusd4OxCIjR5IfA9iedDNu/h/gbdYqdzG/MiYtd1c="],
    ["GET", `${url}/?a=b&c=d`, "UBq8jAtd32wR8EK9VgxbBn4n5rpI/l1H9iN4WfSEHFQ="],
    ["POST", url, "iAjE5QqI37mbkYe4w3jTMudqEzbDufdqi7sYwTu64e0="],
    ["GET", url, "i/MQsaQSAd6fiKhOh2qeeeLHZ9faldADSb3/7+Akfbc="],
  ] as const)("V3 of %s %s", (method, signedUrl, signature) => {
    const token = "Y2Q2ZDgxZmY5YWRiOTI5YmQ1Njg0MTAxZWIyOTc4";
    expect(signPlivoV3(token, "31627761595286130198", method, signedUrl, fields)).toBe(signature);
  });
});

test("telnyx signs the time and the raw body", () => {
  const seed = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
  const der = Buffer.from(`302e020100300506032b657004220420${seed}`, "hex");
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const body = `{"data":{"event_type":"message.finalized","id":"4ee8c3a6-4995-4309-a3c6-38e3db9ea4be","occurred_at":"2024-12-09T21:32:14.148+00:00","payload":{"id":"40318f29-5c3f-4689-aa8a-4f41c6d49178","to":[{"phone_number":"+13125000000","status":"delivered"}],"errors":[]},"record_type":"event"}}`;
  const signature = signTelnyx(key, "1733779934", body);
  expect(signature).toBe("SvqNLprSv102Ov59RgJwTJHIuePTbxAaqCxS5LDJaaxXuz97f2U8X3MSjheptv/UwyyKxxrWtesGqz0IiLWNCA==");
  const message = Buffer.from(`1733779934|${body}`);
  expect(verify(null, message, createPublicKey(key), Buffer.from(signature, "base64"))).toBe(true);
});

type Settings = Record<string, string>;

/** The time in a receipt in UNIX seconds, or null; throws when the signature does not match what arrived. */
const opened = [
  {
    name: "twilio",
    start: startTwilio,
    open: ({ headers, body }: Received, url: string, own: Settings) => {
      const fields = [...new URLSearchParams(String(body))];
      expect(headers["x-twilio-signature"]).toBe(signTwilio(own.TWILIO_AUTH_TOKEN ?? "", url, fields));
      return null;
    },
  },
  {
    name: "vonage",
    start: startVonage,
    open: ({ body }: Received, _url: string, own: Settings) => {
      const fields = Object.fromEntries(new URLSearchParams(String(body)));
      expect(fields.sig).toBe(signVonage(own.VONAGE_SIGNATURE_SECRET ?? "", "sha256", fields));
      return Number(fields.timestamp);
    },
  },
  {
    name: "messagebird",
    start: startMessageBird,
    open: ({ headers }: Received, url: string, own: Settings) => {
      const jwt = String(headers["messagebird-signature-jwt"]);
      const { nbf, jti, url_hash } = JSON.parse(Buffer.from(jwt.split(".")[1] ?? "", "base64url").toString());
      expect(url_hash).toBe(createHash("sha256").update(url).digest("hex"));
      expect(jwt).toBe(signMessageBird(own.MESSAGEBIRD_SIGNING_KEY ?? "", { url, body: "" }, nbf, jti));
      return Number(nbf);
    },
  },
  {
    name: "plivo",
    start: startPlivo,
    open: ({ headers, body }: Received, url: string, own: Settings) => {
      const nonce = String(headers["x-plivo-signature-v3-nonce"]);
      const fields = [...new URLSearchParams(String(body))];
      const token = own.PLIVO_AUTH_TOKEN ?? "";
      expect(headers["x-plivo-signature-v3"]).toBe(signPlivoV3(token, nonce, "POST", url, fields));
      expect(headers["x-plivo-signature-v2"]).toBe(signPlivoV2(token, nonce, url));
      return null;
    },
  },
  {
    name: "telnyx",
    start: startTelnyx,
    open: ({ headers, body }: Received, _url: string, own: Settings) => {
      const timestamp = String(headers["telnyx-timestamp"]);
      const x = Buffer.from(own.TELNYX_PUBLIC_KEY ?? "", "base64").toString("base64url");
      const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
      const signature = Buffer.from(String(headers["telnyx-signature-ed25519"]), "base64");
      expect(verify(null, Buffer.from(`${timestamp}|${body}`), key, signature)).toBe(true);
      return Number(timestamp);
    },
  },
];

test.each(opened)(
  "the signature of a $name receipt matches what arrives, unless it is forged",
  async ({ start, open }) => {
    const [carrier, receiver] = await Promise.all([start(), startReceiver()]);
    const receiptUrl = `${receiver.url}/t%20k?ref=msg_1-1&z=a%2Bb`;
    const numbers = { to: "+31612345678", from: "Bird & Co", text: "x", parts: 1 };
    const message = { ...numbers, ids: ["id"], reference: "msg_1-1", receiptUrl, takenAt: new Date() };
    await carrier.report(message, "undelivered", receiptUrl);
    await carrier.report(message, "undelivered", receiptUrl, { fault: "stale" });
    await carrier.report(message, "undelivered", receiptUrl, { fault: "forged" });
    await Promise.all([carrier.close(), receiver.close()]);
    const [fresh, stale, forged] = receiver.received.map((request) => () => {
      const time = open(request, new URL(request.path, receiver.url).href, carrier.environment);
      return time && Math.round((Date.now() / 1_000 - time) / 3_600);
    });
    const hours = fresh?.();
    expect(hours === null || hours === 0).toBe(true);
    expect(stale?.()).toBe(hours === null ? null : 1);
    expect(() => forged?.()).toThrow();
  },
);

// The values come from another implementation of the same algorithms.
test("vonage signs webhooks of the Messages API with a token that contains the hash of the body", () => {
  const application = "aaaaaaaa-bbbb-cccc-dddd-0123456789ab";
  const jti = "c5ba8f24-1a14-4c10-bfdf-3fbe8ce511b5";
  const token = signVonageWebhook(
    "my_secret_key_for_testing",
    '{"status":"delivered"}',
    application,
    1_587_494_962,
    jti,
  );
  expect(token.split(".")[2]).toBe("ZMjyyzxstE3a0t2Fn9KEbcPagivqPTEjCQM6Zit-o6k");
});

test("bird signs the time, the URL and the hash of the body", () => {
  const body = '{"service":"channels","event":"sms.outbound"}';
  const signature = signBird("secureSigningKey", "1719823259", "https://domain.com/webhook/bird?ref=1", body);
  expect(signature).toBe("+D8TBErus4+ifv4UbW1h2ZtIgTQFev8JSWEsuJ9e9os=");
});
