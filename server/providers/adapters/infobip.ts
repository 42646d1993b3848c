/** Infobip, SMS API v3. It responds 200 even for rejected messages: the status of the message decides. */
import { z } from "zod";
import { dltIdsOf } from "../dlt";
import { digitsOf, jsonOf, wireTime } from "../http/callback-body";
import { callbackContent, reportFrom, takenAt } from "../http/callback-content";
import { readItems } from "../http/callback-items";
import {
  type Explained,
  faultOfStatus,
  isSuccess,
  jsonOrNull,
  type Meaning,
  outcomeOf,
  outcomeOfHttp,
  outcomeOfUnlisted,
  sentences,
  unlisted,
  wireCodeOrNull,
  wireId,
  wireText,
} from "../http/response";
import type {
  Callback,
  CallbackContent,
  HttpProvider,
  Inbound,
  OutboundMessage,
  Report,
  SendOutcome,
  Validity,
  WireResponse,
} from "../port";
import { senderWithoutPlus } from "../sender-notation";
import { baseUrl, secret } from "../setting-fields";
import { minutesLeft } from "../validity";

const settings = z.object({
  apiKey: secret("API key with the scope to send SMS"),
  baseUrl: baseUrl("https://api.infobip.com"),
});

type Own = z.output<typeof settings>;

/** 48 hours. */
const VALIDITY_MAX_MINUTES = 2_880;

const REJECTED = 5;
/** Undeliverable, expired, rejected. */
const FAILED_GROUPS = new Set([2, 4, REJECTED]);
/** In the group "delivered", but only taken by the operator. */
const TO_OPERATOR = 2;
/** In the group "expired": no receipt came, which does not prove a failure. */
const NO_RECEIPT = 29;
const DUPLICATE_ID = 23;

const STATUSES: ReadonlyMap<number, Meaning> = new Map([
  [4, ["message", "The carrier rejected the message.", "blocked"]],
  [6, ["message", "The recipient's network is not covered.", "no_provider"]],
  [8, ["refused", "The recipient's number has an unknown prefix or a wrong length.", "invalid_recipient"]],
  [9, ["message", "The message could not be delivered.", "unknown"]],
  [10, ["refused", "The recipient is on the do-not-disturb register.", "opted_out"]],
  [11, ["message", "The sender is not registered.", "sender"]],
  [12, ["account", "The account's credit does not suffice.", "no_provider"]],
  [13, ["message", "The sender is blocked.", "sender"]],
  [14, ["refused", "The recipient is on the block list.", "opted_out"]],
  [15, ["message", "The message was not delivered in time.", "expired"]],
  [17, ["account", "The account's prepaid credit has expired.", "no_provider"]],
  [18, ["message", "A trial account cannot send to this recipient.", "no_provider"]],
  [19, ["message", "The account has no route to the recipient.", "no_provider"]],
  [20, ["refused", "The recipient got too many messages within an hour.", "rate"]],
  [21, ["provider", "Internal error of the provider.", "no_provider"]],
  [24, ["refused", "The message is malformed.", "content"]],
  [25, ["message", "The message is too long.", "content"]],
  [29, ["message", "The carrier did not report in time.", "unknown"]],
  [31, ["message", "The message was not sent.", "unknown"]],
  [51, ["refused", "The recipient is missing.", "invalid_recipient"]],
  [52, ["refused", "The recipient is not a valid number.", "invalid_recipient"]],
  [87, ["message", "The message was blocked as fraud.", "blocked"]],
  [100, ["provider", "The provider is not available, or finds the message malformed.", "no_provider"]],
]);

