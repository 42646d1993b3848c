/** Vonage: the Messages API (v1) for SMS, of an application with a key pair. A text has one id, however many parts it has. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { dltIdsOf } from "../dlt";
import { forged, jsonOf, wireTime } from "../http/callback-body";
import { callbackContent, reportFrom, takenAt } from "../http/callback-content";
import { readSignedToken, rsaKeyOf, signToken } from "../http/json-web-token";
import {
  faultOfStatus,
  isSuccess,
  jsonOrNull,
  type Meaning,
  outcomeOf,
  outcomeOfHttp,
  outcomeOfUnlisted,
  wireId,
  wireText,
} from "../http/response";
import type {
  Authenticity,
  Callback,
  CallbackContent,
  Report,
  SendOutcome,
  SendRequest,
  WireRequest,
  WireResponse,
} from "../port";
import { senderWithoutPlus } from "../sender-notation";
import { secondsLeft } from "../validity";

/** The settings of an application. */
export type VonageApplication = { applicationId: string; privateKey: string; messagesBaseUrl: string };

const TOKEN_LIFE_S = 900;
/** Limits of `ttl`: in seconds here, in milliseconds in the SMS API. */
export const VALIDITY_S = { min: 20, max: 604_800 };

/** A token of the application by RS256, as Vonage's own libraries make it. */
export function signApplicationToken({ applicationId, privateKey }: VonageApplication, at: Date, id: string) {
  const key = rsaKeyOf(privateKey);
  if (!key) throw new Error("The private key was not checked.");
  const issuedAt = Math.floor(at.getTime() / 1_000);
  const claims = { application_id: applicationId, iat: issuedAt, exp: issuedAt + TOKEN_LIFE_S, jti: id };
  return { token: signToken(claims, key), lifetimeMs: TOKEN_LIFE_S * 1_000 };
}

export function buildMessagesRequest(
  { message, reference, receiptUrl, validity }: SendRequest,
  own: VonageApplication,
  token: string,
): WireRequest {
  const dlt = dltIdsOf(message);
  return {
    method: "POST",
    url: `${own.messagesBaseUrl}/v1/messages`,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({
      channel: "sms",
      message_type: "text",
      to: message.to.replace(/^\+/, ""),
      from: senderWithoutPlus(message.from),
      text: message.body,
      // The billed encoding: if Vonage chose one itself, the number of parts might differ.
      sms: {
        encoding_type: message.encoding === "UCS-2" ? "unicode" : "text",
        ...(dlt && { entity_id: dlt.entityId }),
        ...(dlt?.templateId && { content_id: dlt.templateId }),
      },
      ...(validity && { ttl: secondsLeft(validity, VALIDITY_S) }),
      client_ref: reference,
      webhook_url: receiptUrl,
      webhook_version: "v1",
    }),
  };
}

