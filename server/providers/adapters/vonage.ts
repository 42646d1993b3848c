/**
 * Vonage: the SMS API (formerly Nexmo), where each part of a long text has its own id and receipts, or, with the settings of
 * an application, the Messages API (vonage-messages.ts).
 */
import { createHash, createHmac } from "node:crypto";
import { z } from "zod";
import { SECOND_MS } from "../../core/clock";
import { dltIdsOf } from "../dlt";
import { fieldsOf, forged, requiredField, wireTime } from "../http/callback-body";
import { callbackContent, reportFrom, takenAt } from "../http/callback-content";
import { sameText } from "../http/constant-time";
import { rsaKeyOf } from "../http/json-web-token";
import {
  type Explained,
  faultOfStatus,
  isSuccess,
  jsonOrNull,
  type Meaning,
  outcomeOf,
  outcomeOfUnlisted,
  unlisted,
  wireCode,
  wireId,
  wireText,
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
import { baseUrl, field, isPair, secret } from "../setting-fields";
import { secondsLeft } from "../validity";
import {
  authenticateWebhook,
  buildMessagesRequest,
  MESSAGES_CODES,
  messagesWebhook,
  readMessagesResponse,
  readMessagesWebhook,
  signApplicationToken,
  VALIDITY_S,
  type VonageApplication,
  webhookToken,
} from "./vonage-messages";

const fields = z.object({
  apiKey: field("API key, for the SMS API").optional(),
  apiSecret: secret("API secret").optional(),
  applicationId: field("id of an application, for the Messages API, which is used instead once it is set").optional(),
  privateKey: secret("private key of that application, the text of its PEM file")
    .refine((text) => rsaKeyOf(text) !== null, "must be an RSA private key in PEM")
    .optional(),
  signatureSecret: secret(
    "signature secret, when callbacks are signed (a setting of the account); unsigned ones are then refused",
  ).optional(),
  signatureMethod: z
    .enum(["md5hash", "md5", "sha1", "sha256", "sha512"])
    .default("md5hash")
    .describe(
      "how callbacks of the SMS API are signed: md5hash (the default), or an HMAC with md5, sha1, sha256 or sha512",
    ),
  baseUrl: baseUrl("https://rest.nexmo.com"),
  messagesBaseUrl: baseUrl("https://api.nexmo.com"),
});

const settings = fields
  .refine(({ apiKey, apiSecret }) => isPair(apiKey, apiSecret), {
    path: ["apiSecret"],
    error: "an API key and its secret go together",
  })
  .refine(({ applicationId, privateKey }) => isPair(applicationId, privateKey), {
    path: ["privateKey"],
    error: "an application and its private key go together",
  })
  .refine(({ apiKey, applicationId }) => apiKey !== undefined || applicationId !== undefined, {
    path: ["apiKey"],
    error: "is missing",
  });

type VonageSettings = z.output<typeof settings>;

/** The application to send through; null: the SMS API is used. */
function applicationOf({ applicationId, privateKey, messagesBaseUrl }: VonageSettings): VonageApplication | null {
  return applicationId && privateKey ? { applicationId, privateKey, messagesBaseUrl } : null;
}

/** Status of a part in the response to a send. */
const CODES = new Map<string, Meaning>([
  ["1", ["throttled", "The throughput was exceeded.", "rate"]],
  ["2", ["refused", "A parameter is missing.", "unknown"]],
  ["3", ["refused", "A parameter is not valid.", "unknown"]],
  ["4", ["account", "The credentials are wrong.", "no_provider"]],
  ["5", ["provider", "Internal error of the provider.", "no_provider"]],
  // Another provider may have a route.
  ["6", ["message", "The message cannot be routed.", "no_provider"]],
  ["7", ["refused", "The recipient is barred.", "blocked"]],
  ["8", ["account", "The account is barred.", "no_provider"]],
  ["9", ["account", "The account's credit does not suffice.", "no_provider"]],
  ["10", ["throttled", "Too many connections at once.", "rate"]],
  ["11", ["account", "The account is not enabled for HTTP.", "no_provider"]],
  ["12", ["message", "The text is too long.", "content"]],
  ["14", ["account", "The signature is not valid.", "no_provider"]],
  ["15", ["message", "The sender is not allowed.", "sender"]],
  ["22", ["refused", "The network code is not valid.", "unknown"]],
  // The URL is ours, not the recipient's or the text's, so another provider is tried. It contains the message's
  // reference, so one such response is not enough to open the provider's breaker.
  ["23", ["message", "The callback URL is not accepted.", "unknown"]],
  ["29", ["message", "A demo account cannot send to a number that is not on its list.", "no_provider"]],
  ["32", ["account", "A signature and a secret were both given.", "no_provider"]],
  ["33", ["refused", "The number is deactivated.", "invalid_recipient"]],
]);

/** `err-code` of a receipt. */
const RECEIPT_CODES = new Map<string, Explained>([
  ["1", ["Unknown error.", "unknown"]],
  ["2", ["The handset is not reachable for now.", "unreachable"]],
  ["3", ["The handset no longer exists.", "invalid_recipient"]],
  ["4", ["The recipient has barred such messages.", "opted_out"]],
  ["5", ["The number was ported and could not be found.", "invalid_recipient"]],
  ["6", ["The message was filtered as spam.", "blocked"]],
  ["7", ["The handset was busy.", "unreachable"]],
  ["8", ["The network had an error.", "unreachable"]],
  ["9", ["The number is not allowed, or has opted out.", "opted_out"]],
  ["10", ["The message is not allowed.", "blocked"]],
  ["11", ["The message cannot be routed.", "no_provider"]],
  ["12", ["The destination cannot be reached.", "unreachable"]],
  ["13", ["The recipient's age does not allow it.", "blocked"]],
  ["14", ["The carrier blocked the message.", "blocked"]],
  ["15", ["The recipient's prepaid credit does not suffice.", "unreachable"]],
  ["16", ["A quota of the gateway was exceeded.", "rate"]],
  ["50", ["The entity ID is missing or wrong.", "sender"]],
  ["51", ["The sender header is missing or wrong.", "sender"]],
  ["52", ["The content ID is missing or wrong.", "content"]],
  ["53", ["The recipient's consent is missing.", "opted_out"]],
  ["54", ["The message breaks a regulation of the country.", "blocked"]],
  ["99", ["General error.", "unknown"]],
]);
const NO_ERROR = "0";
/** Beginning of the report of a part that was not taken; its code is one of a send. */
const LOST_PART = "Part";
/** Codes of messages that never reached a network. */
const NEVER_LEFT = new Set(["10", "11", "50", "51", "52", "53", "54"]);

/** The statuses in the guide, the reference and the list of statuses, which differ. */
const STATUSES = new Map<string, Report["status"]>([
  ["accepted", "sent"],
  ["buffered", "sent"],
  ["unknown", "sent"],
  ["delivered", "delivered"],
  ["expired", "undelivered"],
  ["failed", "undelivered"],
  ["undelivered", "undelivered"],
  ["rejected", "undelivered"],
  ["deleted", "undelivered"],
]);

function buildRequest(sendRequest: SendRequest, own: VonageSettings, accessToken?: string): WireRequest {
  const application = applicationOf(own);
  if (application) return buildMessagesRequest(sendRequest, application, accessToken ?? "");
  const { message, reference, receiptUrl, validity } = sendRequest;
  const form = new URLSearchParams({
    api_key: own.apiKey ?? "",
    api_secret: own.apiSecret ?? "",
    from: message.from.replace(/^\+/, ""),
    to: message.to.replace(/^\+/, ""),
    text: message.body,
    // Without it characters outside the GSM alphabet arrive as question marks.
    type: message.encoding === "UCS-2" ? "unicode" : "text",
    "client-ref": reference,
    "status-report-req": "1",
    callback: receiptUrl,
  });
  if (validity) form.set("ttl", String(secondsLeft(validity, VALIDITY_S) * SECOND_MS));
  const dlt = dltIdsOf(message);
  if (dlt) form.set("entity-id", dlt.entityId);
  if (dlt?.templateId) form.set("content-id", dlt.templateId);
  return {
    method: "POST",
    url: `${own.baseUrl}/sms/json`,
    headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
    body: form.toString(),
  };
}

const SendResponse = z.object({
  messages: z
    .array(
      z.object({
        status: wireCode,
        "message-id": wireId.nullish().catch(null),
        "error-text": wireText,
      }),
    )
    .min(1),
});

/** The HTTP status of the SMS API is always 200. A message counts as accepted if any part was taken. */
function readResponse(wire: WireResponse): SendOutcome {
  const { status, body } = wire;
  const response = SendResponse.safeParse(jsonOrNull(body));
  // The two APIs have no field in common.
  if (!response.success) return readMessagesResponse(wire);
  const { messages } = response.data;
  const taken = messages.filter((part) => part.status === "0");
  const ids = taken.flatMap((part) => part["message-id"] || []);
  const failed = messages.find((part) => part.status !== "0");
  const known = failed && CODES.get(failed.status);
  if (failed && taken.length === 0) {
    const text = failed["error-text"];
    // An unlisted status of a part is taken to be about this message.
    const fault = isSuccess(status) ? "message" : faultOfStatus(status);
    return known ? outcomeOf(failed.status, known, text) : outcomeOfUnlisted(status, failed.status, fault, text);
  }
  if (ids.length === 0 || !isSuccess(status)) {
    throw new Error("The message was taken without an id, or in an error response.");
  }
  if (!failed) return { kind: "accepted", providerMessageIds: ids };
  const [, why] = known ?? unlisted("message");
  const detail = `${LOST_PART} ${messages.indexOf(failed) + 1} of ${messages.length} was not taken. ${why}`;
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
  const { signatureSecret, signatureMethod, applicationId } = own;
  if (signatureSecret === undefined) return { kind: "genuine", nonces: [] };
  // Either form is proof: after a change of the settings, callbacks of the former API still come.
  const token = webhookToken(callback);
  if (token !== null) return authenticateWebhook(token, callback, { signatureSecret, applicationId }, at);
  let fields: URLSearchParams;
  try {
    fields = fieldsOf(callback);
  } catch {
    return forged("The body cannot be read.");
  }
  const signature = fields.get("sig")?.toLowerCase();
  if (!signature) return forged("There is no signature.");
  // A query also has our own `ref`; it is not documented whether the signature covers it.
  const withoutRef = new URLSearchParams(fields);
  withoutRef.delete("ref");
  const expected = [fields, withoutRef].map((signed) => signatureOf(signed, signatureSecret, signatureMethod));
  if (!expected.some((each) => sameText(each, signature))) return forged("The signature is not of these fields.");
  // A missing or malformed time gives NaN, which this comparison refuses.
  const isCurrent = Math.abs(at.getTime() / 1_000 - Number(fields.get("timestamp"))) <= SIGNATURE_MAX_AGE_SECONDS;
  if (!isCurrent) return { kind: "stale", detail: "The time of the signature is missing or too far from ours." };
  return { kind: "genuine", nonces: [fields.get("nonce") ?? ""].filter(Boolean) };
}

/** The time in UTC at which Vonage began to hand over a message from a handset: `2026-11-21 20:57:41`. */
function pushedAt(fields: URLSearchParams): string | null {
  const time = fields.get("message-timestamp");
  return wireTime.parse(time && `${time.replace(" ", "T")}Z`);
}

/** A receipt has a `status`, a message from a handset has none. */
function readCallback(callback: Callback): CallbackContent {
  const webhook = messagesWebhook(callback);
  if (webhook) return readMessagesWebhook(webhook);
  const fields = fieldsOf(callback);
  const word = fields.get("status");
  const text = fields.get("text") ?? (fields.get("type") === "binary" ? "" : null);
  if (word === null && text !== null) {
    const inbound = {
      providerMessageId: requiredField(fields, "messageId"),
      from: requiredField(fields, "msisdn"),
      to: requiredField(fields, "to"),
      text,
      ...takenAt(pushedAt(fields)),
    };
    return callbackContent({ inbound: [inbound] });
  }
  const status = STATUSES.get(word ?? "");
  if (!status) return callbackContent();
  const errorCode = fields.get("err-code");
  const code = (errorCode && errorCode !== NO_ERROR ? errorCode : word) ?? "";
  // Its times are of the push, or in whole minutes without a time zone, so there is no time of the event.
  const report = reportFrom({
    providerMessageId: requiredField(fields, "messageId"),
    // Never `ref` of the URL, which the signature may not cover.
    reference: fields.get("client-ref"),
    status: status === "undelivered" && NEVER_LEFT.has(code) ? "failed" : status,
    code,
    detail: RECEIPT_CODES.get(code)?.[0],
  });
  return callbackContent({ reports: [report] });
}

export const vonage: HttpProvider<VonageSettings> = {
  id: "vonage",
  settings,
  // An account may make 30 requests a second.
  maxInFlight: 15,
  signToken: (own, at, id) => {
    const application = applicationOf(own);
    return application && signApplicationToken(application, at, id);
  },
  buildRequest,
  readResponse,
  authenticate,
  readCallback,
  // The series of the SMS API overlap; that of the Messages API is above both.
  reasonOf: ({ code, detail, isRefusal }) =>
    MESSAGES_CODES.get(code)?.[2] ??
    (isRefusal || detail.startsWith(LOST_PART) ? CODES.get(code)?.[2] : RECEIPT_CODES.get(code)?.[1]),
};