/** Errors of the network, more precise than the status. */
const ERRORS: ReadonlyMap<number, Explained> = new Map([
  [1, ["The number is not known to its network.", "invalid_recipient"]],
  [27, ["The handset was not reachable.", "unreachable"]],
  [351, ["The recipient is not a valid number.", "invalid_recipient"]],
  [368, ["The sender is not valid.", "sender"]],
  [573, ["The recipient has blocked the message.", "opted_out"]],
  [604, ["The recipient is on the block list of the campaign.", "opted_out"]],
  [630, ["The recipient's network is overloaded.", "unreachable"]],
  [2048, ["The network did not respond in time.", "unreachable"]],
  [2052, ["The recipient is on the block list.", "opted_out"]],
  [4103, ["The recipient got too many messages.", "rate"]],
  [4104, ["The recipient got too many messages.", "rate"]],
  [5492, ["The message's id was used before.", "unknown"]],
]);

const state = z.object({
  groupId: z.number(),
  id: z.number(),
  name: wireText,
  description: wireText,
});
type State = z.output<typeof state>;

const ofMessage = z.object({ messageId: wireId, status: state });
const response = z.object({ messages: z.array(ofMessage) });
const log = z.object({ results: z.array(ofMessage).nullish() });

/** Errors of the gateway still have the shape of version 2. */
const refusal = z.object({
  errorCode: wireCodeOrNull,
  description: wireText,
  requestError: z
    .object({ serviceException: z.object({ messageId: wireCodeOrNull, text: wireText }).nullish() })
    .nullish()
    .catch(null),
});

/** ISO 8601, except that the offset has no colon. */
const when = z.preprocess(
  (text) => (typeof text === "string" ? text.replace(/([+-]\d\d)(\d\d)$/, "$1:$2") : null),
  wireTime,
);

const networkError = z.object({ id: z.number(), name: wireText, description: wireText });

const result = ofMessage.extend({
  callbackData: wireText,
  sentAt: when,
  doneAt: when,
  error: networkError.nullish().catch(null),
});

const fromHandset = z.object({
  messageId: wireId,
  from: z.string(),
  to: z.string(),
  text: z.string().nullish(),
  cleanText: z.string().nullish(),
  receivedAt: when,
});

const accepted = (id: string): SendOutcome => ({ kind: "accepted", providerMessageIds: [id] });

function failureOf({ id, name, description }: State): SendOutcome {
  const known = STATUSES.get(id);
  return known ? outcomeOf(String(id), known) : outcomeOf(String(id), unlisted("message"), description ?? name);
}

function readResponse({ status, body }: WireResponse): SendOutcome {
  if (isSuccess(status)) {
    const [message] = response.parse(JSON.parse(body)).messages;
    if (!message) throw new Error("The response is about no message.");
    // Our id names one attempt, so a duplicate of it is this attempt.
    const isTaken = !FAILED_GROUPS.has(message.status.groupId) || message.status.id === DUPLICATE_ID;
    return isTaken ? accepted(message.messageId) : failureOf(message.status);
  }
  const { data } = refusal.safeParse(jsonOrNull(body));
  const gateway = data?.requestError?.serviceException;
  const code = data?.errorCode || gateway?.messageId;
  const text = sentences(data?.description ?? gateway?.text);
  if (!code && !text) return outcomeOfHttp(status);
  return outcomeOfUnlisted(status, code || `http_${status}`, faultOfStatus(status), text);
}

function statusOf({ groupId, id }: State): Report["status"] | null {
  if (id === TO_OPERATOR || id === NO_RECEIPT || groupId === 0 || groupId === 1) return "sent";
  if (groupId === 3) return "delivered";
  if (groupId === 2 || groupId === 4) return "undelivered";
  return groupId === REJECTED ? "failed" : null;
}

function reportOf({ messageId, status, error, callbackData, sentAt, doneAt }: z.output<typeof result>): Report[] {
  const ours = statusOf(status);
  if (!ours) return [];
  const networkError = error?.id ? error : null;
  return [
    reportFrom({
      providerMessageId: messageId,
      // The message id is the reference too. The one of the URL is not used: a callback may report many messages.
      reference: callbackData || messageId,
      status: ours,
      code: String(networkError?.id ?? status.id),
      // A network error that is not listed says more than the status only in Infobip's own words.
      detail: networkError ? ERRORS.get(networkError.id)?.[0] : STATUSES.get(status.id)?.[1],
      providerDetail: networkError
        ? (networkError.description ?? networkError.name)
        : (status.description ?? status.name),
      occurredAt: doneAt ?? sentAt,
    }),
  ];
}