/** Codes of errors (the end of `type`) and of status callbacks (`title`), which share one series. */
export const MESSAGES_CODES = new Map<string, Meaning>([
  ["unauthorized", ["account", "The credentials are wrong.", "no_provider"]],
  ["forbidden", ["account", "The account may not do this.", "no_provider"]],
  ["low-balance", ["account", "The account's credit does not suffice.", "no_provider"]],
  ["1000", ["throttled", "The throughput was exceeded.", "rate"]],
  ["1010", ["refused", "A parameter is missing.", "unknown"]],
  ["1020", ["refused", "A parameter is not valid.", "unknown"]],
  ["1030", ["provider", "Internal error of the provider.", "no_provider"]],
  ["1040", ["message", "The message cannot be routed.", "no_provider"]],
  ["1050", ["refused", "The recipient is barred.", "blocked"]],
  ["1060", ["account", "The account is barred.", "no_provider"]],
  ["1070", ["account", "The account's credit or quota does not suffice.", "no_provider"]],
  ["1080", ["account", "The account is not enabled for HTTP.", "no_provider"]],
  ["1090", ["message", "The text is too long.", "content"]],
  ["1100", ["provider", "The message could not be handed on.", "no_provider"]],
  ["1120", ["message", "The sender is not allowed.", "sender"]],
  ["1130", ["refused", "The validity of the message is not valid.", "unknown"]],
  ["1140", ["message", "The account is not enabled for this kind of message.", "no_provider"]],
  ["1150", ["refused", "The class of the message is not valid.", "content"]],
  ["1160", ["message", "A demo account cannot send to a number that is not on its list.", "no_provider"]],
  ["1170", ["refused", "The recipient is not a valid number.", "invalid_recipient"]],
  ["1180", ["refused", "The handset is not reachable for now.", "unreachable"]],
  ["1190", ["refused", "The handset no longer exists.", "invalid_recipient"]],
  ["1200", ["refused", "The number was ported and could not be found.", "invalid_recipient"]],
  ["1210", ["refused", "The message was filtered as spam.", "blocked"]],
  ["1220", ["refused", "The handset was busy.", "unreachable"]],
  ["1230", ["provider", "The network had an error.", "unreachable"]],
  ["1240", ["refused", "The recipient has opted out.", "opted_out"]],
  ["1241", ["throttled", "The recipient got too many messages.", "rate"]],
  ["1250", ["message", "The message cannot be routed.", "no_provider"]],
  ["1260", ["message", "The destination cannot be reached.", "unreachable"]],
  ["1270", ["refused", "The recipient's age does not allow it.", "blocked"]],
  ["1280", ["refused", "The carrier blocked the message.", "blocked"]],
  ["1290", ["refused", "The recipient's prepaid credit does not suffice.", "unreachable"]],
  ["1300", ["message", "The number does not belong to the provider's network.", "no_provider"]],
  ["1310", ["refused", "The handset cannot receive the message.", "invalid_recipient"]],
  ["1331", ["provider", "The carrier does not respond, or cannot process the message.", "unreachable"]],
  ["1360", ["refused", "The message was not delivered in time.", "expired"]],
]);

const Taken = z.object({ message_uuid: wireId });
/** RFC 9457 (formerly 7807): the code is the fragment of the type, or all of it. */
const Problem = z.object({
  type: z.string().min(1),
  title: wireText,
  detail: wireText,
  invalid_parameters: z
    .array(z.object({ name: wireText, reason: wireText }))
    .nullish()
    .catch(null),
});

/** Problems with these parameters are the sender's or the text's, for which another provider may have other rules. */
const OWN_PARAMETERS = new Set<string | null | undefined>(["from", "text", "webhook_url"]);
const UNPROCESSABLE = 422;

const codeOf = (type: string): string => type.split("#").at(-1) || type;

/** Reads a response of the Messages API. Throws if it reports success without an id: the outcome is unknown. */
export function readMessagesResponse({ status, body }: WireResponse): SendOutcome {
  if (isSuccess(status)) {
    return { kind: "accepted", providerMessageIds: [Taken.parse(JSON.parse(body)).message_uuid] };
  }
  const { data } = Problem.safeParse(jsonOrNull(body));
  if (!data) return outcomeOfHttp(status);
  const code = codeOf(data.type);
  const [first] = data.invalid_parameters ?? [];
  const isRefusal = status === UNPROCESSABLE && first && !OWN_PARAMETERS.has(first.name);
  const parameter = first && `${first.name ?? ""}: ${first.reason ?? ""}`;
  const texts = [data.title, data.detail, parameter];
  const known = MESSAGES_CODES.get(code);
  if (!known) return outcomeOfUnlisted(status, code, isRefusal ? "refused" : faultOfStatus(status), ...texts);
  const [listed, text, reason] = known;
  const errorClass = listed === "refused" && first && OWN_PARAMETERS.has(first.name) ? "message" : listed;
  return outcomeOf(code, [errorClass, text, reason], ...texts);
}

const SIGNATURE_MAX_AGE_S = 300;
const Claims = z.object({
  iat: z.number(),
  jti: z.string().min(1),
  payload_hash: z.string(),
  application_id: z.string().optional(),
});

/** The token of a signed webhook; null when there is none. */
export const webhookToken = ({ headers }: Callback): string | null =>
  /^bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1] ?? null;

