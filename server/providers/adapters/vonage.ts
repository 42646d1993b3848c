/** Vonage: the SMS API (once Nexmo). Each part of a long text has an id and receipts of its own. */
import { createHash, createHmac } from "node:crypto";
import { z } from "zod";
import { baseUrl, field, secret } from "../fields";
import { fieldsOf, forged, requiredField } from "../http/callback-body";
import { sameText } from "../http/constant-time";
import {
  faultOfStatus,
  isSuccess,
  jsonOrNull,
  type Meaning,
  outcomeOf,
  outcomeOfHttp,
  unlisted,
  wireCode,
} from "../http/response";
import type {
  Authenticity,
  Callback,
  CallbackContent,
  HttpProvider,
  Report,
  SendOutcome,
  SendRequest,
  WireRequest,
  WireResponse,
} from "../port";

const settings = z.object({
  apiKey: field("API key"),
  apiSecret: secret("API secret"),
  signatureSecret: secret(
    "signature secret, when callbacks are signed (a setting of the account); unsigned ones are then refused",
  ).optional(),
  signatureMethod: z
    .enum(["md5hash", "md5", "sha1", "sha256", "sha512"])
    .default("md5hash")
    .describe("how callbacks are signed: md5hash (the default), or an HMAC with md5, sha1, sha256 or sha512"),
  baseUrl: baseUrl("https://rest.nexmo.com"),
});

type VonageSettings = z.output<typeof settings>;

/** Status of a part in the answer to a send. */
const CODES = new Map<string, Meaning>([
  ["1", ["throttled", "The throughput was exceeded."]],
  ["2", ["refused", "A parameter is missing."]],
  ["3", ["refused", "A parameter is not valid."]],
  ["4", ["account", "The credentials are wrong."]],
  ["5", ["provider", "Internal error of the provider."]],
  // Another provider may know the way.
  ["6", ["message", "The message cannot be routed."]],
  ["7", ["refused", "The recipient is barred."]],
  ["8", ["account", "The account is barred."]],
  ["9", ["account", "The account's credit does not suffice."]],
  ["10", ["throttled", "Too many connections at once."]],
  ["11", ["account", "The account is not enabled for HTTP."]],
  ["12", ["message", "The text is too long."]],
  ["14", ["account", "The signature is not valid."]],
  ["15", ["message", "The sender is not allowed."]],
  ["22", ["refused", "The network code is not valid."]],
  // The URL is ours: no recipient and no text is to blame, so another provider is asked. But it differs from message to
  // message by its reference, so one such answer is too little to hold the provider back from everybody.
  ["23", ["message", "The callback URL is not accepted."]],
  ["29", ["message", "A demo account cannot send to a number that is not on its list."]],
  ["32", ["account", "A signature and a secret were both given."]],
  ["33", ["refused", "The number is deactivated."]],
]);

/** `err-code` of a receipt. */
const RECEIPT_CODES = new Map([
  ["1", "Unknown error."],
  ["2", "The handset is not reachable for now."],
  ["3", "The handset no longer exists."],
  ["4", "The recipient has barred such messages."],
  ["5", "The number was ported and could not be found."],
  ["6", "The message was filtered as spam."],
  ["7", "The handset was busy."],
  ["8", "The network had an error."],
  ["9", "The number is not allowed, or has opted out."],
  ["10", "The message is not allowed."],
  ["11", "The message cannot be routed."],
  ["12", "The destination cannot be reached."],
  ["13", "The recipient's age does not allow it."],
  ["14", "The carrier blocked the message."],
  ["15", "The recipient's prepaid credit does not suffice."],
  ["16", "A quota of the gateway was exceeded."],
  ["50", "The entity ID is missing or wrong."],
  ["51", "The sender header is missing or wrong."],
  ["52", "The content ID is missing or wrong."],
  ["53", "The recipient's consent is missing."],
  ["54", "The message breaks a regulation of the country."],
  ["99", "General error."],
]);
/** With these the message never reached a network. */
const NEVER_LEFT = new Set(["10", "11", "50", "51", "52", "53", "54"]);

const STATUSES = new Map<string, Report["status"]>([
  ["accepted", "sent"],
  ["buffered", "sent"],
  ["unknown", "sent"],
  ["delivered", "delivered"],
  ["expired", "undelivered"],
  ["failed", "undelivered"],
  ["rejected", "undelivered"],
]);

function buildRequest({ message, reference, receiptUrl }: SendRequest, own: VonageSettings): WireRequest {
  const form = new URLSearchParams({
    api_key: own.apiKey,
    api_secret: own.apiSecret,
    from: message.from.replace(/^\+/, ""),
    to: message.to.replace(/^\+/, ""),
    text: message.body,
    // Without it whatever is not of the GSM alphabet arrives as a question mark.
    type: message.encoding === "UCS-2" ? "unicode" : "text",
    "client-ref": reference,
    "status-report-req": "1",
    callback: receiptUrl,
  });
  return {
    method: "POST",
    url: `${own.baseUrl}/sms/json`,
    headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
    body: form.toString(),
  };
}

