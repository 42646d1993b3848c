/**
 * Clickatell, One API. Responses with 202, 207 and 400 all report the message in `messages`. Callbacks of the Platform SMS API, for
 * which a portal may be configured, are read too; their status numbers mean something else.
 */
import { z } from "zod";
import { digitsOf, isoOf, jsonOf, referenceOf } from "../http/callback-body";
import { callbackContent, reportFrom, takenAt } from "../http/callback-content";
import { type ReadItems, readItems } from "../http/callback-items";
import {
  faultOfStatus,
  isSuccess,
  jsonOrNull,
  type Meaning,
  outcomeOf,
  outcomeOfHttp,
  outcomeOfUnlisted,
  type Reported,
  wireCode,
  wireCodeOrNull,
  wireId,
  wireText,
} from "../http/response";
import type { Callback, CallbackContent, HttpProvider, Report, SendOutcome, WireResponse } from "../port";
import { baseUrl, secret } from "../setting-fields";

const settings = z.object({
  apiKey: secret("API key of the integration in the portal"),
  baseUrl: baseUrl("https://platform.clickatell.com"),
});

const SEND_CODES = new Map<string, Meaning>(
  Object.entries({
    1: ["account", "The API key is invalid or missing.", "no_provider"],
    2: ["account", "The account is not active.", "no_provider"],
    3: ["account", "The integration is not active.", "no_provider"],
    7: ["account", "Our address is not on the integration's list.", "no_provider"],
    18: ["provider", "Internal error of the provider.", "no_provider"],
    19: ["provider", "Internal error of the provider.", "no_provider"],
    20: ["account", "The account's balance does not suffice.", "no_provider"],
    21: ["refused", "The request is malformed.", "unknown"],
    22: ["refused", "Too many messages in the request.", "unknown"],
    23: ["refused", "A parameter is missing or wrong.", "unknown"],
    24: ["message", "The content is too big.", "content"],
    25: ["refused", "The recipient is invalid.", "invalid_recipient"],
    26: ["refused", "The recipient has opted out.", "opted_out"],
    27: ["refused", "The recipient is not on this channel.", "invalid_recipient"],
    28: ["message", "The recipient is not on the sandbox's list of test phones.", "no_provider"],
    30: ["refused", "The type of the content is not supported.", "content"],
    38: ["account", "The channel is switched off.", "no_provider"],
    39: ["account", "The channel does not belong to the integration.", "no_provider"],
    40: ["refused", "The character set is not supported.", "content"],
    43: ["throttled", "Too many requests.", "rate"],
    44: ["message", "The sender number is suspended.", "sender"],
    45: ["message", "The sender number does not belong to the integration.", "sender"],
    46: ["message", "The demo of the sender number has ended.", "sender"],
    100: ["message", "The text has too many parts.", "content"],
    101: ["message", "Two-way messaging is not supported there.", "no_provider"],
    110: ["message", "The USA needs a two-way number with STOP enabled.", "sender"],
    111: ["message", "The USA needs a two-way number with STOP enabled.", "sender"],
  }),
);

/** Statuses of the Platform SMS API. */
const RECEIPT_CODES = new Map<string, Reported>(
  Object.entries({
    1: ["failed", "The message id is unknown.", "unknown"],
    2: ["sent", "The message is queued."],
    3: ["sent", "The message was handed to the gateway."],
    4: ["delivered", "The recipient got the message."],
    5: ["failed", "The message has an error.", "unknown"],
    6: ["failed", "The message was canceled.", "canceled"],
    7: ["undelivered", "The message could not be delivered.", "unknown"],
    8: ["sent", "The gateway got the message."],
    9: ["failed", "The message could not be routed.", "no_provider"],
    10: ["undelivered", "The message was not delivered in time.", "expired"],
    11: ["sent", "The message is delayed."],
    12: ["failed", "The account's credit does not suffice.", "no_provider"],
    14: ["failed", "The message is too long.", "content"],
  }),
);