const inboundOf = ({ messageId, from, to, text, cleanText, receivedAt }: z.output<typeof fromHandset>): Inbound => ({
  providerMessageId: messageId,
  from,
  to,
  text: text ?? cleanText ?? "",
  ...takenAt(receivedAt),
});

const isReport = (one: unknown): boolean => typeof one === "object" && one !== null && "status" in one && !!one.status;

/** Up to a hundred results. */
function readCallback(callback: Callback): CallbackContent {
  const { results } = z.object({ results: z.unknown() }).parse(jsonOf(callback));
  const { items, unreadable } = readItems<z.output<typeof result> | z.output<typeof fromHandset>>(results, (one) =>
    isReport(one) ? result.safeParse(one) : fromHandset.safeParse(one),
  );
  return callbackContent({
    reports: items.flatMap((one) => ("status" in one ? reportOf(one) : [])),
    inbound: items.flatMap((one) => ("status" in one ? [] : [inboundOf(one)])),
    unreadable,
  });
}

const headersOf = (own: Own) => ({ authorization: `App ${own.apiKey}`, accept: "application/json" });

/** Validity period and registration in India; none: no options. */
function optionsOf(message: OutboundMessage, validity: Validity | undefined) {
  const dlt = dltIdsOf(message);
  if (!validity && !dlt) return {};
  const regional = dlt && {
    indiaDlt: { principalEntityId: dlt.entityId, ...(dlt.templateId && { contentTemplateId: dlt.templateId }) },
  };
  return {
    options: {
      ...(validity && {
        validityPeriod: { amount: minutesLeft(validity, VALIDITY_MAX_MINUTES), timeUnit: "MINUTES" },
      }),
      ...(regional && { regional }),
    },
  };
}

export const infobip: HttpProvider<Own> = {
  id: "infobip",
  settings,
  maxInFlight: 32,
  buildRequest: ({ message, reference, receiptUrl, validity }, own) => ({
    method: "POST",
    url: `${own.baseUrl}/sms/3/messages`,
    headers: { ...headersOf(own), "content-type": "application/json" },
    body: JSON.stringify({
      messages: [
        {
          sender: senderWithoutPlus(message.from),
          destinations: [{ to: digitsOf(message.to), messageId: reference }],
          // The encoding is chosen by the text.
          content: { text: message.body },
          ...optionsOf(message, validity),
          webhooks: {
            delivery: { url: receiptUrl, intermediateReport: true },
            contentType: "application/json",
            callbackData: reference,
          },
        },
      ],
    }),
  }),
  readResponse,
  // The log, its filter and its 48 hours are documented. The delay until a new message appears is not, so a missing
  // message proves nothing.
  buildLookUp: ({ reference }, own) => ({
    method: "GET",
    url: `${own.baseUrl}/sms/3/logs?${new URLSearchParams({ messageId: reference })}`,
    headers: headersOf(own),
    body: null,
  }),
  readLookUp: ({ status, body }, { reference }) => {
    if (status !== 200) return null;
    const results = log.safeParse(jsonOrNull(body)).data?.results ?? [];
    const found = results.find(({ messageId }) => messageId === reference);
    if (!found) return null;
    const isTaken = found.status.groupId !== REJECTED || found.status.id === DUPLICATE_ID;
    return isTaken ? accepted(found.messageId) : failureOf(found.status);
  },
  // Callbacks of single messages are not signed: knowledge of the secret path is their only proof.
  authenticate: () => ({ kind: "genuine", nonces: [] }),
  readCallback,
  // The tables have no number in common.
  reasonOf: ({ code }) => STATUSES.get(Number(code))?.[2] ?? ERRORS.get(Number(code))?.[1],
};
