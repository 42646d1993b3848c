/** Telnyx, Messaging API v2. What it reports of a message and what handsets send come as signed events. */
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { z } from "zod";
import { jsonOf, referenceOf } from "./callback-body";
import { baseUrl, field, secret } from "./fields";
import type {
  Authenticity,
  Callback,
  CallbackContent,
  Fault,
  HttpProvider,
  Outcome,
  Report,
  WireResponse,
} from "./port";

/** How far the time of a signature may be from ours. */
const TOLERANCE_MS = 300_000;
const KEY_BYTES = 32;
/** DER in front of a bare Ed25519 public key, which makes it one that can be read. */
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
type Meaning = readonly [fault: Fault | "refused", detail: string];

/** Codes of answers and of receipts alike; the HTTP status that comes with one is not always the same. */
const CODES: Record<string, Meaning> = {
  10002: ["refused", "the phone number is invalid"],
  10007: ["provider", "unexpected error"],
  10009: ["account", "the API key is invalid or missing"],
  10010: ["account", "the API key does not permit it"],
  10011: ["throttled", "too many requests"],
  20002: ["account", "the API key or the account is not active"],
  20006: ["account", "the API key or the account is not active"],
  20012: ["account", "the API key or the account is not active"],
  20013: ["account", "the API key or the account is not active"],
  20014: ["account", "the API key or the account is not active"],
  20100: ["account", "not enough funds"],
  40001: ["refused", "a landline, or a number that cannot receive messages"],
  40002: ["message", "blocked as spam for now"],
  40003: ["refused", "blocked as spam"],
  40004: ["refused", "rejected by the recipient's carrier"],
  40005: ["refused", "not delivered in time"],
  40006: ["provider", "the recipient's carrier is not reachable"],
  40008: ["refused", "the recipient's carrier did not take it"],
  40009: ["refused", "the text is invalid"],
  40010: ["message", "the sender number belongs to no 10DLC campaign"],
  40011: ["throttled", "too many requests at the carrier"],
  40012: ["refused", "the recipient's number is invalid at its carrier"],
  40013: ["message", "the sender number is invalid at the carrier"],
  40014: ["provider", "not sent in time"],
  40015: ["message", "blocked as spam by Telnyx"],
  40016: ["throttled", "the brand's daily limit at T-Mobile is reached"],
  40017: ["message", "blocked as spam by AT&T"],
  40018: ["throttled", "the campaign's limit at AT&T is reached"],
  40100: ["message", "the sender number is not enabled for messages"],
  40300: ["refused", "the recipient has sent STOP"],
  40301: ["message", "the recipient cannot receive this kind of message"],
  40302: ["refused", "the message is too large"],
  40305: ["message", "the sender is not one of the messaging profile"],
  40306: ["message", "no alphanumeric sender is set up in the messaging profile"],
  40309: ["message", "the country of the recipient is not enabled"],
  40310: ["refused", "the recipient's number is invalid"],
  40312: ["message", "the messaging profile is disabled"],
  40314: ["account", "messaging is disabled for the account"],
  40315: ["message", "the sender number is blocked for its low delivery rate"],
  40318: ["throttled", "the queue of the sender is full"],
  40319: ["message", "the recipient cannot receive this kind of message"],
  40320: ["message", "the sender number cannot be used yet"],
  40321: ["message", "the messaging profile has no number that can be used"],
  40322: ["refused", "blocked for its content"],
  40328: ["refused", "the message is too large"],
  40329: ["message", "the toll-free sender number is not verified"],
};

/** Status of the recipient in an event, and what it means when no error says it. */
const REPORTED: Record<string, readonly [status: Report["status"], detail: string]> = {
  queued: ["sent", "queued"],
  sending: ["sent", "on its way to the carrier"],
  sent: ["sent", "handed to the carrier"],
  // Final, but only says that the carrier never told.
  delivery_unconfirmed: ["sent", "the carrier does not confirm delivery"],
  delivered: ["delivered", "delivered"],
  sending_failed: ["failed", "it could not be handed to the carrier"],
  delivery_failed: ["undelivered", "the carrier could not deliver it"],
  expired: ["undelivered", "not delivered in time"],
};

const faults = z
  .array(z.object({ code: z.coerce.string().nullish(), title: z.string().nullish(), detail: z.string().nullish() }))
  .nullish();

type ToldFault = NonNullable<z.output<typeof faults>>[number];

const answer = z.object({ data: z.object({ id: z.string().min(1) }) });
const refusal = z.object({ errors: faults });

const event = z.object({
  data: z.object({
    event_type: z.string(),
    occurred_at: z.iso.datetime({ offset: true }).nullish().catch(null),
    payload: z.unknown(),
  }),
});

const ofOurs = z.object({
  id: z.string().min(1),
  to: z.array(z.object({ status: z.string() })).min(1),
  errors: faults,
});

