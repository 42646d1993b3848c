/** Telnyx, Messaging API v2. Receipts and messages from handsets come as signed events. */
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { z } from "zod";
import { forged, jsonOf, referenceOf, textOf, wireTime } from "../http/callback-body";
import { callbackContent, recognizedKeyword, reportFrom, takenAt } from "../http/callback-content";
import {
  faultOfStatus,
  isSuccess,
  jsonOrNull,
  type Meaning,
  outcomeOf,
  outcomeOfHttp,
  outcomeOfUnlisted,
  type Reported,
  sentences,
  wireCodeOrNull,
  wireId,
  wireText,
} from "../http/response";
import type { Authenticity, Callback, CallbackContent, HttpProvider, SendOutcome, WireResponse } from "../port";
import { senderWithPlus } from "../sender-notation";
import { baseUrl, field, secret } from "../setting-fields";

/** Largest accepted difference between the time of a signature and ours. */
const TOLERANCE_MS = 300_000;
const KEY_BYTES = 32;
/** DER prefix that turns a bare Ed25519 public key into a readable one. */
const KEY_HEADER = Buffer.from("302a300506032b6570032100", "hex");

const settings = z.object({
  apiKey: secret("API key (v2) from the portal"),
  publicKey: field("public key from the portal, with which its callbacks are checked").refine(
    (key) => Buffer.from(key, "base64").length === KEY_BYTES,
    "must be the base64 text of 32 bytes",
  ),
  messagingProfileId: field(
    "id of the messaging profile to send with; needed for alphanumeric sender IDs, else that of the number is used",
  ).optional(),
  baseUrl: baseUrl("https://api.telnyx.com/v2"),
});

type Own = z.output<typeof settings>;

/** Codes of both responses and receipts; the same code may come with different HTTP statuses. */
const CODES: ReadonlyMap<string, Meaning> = new Map([
  ["10002", ["refused", "The phone number is not valid.", "invalid_recipient"]],
  ["10007", ["provider", "Internal error of the provider.", "no_provider"]],
  ["10009", ["account", "The API key is wrong or missing.", "no_provider"]],
  ["10010", ["account", "The API key does not permit it.", "no_provider"]],
  ["10011", ["throttled", "Too many requests at once.", "rate"]],
  ["20002", ["account", "The API key or the account is not active.", "no_provider"]],
  ["20006", ["account", "The API key or the account is not active.", "no_provider"]],
  ["20012", ["account", "The API key or the account is not active.", "no_provider"]],
  ["20013", ["account", "The API key or the account is not active.", "no_provider"]],
  ["20014", ["account", "The API key or the account is not active.", "no_provider"]],
  ["20100", ["account", "The account's funds do not suffice.", "no_provider"]],
  ["40001", ["refused", "The number is a landline, or cannot receive messages.", "invalid_recipient"]],
  ["40002", ["message", "The message was blocked as spam for now.", "blocked"]],
  ["40003", ["refused", "The message was blocked as spam.", "blocked"]],
  ["40004", ["refused", "The recipient's carrier rejected the message.", "blocked"]],
  ["40005", ["refused", "The message was not delivered in time.", "expired"]],
  ["40006", ["provider", "The recipient's carrier is not reachable.", "unreachable"]],
  ["40008", ["refused", "The recipient's carrier did not take the message.", "blocked"]],
  ["40009", ["refused", "The text is not valid.", "content"]],
  ["40010", ["message", "The sender belongs to no 10DLC campaign.", "sender"]],
  ["40011", ["throttled", "The carrier got too many requests at once.", "rate"]],
  ["40012", ["refused", "The carrier calls the recipient's number invalid.", "invalid_recipient"]],
  ["40013", ["message", "The carrier calls the sender invalid.", "sender"]],
  ["40014", ["provider", "The message was not sent in time.", "expired"]],
  ["40015", ["message", "The provider blocked the message as spam.", "blocked"]],
  ["40016", ["throttled", "The brand's daily limit at T-Mobile is reached.", "rate"]],
  ["40017", ["message", "AT&T blocked the message as spam.", "blocked"]],
  ["40018", ["throttled", "The campaign's limit at AT&T is reached.", "rate"]],
  ["40100", ["message", "The sender is not enabled for messages.", "sender"]],
  ["40300", ["refused", "The recipient has opted out by STOP.", "opted_out"]],
  ["40301", ["message", "The recipient cannot receive this kind of message.", "invalid_recipient"]],
  ["40302", ["message", "The message is too large.", "content"]],
  ["40305", ["message", "The sender does not belong to the messaging profile.", "sender"]],
  ["40306", ["message", "The messaging profile has no alphanumeric sender.", "sender"]],
  ["40309", ["message", "The recipient's country is not enabled.", "no_provider"]],
  ["40310", ["refused", "The recipient is not a valid number.", "invalid_recipient"]],
  ["40312", ["message", "The messaging profile is disabled.", "no_provider"]],
  ["40314", ["account", "Messaging is disabled for the account.", "no_provider"]],
  ["40315", ["message", "The sender is blocked for its low delivery rate.", "sender"]],
  ["40318", ["throttled", "The queue of the sender is full.", "rate"]],
  ["40319", ["message", "The recipient cannot receive this kind of message.", "invalid_recipient"]],
  ["40320", ["message", "The sender cannot be used yet.", "sender"]],
  ["40321", ["message", "The messaging profile has no number that can be used.", "sender"]],
  ["40322", ["refused", "The message was blocked for its content.", "content"]],
  ["40328", ["message", "The message is too large.", "content"]],
  ["40329", ["message", "The toll-free sender is not verified.", "sender"]],
]);

