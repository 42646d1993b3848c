/** Clickatell, One API. Answers of 202, 207 and 400 all tell of the message in `messages`. */
import { z } from "zod";
import { digitsOf, jsonOf, referenceOf } from "./callback-body";
import { baseUrl, secret } from "./fields";
import type { Fault, HttpProvider, Outcome, Report, WireResponse } from "./port";

const settings = z.object({
  apiKey: secret("API key of the integration in the portal"),
  baseUrl: baseUrl("https://platform.clickatell.com"),
});

type Meaning = readonly [fault: Fault | "refused", detail: string];

const SEND_CODES = new Map<string, Meaning>(
  Object.entries({
    1: ["account", "The API key is invalid or missing."],
    2: ["account", "The account is not active."],
    3: ["account", "The integration is not active."],
    7: ["account", "Our address is not on the integration's list."],
    18: ["provider", "Internal error of the provider."],
    19: ["provider", "Internal error of the provider."],
    20: ["account", "Not enough balance."],
    21: ["refused", "The request is malformed."],
    22: ["refused", "Too many messages in the request."],
    23: ["refused", "A parameter is missing or wrong."],
    24: ["refused", "The content is too big."],
    25: ["refused", "The recipient is invalid."],
    26: ["refused", "The recipient has opted out."],
    27: ["refused", "The recipient is not on this channel."],
    28: ["message", "The recipient is not on the sandbox's list of test phones."],
    30: ["refused", "The type of the content is not supported."],
    38: ["account", "The channel is switched off."],
    39: ["account", "The channel does not belong to the integration."],
    40: ["refused", "The character set is not supported."],
    43: ["throttled", "Too many requests."],
    44: ["message", "The sender number is suspended."],
    45: ["message", "The sender number does not belong to the integration."],
    46: ["message", "The demo of the sender number has ended."],
    100: ["refused", "The text has too many parts."],
    101: ["message", "Two-way messaging is not supported there."],
    110: ["message", "The USA needs a two-way number with STOP enabled."],
    111: ["message", "The USA needs a two-way number with STOP enabled."],
  }),
);

type Reported = readonly [status: Report["status"], detail: string];

const RECEIPT_CODES = new Map<string, Reported>(
  Object.entries({
    1: ["failed", "The message id is unknown."],
    2: ["sent", "Queued."],
    3: ["sent", "Handed to the gateway."],
    4: ["delivered", "Received by the recipient."],
    5: ["failed", "An error in the message."],
    6: ["failed", "Cancelled."],
    7: ["undelivered", "An error on delivery."],
    8: ["sent", "Received by the gateway."],
    9: ["failed", "It could not be routed."],
    10: ["undelivered", "Not delivered in time."],
    11: ["sent", "Delayed."],
    12: ["failed", "Not enough credit."],
    14: ["failed", "The message is too long."],
  }),
);

/** Names, for reports that have no code that we know. */
const RECEIPT_NAMES = new Map<string, Reported>(
  Object.entries({
    QUEUED: ["sent", "Queued."],
    SCHEDULED: ["sent", "Scheduled."],
    SENT_TO_SUPPLIER: ["sent", "Handed to the carrier."],
    DEVICE_ACK: ["delivered", "Received by the recipient."],
    READ: ["delivered", "Read by the recipient."],
    EXPIRED: ["undelivered", "Not delivered in time."],
    DELIVERY_FAILURE: ["undelivered", "An error on delivery."],
    INSUFFICIENT_ACCOUNT_BALANCE: ["failed", "Not enough balance."],
    ROUTING_ERROR: ["failed", "It could not be routed."],
    RECIPIENT_DOES_NOT_EXIST: ["failed", "The recipient does not exist."],
    STOPPED_BY_USER: ["failed", "Cancelled."],
    STOPPED_BY_ADMIN: ["failed", "Cancelled."],
  }),
);