const Answer = z.object({
  messages: z
    .array(
      z.object({
        status: wireCode,
        "message-id": z.string().optional(),
        "error-text": z.string().optional(),
      }),
    )
    .min(1),
});

/** The status of HTTP is 200 whatever happened; a message of which some part was taken counts as accepted. */
function readResponse({ status, body }: WireResponse): SendOutcome {
  const answer = Answer.safeParse(jsonOrNull(body));
  if (!answer.success) {
    if (isSuccess(status)) throw new Error("The answer lists no messages.");
    return outcomeOfHttp(status);
  }
  const { messages } = answer.data;
  const taken = messages.filter((part) => part.status === "0");
  const ids = taken.flatMap((part) => part["message-id"] || []);
  const failed = messages.find((part) => part.status !== "0");
  // What the provider tells of a message without saying why is about that message.
  const meaning = failed && (CODES.get(failed.status) ?? unlisted(status < 400 ? "message" : faultOfStatus(status)));
  if (failed && meaning && taken.length === 0) return outcomeOf(failed.status, meaning, failed["error-text"]);
  if (ids.length === 0 || !isSuccess(status)) {
    throw new Error("The message was taken without an id, or in an answer that is an error.");
  }
  if (!failed || !meaning) return { kind: "accepted", providerMessageIds: ids };
  const detail = `Part ${messages.indexOf(failed) + 1} of ${messages.length} was not taken. ${meaning[1]}`;
  return { kind: "accepted", providerMessageIds: ids, lost: { code: failed.status, detail } };
}

function signatureOf(fields: URLSearchParams, key: string, method: VonageSettings["signatureMethod"]): string {
  const sorted = new URLSearchParams(fields);
  sorted.delete("sig");
  sorted.sort();
  const text = [...sorted].map(([name, value]) => `&${name}=${value.replaceAll(/[&=]/g, "_")}`).join("");
  if (method !== "md5hash") return createHmac(method, key).update(text).digest("hex");
  return createHash("md5").update(`${text}${key}`).digest("hex");
}

const SIGNATURE_MAX_AGE_SECONDS = 300;

function authenticate(callback: Callback, own: VonageSettings, at: Date): Authenticity {
  const { signatureSecret, signatureMethod } = own;
  if (signatureSecret === undefined) return { kind: "genuine", nonces: [] };
  let fields: URLSearchParams;
  try {
    fields = fieldsOf(callback);
  } catch {
    return forged("The body cannot be read.");
  }
  const signature = fields.get("sig")?.toLowerCase();
  if (!signature) return forged("There is no signature.");
  // In a query the provider's fields stand beside our own `ref`; it is not said whether that is signed with them.
  const withoutRef = new URLSearchParams(fields);
  withoutRef.delete("ref");
  const expected = [fields, withoutRef].map((signed) => signatureOf(signed, signatureSecret, signatureMethod));
  if (!expected.some((each) => sameText(each, signature))) return forged("The signature is not of these fields.");
  // Asked this way round, a time that is missing or no number is refused.
  const isCurrent = Math.abs(at.getTime() / 1_000 - Number(fields.get("timestamp"))) <= SIGNATURE_MAX_AGE_SECONDS;
  if (!isCurrent) return { kind: "stale", detail: "The time of the signature is missing or too far from ours." };
  return { kind: "genuine", nonces: [fields.get("nonce") ?? ""].filter(Boolean) };
}

/** A receipt has a `status`, a message from a handset has none. */
function readCallback(callback: Callback): CallbackContent {
  const fields = fieldsOf(callback);
  const word = fields.get("status");
  const text = fields.get("text");
  if (word === null && text !== null) {
    const inbound = {
      providerMessageId: requiredField(fields, "messageId"),
      from: requiredField(fields, "msisdn"),
      to: requiredField(fields, "to"),
      text,
    };
    return { reports: [], inbound: [inbound] };
  }
  const status = STATUSES.get(word ?? "");
  if (!status) return { reports: [], inbound: [] };
  const errorCode = fields.get("err-code");
  const code = status === "undelivered" ? (errorCode && errorCode !== "0" ? errorCode : word) : null;
  const report: Report = {
    providerMessageId: requiredField(fields, "messageId"),
    // Never `ref` of the URL, which the signature may not cover.
    reference: fields.get("client-ref") || null,
    status: code !== null && NEVER_LEFT.has(code) ? "failed" : status,
    code,
    detail: (code !== null && RECEIPT_CODES.get(code)) || null,
    // Its times are of the push or in whole minutes without a time zone, not when it happened.
    occurredAt: null,
  };
  return { reports: [report], inbound: [] };
}

export const vonage: HttpProvider<VonageSettings> = {
  id: "vonage",
  settings,
  // An account may make 30 requests a second.
  maxInFlight: 15,
  buildRequest,
  readResponse,
  authenticate,
  readCallback,
};