/** The other meaning of 40300. */
const UNREACHABLE: Meaning = ["refused", "The recipient cannot be reached.", "unreachable"];

/** Status of the recipient in an event, and its meaning if there is no error. */
const REPORTED: ReadonlyMap<string, Reported> = new Map<string, Reported>([
  ["queued", ["sent", "The message is queued."]],
  ["sending", ["sent", "The message is on its way to the carrier."]],
  ["sent", ["sent", "The message was handed to the carrier."]],
  // Final, but it only means that the carrier never reported.
  ["delivery_unconfirmed", ["sent", "The carrier does not confirm delivery."]],
  ["delivered", ["delivered", "The message was delivered."]],
  ["sending_failed", ["failed", "The message could not be handed to the carrier.", "unknown"]],
  ["delivery_failed", ["undelivered", "The carrier could not deliver the message.", "unknown"]],
  ["expired", ["undelivered", "The message was not delivered in time.", "expired"]],
]);

const faults = z
  .array(z.object({ code: wireCodeOrNull, title: wireText, detail: wireText }))
  .nullish()
  .catch(null);

type ReportedFault = NonNullable<z.output<typeof faults>>[number];

const response = z.object({ data: z.object({ id: wireId }) });
const refusal = z.object({ errors: faults });

const identified = z.object({ data: z.object({ id: z.string().min(1).max(255) }) });

const event = z.object({
  data: z.object({
    event_type: z.string(),
    occurred_at: wireTime,
    payload: z.unknown(),
  }),
});

const ofOurs = z.object({
  id: wireId,
  to: z.array(z.object({ status: z.string() })).min(1),
  errors: faults,
});

const address = z.object({ phone_number: z.string() });
const fromHandset = z.object({
  id: wireId,
  from: address,
  to: z.array(address).min(1),
  text: z.string().nullish(),
  /** STOP, START or HELP, by the keywords of the messaging profile, to which Telnyx responds itself. */
  autoresponse_type: z.unknown().optional(),
});

function meaningOf({ code, title, detail }: ReportedFault): Meaning | undefined {
  // In receipts the code of a STOP also means an unreachable recipient; the words distinguish the two.
  const isStop = /\bstop\b/i.test(`${title ?? "stop"} ${detail ?? ""}`);
  if (code === "40300" && !isStop) return UNREACHABLE;
  return code ? CODES.get(code) : undefined;
}