const address = z.object({ phone_number: z.string() });
const fromHandset = z.object({
  id: z.string().min(1),
  from: address,
  to: z.array(address).min(1),
  text: z.string().nullish(),
});

const outcomeOf = (code: string, [fault, detail]: Meaning): Outcome =>
  fault === "refused" ? { kind: "refused", code, detail } : { kind: "retryable", code, detail, fault };

function faultOfStatus(status: number): Fault {
  if (status === 429) return "throttled";
  if ([401, 402, 403, 404, 405].includes(status)) return "account";
  return status >= 400 && status < 500 && status !== 408 ? "message" : "provider";
}

function readJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

function meaningOf({ code, title, detail }: ToldFault): Meaning | undefined {
  // In receipts the code of a STOP also stands for a recipient who cannot be reached; the words tell them apart.
  const isStop = /\bstop\b/i.test(`${title ?? "stop"} ${detail ?? ""}`);
  if (code === "40300" && !isStop) return ["refused", title ?? "the recipient cannot be reached"];
  return code ? CODES[code] : undefined;
}

function readResponse({ status, body }: WireResponse): Outcome {
  if (status >= 200 && status < 300) {
    return { kind: "accepted", providerMessageIds: [answer.parse(JSON.parse(body)).data.id] };
  }
  const [error] = refusal.safeParse(readJson(body)).data?.errors ?? [];
  if (!error?.code) return outcomeOf(`http_${status}`, [faultOfStatus(status), `HTTP ${status}`]);
  // A 403 with a code that we do not know may be about the sender only, which must not stop the whole account.
  const fault = status === 403 ? "message" : faultOfStatus(status);
  return outcomeOf(error.code, meaningOf(error) ?? [fault, error.title ?? error.detail ?? `HTTP ${status}`]);
}

const keyOf = (publicKey: string): KeyObject =>
  createPublicKey({ key: Buffer.concat([KEY_HEADER, Buffer.from(publicKey, "base64")]), format: "der", type: "spki" });

function authenticate({ headers, body }: Callback, own: Own, at: Date): Authenticity {
  const signature = headers["telnyx-signature-ed25519"];
  const timestamp = headers["telnyx-timestamp"];
  if (!signature || !timestamp) return { kind: "forged", detail: "no signature" };
  const signed = Buffer.concat([Buffer.from(`${timestamp}|`), body]);
  if (!verify(null, signed, keyOf(own.publicKey), Buffer.from(signature, "base64"))) {
    return { kind: "forged", detail: "the signature does not match" };
  }
  const isFresh = Math.abs(at.getTime() - Number(timestamp) * 1_000) <= TOLERANCE_MS;
  // An honest repeat carries the id of the first event, so there is nothing that tells it from a replay.
  return isFresh ? { kind: "genuine", nonce: null } : { kind: "stale", detail: "signed more than 5 minutes ago" };
}

function readCallback(callback: Callback): CallbackContent {
  const { event_type, occurred_at, payload } = event.parse(jsonOf(callback)).data;
  if (event_type === "message.received") {
    const { id, from, to, text } = fromHandset.parse(payload);
    const number = to[0]?.phone_number ?? "";
    return {
      reports: [],
      inbound: [{ providerMessageId: id, from: from.phone_number, to: number, text: text ?? "" }],
    };
  }
  if (event_type !== "message.sent" && event_type !== "message.finalized") return { reports: [], inbound: [] };
  const { id, to, errors } = ofOurs.parse(payload);
  const told = to[0]?.status ?? "";
  const reported = REPORTED[told];
  if (!reported) return { reports: [], inbound: [] };
  const [status, meaning] = reported;
  const isFailure = status === "failed" || status === "undelivered";
  const error = errors?.[0];
  const detail = (error && (meaningOf(error)?.[1] ?? error.title)) || meaning;
  return {
    reports: [
      {
        providerMessageId: id,
        reference: referenceOf(callback),
        status,
        code: isFailure ? error?.code || told : null,
        detail: isFailure ? detail : null,
        occurredAt: occurred_at ?? null,
      },
    ],
    inbound: [],
  };
}

/** E.164 with `+`, a short code without. Names stay as they are. */
const senderOf = (from: string): string => (/^\d{7,}$/.test(from) ? `+${from}` : from);

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
      from: senderOf(message.from),
      text: message.body,
      type: "SMS",
      // Left to itself it may replace characters, and then the parts are not those that were counted.
      encoding: message.encoding === "GSM-7" ? "gsm7" : "ucs2",
      messaging_profile_id: own.messagingProfileId,
      webhook_url: receiptUrl,
      // Otherwise the profile's own URL, which names no attempt, is told too.
      use_profile_webhooks: false,
    }),
  }),
  readResponse,
  authenticate,
  readCallback,
};