/** Statuses of the One API, by name. */
const RECEIPT_NAMES = new Map<string, Reported>(
  Object.entries({
    QUEUED: ["sent", "The message is queued."],
    SCHEDULED: ["sent", "The message is scheduled."],
    SENT_TO_SUPPLIER: ["sent", "The message was handed to the carrier."],
    DEVICE_ACK: ["delivered", "The recipient got the message."],
    READ: ["delivered", "The recipient has read the message."],
    EXPIRED: ["undelivered", "The message was not delivered in time.", "expired"],
    DELIVERY_FAILURE: ["undelivered", "The message could not be delivered.", "unknown"],
    INSUFFICIENT_ACCOUNT_BALANCE: ["failed", "The account's balance does not suffice.", "no_provider"],
    ROUTING_ERROR: ["failed", "The message could not be routed.", "no_provider"],
    RECIPIENT_DOES_NOT_EXIST: ["failed", "The recipient does not exist.", "invalid_recipient"],
    STOPPED_BY_USER: ["failed", "The message was canceled.", "canceled"],
    STOPPED_BY_ADMIN: ["failed", "The message was canceled.", "canceled"],
    VOLUME_LIMIT: ["failed", "The account has sent as much as it may.", "rate"],
    VOLUME_LIMIT_DAILY: ["failed", "The account has sent as much as it may in a day.", "rate"],
    VOLUME_LIMIT_MONTHLY: ["failed", "The account has sent as much as it may in a month.", "rate"],
  }),
);

/** Names by the numbers of the One API. */
const ONE_API_CODES = new Map<string, string>(
  Object.entries({
    2: "QUEUED",
    3: "SCHEDULED",
    4: "SENT_TO_SUPPLIER",
    5: "DEVICE_ACK",
    6: "READ",
    20: "EXPIRED",
    21: "STOPPED_BY_USER",
    22: "STOPPED_BY_ADMIN",
    23: "DELIVERY_FAILURE",
    25: "INSUFFICIENT_ACCOUNT_BALANCE",
    26: "VOLUME_LIMIT",
    27: "VOLUME_LIMIT_DAILY",
    28: "VOLUME_LIMIT_MONTHLY",
    29: "RECIPIENT_DOES_NOT_EXIST",
    100: "ROUTING_ERROR",
  }),
);

/** A response with this status reports accepted messages too, if another one was not accepted. */
const DECIDED_BY_MESSAGE = 400;

/** An error is an object in some flavors of this API and a text in others. */
const flaw = z
  .union([z.object({ code: wireCode, description: wireText }), z.string()])
  .nullish()
  .catch(null)
  .transform((error) => (typeof error === "string" ? { code: null, description: error } : error));

const response = z.object({
  messages: z
    .array(z.object({ apiMessageId: wireId.nullish().catch(null), accepted: z.boolean(), error: flaw }))
    .nullish()
    .transform((messages) => messages ?? []),
  error: flaw,
});

/** Milliseconds since 1970. */
const timestamp = z
  .union([z.number(), z.string().regex(/^\d+$/).transform(Number)])
  .nullish()
  .catch(null)
  .transform((ms) => isoOf(ms ?? Number.NaN));

const receipt = z.object({
  messageId: wireId,
  clientMessageId: wireText,
  statusCode: wireCodeOrNull,
  status: z.string().nullish(),
  timestamp,
});

const fromHandset = z.object({
  messageId: wireId,
  fromNumber: wireCode,
  toNumber: wireCode,
  text: z.string().nullish(),
  charset: z.string().nullish().catch(null),
  timestamp,
});

const moText = z.object({
  messageId: wireId,
  from: wireCode,
  to: wireCode,
  content: z.string().nullish(),
  timestamp,
});

/** New kinds of events come without notice. */
const oneApiCallback = z.object({
  event: z.object({ messageStatusUpdate: z.unknown().optional(), moText: z.unknown().optional() }),
});

const ofChannel = z.looseObject({ channel: z.string() });

/** Reads the items of an event for the SMS channel; those of other channels may have any shape. */
const readOfSms = <Item>(items: unknown, schema: z.ZodType<Item>): ReadItems<Item> =>
  readItems(items ?? [], (item) => {
    const reading = ofChannel.safeParse(item);
    if (!reading.success) return reading;
    return reading.data.channel.trim().toLowerCase() === "sms" ? schema.safeParse(item) : null;
  });

function readResponse({ status, body }: WireResponse): SendOutcome {
  const isOk = isSuccess(status);
  const parsed = response.safeParse(jsonOrNull(body));
  if (!parsed.success) {
    if (isOk) throw parsed.error;
    return outcomeOfHttp(status);
  }
  const [message] = parsed.data.messages;
  if (message?.accepted) {
    if (!message.apiMessageId) throw new Error("The message was accepted without an id.");
    if (!isOk && status !== DECIDED_BY_MESSAGE) throw new Error(`HTTP ${status} with an accepted message`);
    return { kind: "accepted", providerMessageIds: [message.apiMessageId] };
  }
  const error = message?.error ?? parsed.data.error;
  if (!message && !error) {
    if (isOk) throw new Error("The response has neither a message nor an error.");
    return outcomeOfHttp(status);
  }
  const text = error?.description ?? "";
  const known = error?.code ? SEND_CODES.get(error.code) : undefined;
  if (error?.code && known) return outcomeOf(error.code, known, text);
  const fault = message ? "message" : "provider";
  const code = error?.code ?? (isOk ? "not_accepted" : `http_${status}`);
  return outcomeOfUnlisted(status, code, isOk ? fault : faultOfStatus(status), text);
}