/** Verifies the token of a webhook, which contains the hash of the body. */
export function authenticateWebhook(
  token: string,
  callback: Callback,
  own: { signatureSecret: string; applicationId?: string | undefined },
  at: Date,
): Authenticity {
  // Its content is in the query, which no token covers.
  if (callback.method === "GET") return forged("A GET is never signed with a token.");
  const read = readSignedToken(token, own.signatureSecret, ["HS256"]);
  if (!read) return forged("The token was not signed with the signature secret.");
  const claims = Claims.safeParse(read.claims);
  if (!claims.success) return forged("The token lacks a claim.");
  const { iat, jti, payload_hash, application_id } = claims.data;
  if (payload_hash.toLowerCase() !== createHash("sha256").update(callback.body).digest("hex")) {
    return forged("The token belongs to another body.");
  }
  if (own.applicationId && application_id && application_id !== own.applicationId) {
    return forged("The token belongs to another application.");
  }
  const isCurrent = Math.abs(at.getTime() / 1_000 - iat) <= SIGNATURE_MAX_AGE_S;
  return isCurrent
    ? { kind: "genuine", nonces: [jti] }
    : { kind: "stale", detail: "The time of the token is too far from ours." };
}

const STATUSES = new Map<string, Report["status"]>([
  ["submitted", "sent"],
  ["delivered", "delivered"],
  ["read", "delivered"],
  ["rejected", "undelivered"],
  ["undeliverable", "failed"],
]);
/** Codes of messages that were rejected before they reached a network. */
const NEVER_LEFT = new Set([
  "1010",
  "1020",
  "1040",
  "1060",
  "1070",
  "1080",
  "1090",
  "1120",
  "1140",
  "1160",
  "1170",
  "1250",
]);

const StatusUpdate = z.object({
  message_uuid: wireId,
  status: z.string(),
  timestamp: wireTime,
  client_ref: wireText,
  error: z.object({ type: wireText, title: wireText, detail: wireText }).nullish().catch(null),
});
const FromHandset = z.object({
  message_uuid: wireId,
  timestamp: wireTime,
  from: z.string(),
  to: z.string(),
  text: z.string(),
});
/** A picture or another file, with or without an accompanying text, or a message that Vonage cannot read. */
const FileFromHandset = FromHandset.extend({
  channel: z.enum(["sms", "mms"]),
  message_type: z.string(),
  text: z.string().catch(""),
  image: z.object({ caption: z.string() }).optional().catch(undefined),
});

/** The JSON object of a webhook of the Messages API; null: the callback is one of the SMS API. */
export function messagesWebhook(callback: Callback): Record<string, unknown> | null {
  if (!callback.headers["content-type"]?.includes("json") || callback.method === "GET") return null;
  const { data } = z.looseObject({ message_uuid: z.unknown() }).safeParse(jsonOf(callback));
  return data && data.message_uuid !== undefined ? data : null;
}

export function readMessagesWebhook(body: Record<string, unknown>): CallbackContent {
  if (body.status === undefined) {
    const inboundOf = ({ message_uuid, timestamp, from, to }: z.output<typeof FromHandset>, text: string) =>
      callbackContent({ inbound: [{ providerMessageId: message_uuid, from, to, text, ...takenAt(timestamp) }] });
    if (body.message_type === "text") {
      const message = FromHandset.parse(body);
      return inboundOf(message, message.text);
    }
    const { data } = FileFromHandset.safeParse(body);
    return data ? inboundOf(data, data.text || (data.image?.caption ?? "")) : callbackContent();
  }
  const { message_uuid, status: word, timestamp, client_ref, error } = StatusUpdate.parse(body);
  const status = STATUSES.get(word);
  if (!status) return callbackContent();
  // The number is the title in newer callbacks, and in all of them the end of the type.
  const code = (error?.type ? codeOf(error.type) : error?.title) || word;
  const report = reportFrom({
    providerMessageId: message_uuid,
    reference: client_ref,
    // Unlike a receipt of the SMS API.
    isOfWhole: true,
    status: status === "undelivered" && NEVER_LEFT.has(code) ? "failed" : status,
    code,
    detail: MESSAGES_CODES.get(code)?.[1],
    providerDetail: error?.detail ?? null,
    occurredAt: timestamp,
  });
  return callbackContent({ reports: [report] });
}