/** Of the flavours of this API, some tell an error as an object, some as text. */
const flaw = z
  .union([z.object({ code: z.coerce.string(), description: z.string().nullish() }), z.string()])
  .nullish()
  .transform((error) => (typeof error === "string" ? { code: null, description: error } : error));

const answer = z.object({
  messages: z
    .array(z.object({ apiMessageId: z.string().nullish(), accepted: z.boolean(), error: flaw }))
    .nullish()
    .transform((messages) => messages ?? []),
  error: flaw,
});

const receipt = z.object({
  messageId: z.string().min(1),
  clientMessageId: z.string().nullish(),
  statusCode: z.coerce.string().nullish(),
  status: z.string().nullish(),
  timestamp: z.unknown(),
});

const fromHandset = z.object({
  messageId: z.string().min(1),
  fromNumber: z.coerce.string(),
  toNumber: z.coerce.string(),
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

function readResponse({ status, body }: WireResponse): Outcome {
  const isSuccess = status >= 200 && status < 300;
  const parsed = answer.safeParse(readJson(body));
  if (!parsed.success) {
    if (isSuccess) throw parsed.error;
    return outcomeOf(`http_${status}`, [faultOfStatus(status), `The provider answered HTTP ${status}.`]);
  }
  const [message] = parsed.data.messages;
  if (message?.accepted) {
    if (!message.apiMessageId) throw new Error("accepted without an id");
    return { kind: "accepted", providerMessageIds: [message.apiMessageId] };
  }
  const error = message?.error ?? parsed.data.error;
  if (isSuccess && !message && !error) throw new Error("neither a message nor an error");
  const text = error?.description ?? "";
  const known = error?.code ? SEND_CODES.get(error.code) : undefined;
  if (error?.code && known) return outcomeOf(error.code, [known[0], [known[1], text].filter(Boolean).join(" ")]);
  const unnamed = message ? "message" : "provider";
  return outcomeOf(error?.code ?? (isSuccess ? "not_accepted" : `http_${status}`), [
    isSuccess ? unnamed : faultOfStatus(status),
    text || (isSuccess ? "It was not accepted." : `The provider answered HTTP ${status}.`),
  ]);
}

/** Milliseconds since 1970 as ISO 8601. */
function isoOf(timestamp: unknown): string | null {
  const date = new Date(Number(timestamp ?? Number.NaN));
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

export const clickatell: HttpProvider<z.output<typeof settings>> = {
  id: "clickatell",
  settings,
  maxInFlight: 32,
  buildRequest: ({ message, reference }, own) => ({
    method: "POST",
    url: `${own.baseUrl}/v1/message`,
    headers: {
      // The bare key: any scheme in front of it is refused.
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
  // Nothing of its callbacks is signed: what they can prove is that they know the secret path.
  authenticate: () => ({ kind: "genuine", nonce: null }),
  readCallback: (callback) => {
    const body = jsonOf(callback);
    if (typeof body === "object" && body !== null && "fromNumber" in body) {
      const { messageId, fromNumber, toNumber, text } = fromHandset.parse(body);
      const inbound = { providerMessageId: messageId, from: fromNumber, to: toNumber, text: text ?? "" };
      return { reports: [], inbound: [inbound] };
    }
    const { messageId, clientMessageId, statusCode, status, timestamp } = receipt.parse(body);
    const byCode = statusCode ? RECEIPT_CODES.get(statusCode) : undefined;
    const reported = byCode ?? (status ? RECEIPT_NAMES.get(status) : undefined);
    if (!reported) return { reports: [], inbound: [] };
    const isFailure = reported[0] === "failed" || reported[0] === "undelivered";
    return {
      reports: [
        {
          providerMessageId: messageId,
          reference: clientMessageId || referenceOf(callback),
          status: reported[0],
          code: isFailure ? ((byCode ? statusCode : status) ?? null) : null,
          detail: isFailure ? reported[1] : null,
          occurredAt: isoOf(timestamp),
        },
      ],
      inbound: [],
    };
  },
};