function readResponse({ status, body }: WireResponse): SendOutcome {
  if (isSuccess(status)) {
    return { kind: "accepted", providerMessageIds: [response.parse(JSON.parse(body)).data.id] };
  }
  const [error] = refusal.safeParse(jsonOrNull(body)).data?.errors ?? [];
  if (!error?.code) return outcomeOfHttp(status);
  // A 403 with an unknown code may be about the sender only, which must not open the breaker of the whole account.
  const fault = status === 403 ? "message" : faultOfStatus(status);
  const known = meaningOf(error);
  if (known) return outcomeOf(error.code, known);
  return outcomeOfUnlisted(status, error.code, fault, error.title ?? error.detail);
}

const keyOf = (publicKey: string): KeyObject =>
  createPublicKey({ key: Buffer.concat([KEY_HEADER, Buffer.from(publicKey, "base64")]), format: "der", type: "spki" });

function authenticate(callback: Callback, own: Own, at: Date): Authenticity {
  const { headers, body } = callback;
  const signature = headers["telnyx-signature-ed25519"];
  const timestamp = headers["telnyx-timestamp"];
  if (!signature || !timestamp) return forged("There is no signature.");
  const signed = Buffer.concat([Buffer.from(`${timestamp}|`), body]);
  if (!verify(null, signed, keyOf(own.publicKey), Buffer.from(signature, "base64"))) {
    return forged("The signature is not of this body and time.");
  }
  const isFresh = Math.abs(at.getTime() - Number(timestamp) * 1_000) <= TOLERANCE_MS;
  if (!isFresh) return { kind: "stale", detail: "The time of the signature is too far from ours." };
  const { data: identity } = identified.safeParse(jsonOrNull(textOf(callback)));
  // An honest repeat carries the id of the first event, so it cannot be distinguished from a replay.
  return { kind: "genuine", nonces: identity ? [identity.data.id] : [] };
}

function readCallback(callback: Callback): CallbackContent {
  const { event_type, occurred_at, payload } = event.parse(jsonOf(callback)).data;
  if (event_type === "message.received") {
    const { id, from, to, text, autoresponse_type } = fromHandset.parse(payload);
    const number = to[0]?.phone_number ?? "";
    const inbound = { providerMessageId: id, from: from.phone_number, to: number, text: text ?? "" };
    const keyword = recognizedKeyword(autoresponse_type);
    return callbackContent({ inbound: [{ ...inbound, ...keyword, ...takenAt(occurred_at) }] });
  }
  if (event_type !== "message.sent" && event_type !== "message.finalized") return callbackContent();
  const { id, to, errors } = ofOurs.parse(payload);
  const recipientStatus = to[0]?.status ?? "";
  const reported = REPORTED.get(recipientStatus);
  if (!reported) return callbackContent();
  const [status, meaning] = reported;
  const error = errors?.[0];
  const report = reportFrom({
    providerMessageId: id,
    reference: referenceOf(callback),
    status,
    code: error?.code || recipientStatus,
    detail: error ? meaningOf(error)?.[1] : meaning,
    providerDetail: sentences(error?.title, error?.detail),
    occurredAt: occurred_at,
  });
  return callbackContent({ reports: [report] });
}

export const telnyx: HttpProvider<Own> = {
  id: "telnyx",
  settings,
  maxInFlight: 32,
  buildRequest: ({ message, receiptUrl }, own) => ({
    method: "POST",
    url: `${own.baseUrl}/messages`,
    headers: {
      authorization: `Bearer ${own.apiKey}`,
      accept: "application/json",
      "content-type": "application/json",
    },
    body: JSON.stringify({
      to: message.to,
      from: senderWithPlus(message.from),
      text: message.body,
      type: "SMS",
      // By default it may replace characters, and then the number of parts differs from the billed one.
      encoding: message.encoding === "GSM-7" ? "gsm7" : "ucs2",
      messaging_profile_id: own.messagingProfileId,
      webhook_url: receiptUrl,
      // Otherwise the profile's own URL, which names no attempt, gets the events too.
      use_profile_webhooks: false,
    }),
  }),
  readResponse,
  authenticate,
  readCallback,
  reasonOf: ({ code, detail }) =>
    detail === UNREACHABLE[1] ? UNREACHABLE[2] : (CODES.get(code)?.[2] ?? REPORTED.get(code)?.[2]),
};