type Receipt = z.output<typeof receipt>;

/** Status of a receipt by its name, else by the number; null: unknown. */
function reportedOf({ status, statusCode }: Receipt, isOneApi: boolean): { reported: Reported; code: string } | null {
  const named = isOneApi && statusCode ? ONE_API_CODES.get(statusCode) : undefined;
  for (const name of [status, named]) {
    const reported = name ? RECEIPT_NAMES.get(name) : undefined;
    if (name && reported) return { reported, code: name };
  }
  const reported = !isOneApi && statusCode ? RECEIPT_CODES.get(statusCode) : undefined;
  return statusCode && reported ? { reported, code: statusCode } : null;
}

function reportOf(callback: Callback, receipt: Receipt, isOneApi: boolean): Report[] {
  const known = reportedOf(receipt, isOneApi);
  if (!known) return [];
  const { messageId, clientMessageId, timestamp } = receipt;
  const [status, detail] = known.reported;
  return [
    reportFrom({
      providerMessageId: messageId,
      reference: clientMessageId || referenceOf(callback),
      ...{ status, detail, code: known.code },
      occurredAt: timestamp,
    }),
  ];
}

/**
 * The text of a reply to the Platform SMS API. In another character set than UTF-8 it consists of the set's octets, escaped as in a
 * form: a STOP in UTF-16 is `%00S%00T%00O%00P`.
 */
function plainText(text: string | null | undefined, charset: string | null | undefined): string {
  const decode = DECODERS[charset?.toUpperCase() ?? ""];
  if (!text || !decode || !/%[0-9a-f]{2}/i.test(text)) return text ?? "";
  const octets = text
    .replaceAll("+", " ")
    .replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return decode(Buffer.from(octets, "latin1"));
}

const DECODERS: Readonly<Record<string, (octets: Buffer) => string>> = {
  "ISO-8859-1": (octets) => octets.toString("latin1"),
  "UTF-16BE": (octets) =>
    octets
      .subarray(0, octets.length & ~1)
      .swap16()
      .toString("utf16le"),
};

function readCallback(callback: Callback): CallbackContent {
  const body = jsonOf(callback);
  const isObject = typeof body === "object" && body !== null;
  if (isObject && "event" in body) {
    const { event } = oneApiCallback.parse(body);
    const updates = readOfSms(event.messageStatusUpdate, receipt);
    const replies = readOfSms(event.moText, moText);
    return callbackContent({
      reports: updates.items.flatMap((item) => reportOf(callback, item, true)),
      inbound: replies.items.map(({ messageId, from, to, content, timestamp }) => {
        return { providerMessageId: messageId, from, to, text: content ?? "", ...takenAt(timestamp) };
      }),
      unreadable: updates.unreadable + replies.unreadable,
    });
  }
  if (isObject && "fromNumber" in body) {
    const { messageId, fromNumber, toNumber, text, charset, timestamp } = fromHandset.parse(body);
    const inbound = { providerMessageId: messageId, from: fromNumber, to: toNumber, text: plainText(text, charset) };
    return callbackContent({ inbound: [{ ...inbound, ...takenAt(timestamp) }] });
  }
  return callbackContent({ reports: reportOf(callback, receipt.parse(body), false) });
}

export const clickatell: HttpProvider<z.output<typeof settings>> = {
  id: "clickatell",
  settings,
  maxInFlight: 32,
  buildRequest: ({ message, reference }, own) => ({
    method: "POST",
    url: `${own.baseUrl}/v1/message`,
    headers: {
      // The bare key: a scheme in front of it is refused.
      authorization: own.apiKey,
      accept: "application/json",
      "content-type": "application/json",
    },
    body: JSON.stringify({
      messages: [
        {
          channel: "sms",
          to: digitsOf(message.to),
          from: message.from.replace(/^\+/, ""),
          content: message.body,
          clientMessageId: reference,
        },
      ],
    }),
  }),
  readResponse,
  // Callbacks are not signed: knowledge of the secret path is their only proof.
  authenticate: () => ({ kind: "genuine", nonces: [] }),
  readCallback,
  reasonOf: ({ code, isRefusal }) =>
    isRefusal ? SEND_CODES.get(code)?.[2] : (RECEIPT_NAMES.get(code) ?? RECEIPT_CODES.get(code))?.[2],
};
