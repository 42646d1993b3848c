import { expect, test } from "vitest";
import { africastalking } from "./adapters/africastalking";
import { bandwidth } from "./adapters/bandwidth";
import { clickatell } from "./adapters/clickatell";
import { infobip } from "./adapters/infobip";
import { messagebird } from "./adapters/messagebird";
import { plivo } from "./adapters/plivo";
import { sinch } from "./adapters/sinch";
import { telnyx } from "./adapters/telnyx";
import { twilio } from "./adapters/twilio";
import { vonage } from "./adapters/vonage";
import { buildMessagesRequest } from "./adapters/vonage-messages";
import type { HttpProvider, SendRequest, Settings, Validity } from "./port";
import { minutesLeft, secondsLeft, smppPeriod } from "./validity";

const UNTIL = new Date("2026-02-01T12:00:00.000Z");
const lasting = (seconds: number): Validity => ({ seconds, until: UNTIL });

const sendRequest = (validity?: Validity): SendRequest => ({
  message: { id: "msg_1", to: "+447700900000", from: "+447700900001", body: "Hi", encoding: "GSM-7", segments: 1 },
  reference: "msg_1-1",
  receiptUrl: "https://sms.example.test/r?ref=msg_1-1",
  ...(validity && { validity }),
});

/** The body of a provider's request. */
function bodyOf<Own extends Settings>(provider: HttpProvider<Own>, settings: object, validity?: Validity): string {
  return provider.buildRequest(sendRequest(validity), provider.settings.parse(settings), "token").body ?? "";
}

const client = { username: "u", password: "p", callbackUsername: "h", callbackPassword: "p" };
const application = { applicationId: "a", privateKey: "k" };
const MESSAGES = (validity?: Validity) =>
  buildMessagesRequest(
    sendRequest(validity),
    { ...application, messagesBaseUrl: "https://api.example.test" } as Parameters<typeof buildMessagesRequest>[1],
    "token",
  ).body ?? "";

const BODIES: Record<string, (validity?: Validity) => string> = {
  twilio: (validity) => bodyOf(twilio, { accountSid: "AC0db966d80e9f1662da09c61287f8bba1", authToken: "1" }, validity),
  vonage: (validity) => bodyOf(vonage, { apiKey: "a", apiSecret: "s" }, validity),
  "vonage/messages": MESSAGES,
  messagebird: (validity) => bodyOf(messagebird, { accessKey: "a", signingKey: "s" }, validity),
  plivo: (validity) => bodyOf(plivo, { authId: "MA", authToken: "t" }, validity),
  sinch: (validity) => bodyOf(sinch, { servicePlanId: "p", apiToken: "t" }, validity),
  infobip: (validity) => bodyOf(infobip, { apiKey: "k", baseUrl: "https://x.api.infobip.com" }, validity),
  bandwidth: (validity) => bodyOf(bandwidth, { accountId: "9", applicationId: "a", ...client }, validity),
};

test.each([
  ["twilio", 90, "ValidityPeriod=90"],
  ["twilio", 259_200, "ValidityPeriod=36000"],
  ["vonage", 90, "ttl=90000"],
  ["vonage", 5, "ttl=20000"],
  ["vonage/messages", 259_200, '"ttl":259200'],
  ["messagebird", 90, '"validity":90'],
  ["plivo", 90, '"message_expiry":90'],
  ["plivo", 259_200, '"message_expiry":10799'],
  ["sinch", 90, '"expire_at":"2026-02-01T12:00:00.000Z"'],
  ["infobip", 90, '"options":{"validityPeriod":{"amount":2,"timeUnit":"MINUTES"}}'],
  ["infobip", 259_200, '"amount":2880,'],
  ["bandwidth", 90, '"expiration":"2026-02-01T12:00:00.000Z"'],
])("%s gets the remaining validity period, within its own limits: %d s", (name, seconds, field) => {
  expect(BODIES[name]?.(lasting(seconds))).toContain(field);
});

test.each(Object.keys(BODIES))("%s gets no period when the message has none", (name) => {
  expect(BODIES[name]?.()).not.toMatch(/validity|ttl|expir/i);
});

test("providers whose API has no period get the message without one", () => {
  const voiceless = (validity?: Validity) => [
    bodyOf(telnyx, { apiKey: "k", publicKey: "e7+/vFlK2gG2mtkbYaFr3tpxmHqpZJd7gNqV4lIDzNk=" }, validity),
    bodyOf(africastalking, { username: "shop", apiKey: "k" }, validity),
    bodyOf(clickatell, { apiKey: "k" }, validity),
  ];
  expect(voiceless(lasting(90))).toEqual(voiceless());
});

test("periods are clamped to a provider's limits, and minutes rounded up", () => {
  expect([1, 30, 900].map((seconds) => secondsLeft(lasting(seconds), { min: 20, max: 600 }))).toEqual([20, 30, 600]);
  expect([1, 60, 61, 9_000].map((seconds) => minutesLeft(lasting(seconds), 100))).toEqual([1, 1, 2, 100]);
});

test("SMPP has a relative time of seventeen octets with its end", () => {
  expect([1, 90, 5_400, 259_200].map((seconds) => smppPeriod(lasting(seconds)))).toEqual([
    "000000000001000R",
    "000000000130000R",
    "000000013000000R",
    "000003000000000R",
  ]);
});
