/** Africa's Talking, bulk SMS. It responds 201 even without sending: the code of the recipient decides. */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { formOf, referenceOf, wireTime } from "../http/callback-body";
import { callbackContent, reportFrom, takenAt } from "../http/callback-content";
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
  wireCode,
  wireId,
} from "../http/response";
import type { HttpProvider, Inbound, Report, SendOutcome, WireResponse } from "../port";
import { senderWithPlus } from "../sender-notation";
import { baseUrl, field, secret } from "../setting-fields";

const settings = z.object({
  username: field("name of the app in the dashboard; `sandbox` on their test system"),
  apiKey: secret("API key of that app"),
  baseUrl: baseUrl("https://api.africastalking.com"),
});

const TAKEN = new Set(["100", "101", "102"]);

const SEND_CODES: ReadonlyMap<string, Meaning> = new Map([
  ["401", ["message", "The message was held back as a risk.", "blocked"]],
  ["402", ["message", "The sender ID is not registered there.", "sender"]],
  ["403", ["refused", "The recipient is not a valid number.", "invalid_recipient"]],
  ["404", ["refused", "The kind of number is not supported.", "invalid_recipient"]],
  ["405", ["account", "The account's balance does not suffice.", "no_provider"]],
  ["406", ["refused", "The recipient is on the opt-out list.", "opted_out"]],
  ["407", ["message", "There is no route to the recipient.", "no_provider"]],
  ["409", ["refused", "The recipient is on the do-not-disturb register.", "opted_out"]],
  ["500", ["provider", "Internal error of the provider.", "no_provider"]],
  ["501", ["provider", "The gateway had an error.", "no_provider"]],
  ["502", ["message", "The gateway rejected the message.", "blocked"]],
]);

/** A request that fails as a whole has no code, only a name. */
const WHOLE_REQUEST = new Map([
  ["RiskHold", "401"],
  ["InvalidSenderId", "402"],
  ["InsufficientBalance", "405"],
]);

const REPORTED = new Map<string, Report["status"]>(
  Object.entries({
    Sent: "sent",
    Submitted: "sent",
    Buffered: "sent",
    Success: "delivered",
    Rejected: "failed",
    Failed: "undelivered",
    AbsentSubscriber: "undelivered",
    Expired: "undelivered",
  }),
);

const RECEIPT_CODES = new Map<string, Explained>(
  Object.entries({
    InsufficientCredit: ["The subscriber has not enough credit.", "unreachable"],
    InvalidLinkId: ["The link id is invalid.", "unknown"],
    UserIsInactive: ["The subscriber is inactive.", "unreachable"],
    UserInBlackList: ["The recipient is on the opt-out list.", "opted_out"],
    UserAccountSuspended: ["The network suspended the subscriber.", "unreachable"],
    NotNetworkSubcriber: ["The number belongs to another network.", "no_provider"],
    UserNotSubscribedToProduct: ["The recipient is not subscribed to the product.", "opted_out"],
    UserDoesNotExist: ["The number does not exist.", "invalid_recipient"],
    DeliveryFailure: ["The network gave no reason.", "unknown"],
    DoNotDisturbRejection: ["The recipient is on the do-not-disturb register.", "opted_out"],
    AbsentSubscriber: ["The handset was not reachable.", "unreachable"],
    Expired: ["The message was not delivered in time.", "expired"],
  }),
);

/** Longest text of a plain-text error that is kept. */
const TEXT_MAX = 200;

const response = z.object({
  SMSMessageData: z.object({
    Message: z.string().catch(""),
    Recipients: z.array(
      z.object({
        statusCode: wireCode.pipe(z.string().regex(/^\d+$/)),
        status: z.string().catch(""),
        messageId: wireId
          .nullish()
          .catch(null)
          .transform((id) => id ?? ""),
      }),
    ),
  }),
});

function readResponse({ status, body }: WireResponse): SendOutcome {
  const parsed = response.safeParse(jsonOrNull(body));
  if (!parsed.success) {
    if (isSuccess(status)) throw parsed.error;
    // Bad credentials and the like are reported in plain text.
    const outcome = outcomeOfHttp(status);
    const isMarkup = body.trimStart().startsWith("<");
    const text = isMarkup || jsonOrNull(body) !== null ? "" : sentences(body.slice(0, TEXT_MAX));
    return outcome.kind === "unknown" || text === "" ? outcome : { ...outcome, providerDetail: text };
  }
  const { Message, Recipients } = parsed.data.SMSMessageData;
  const [recipient] = Recipients;
  if (!recipient) {
    const code = WHOLE_REQUEST.get(Message);
    const meaning = code === undefined ? undefined : SEND_CODES.get(code);
    const fault = isSuccess(status) ? "provider" : faultOfStatus(status);
    if (meaning) return outcomeOf(Message, meaning);
    return outcomeOfUnlisted(status, "no_recipients", fault, Message);
  }
  const { statusCode, messageId } = recipient;
  const hasId = messageId !== "" && messageId !== "None";
  if (TAKEN.has(statusCode) && hasId && isSuccess(status)) return { kind: "accepted", providerMessageIds: [messageId] };
  const meaning = SEND_CODES.get(statusCode);
  if (meaning) return outcomeOf(statusCode, meaning);
  if (TAKEN.has(statusCode) || hasId) {
    throw new Error(`HTTP ${status} with the code ${statusCode} and the message id "${messageId}"`);
  }
  return outcomeOfUnlisted(status, statusCode, "provider", recipient.status);
}

/**
 * Someone has opted out of a sender ID, by the instructions that Africa's Talking adds to its first message. The callback has
 * no id.
 */
const optOutOf = (senderId: string, phoneNumber: string): Inbound => ({
  providerMessageId: `opt-out-${randomUUID()}`,
  from: phoneNumber,
  to: senderId,
  text: "",
  keyword: "stop",
});

export const africastalking: HttpProvider<z.output<typeof settings>> = {
  id: "africastalking",
  settings,
  maxInFlight: 32,
  buildRequest: ({ message }, own) => ({
    method: "POST",
    url: `${own.baseUrl}/version1/messaging`,
    headers: {
      apikey: own.apiKey,
      // Without it the response is XML.
      accept: "application/json",
      "content-type": "application/x-www-form-urlencoded; charset=utf-8",
    },
    body: new URLSearchParams({
      username: own.username,
      to: message.to,
      from: senderWithPlus(message.from),
      message: message.body,
      bulkSMSMode: "1",
    }).toString(),
  }),
  readResponse,
  // Callbacks are not signed: knowledge of the secret path is their only proof.
  authenticate: () => ({ kind: "genuine", nonces: [] }),
  readCallback: (callback) => {
    const form = formOf(callback);
    const id = form.get("id");
    const status = form.get("status");
    if (status === null) {
      const [from, to, text] = [form.get("from"), form.get("to"), form.get("text")];
      const [senderId, phoneNumber] = [form.get("senderId"), form.get("phoneNumber")];
      if (senderId && phoneNumber) return callbackContent({ inbound: [optOutOf(senderId, phoneNumber)] });
      // Callbacks about subscriptions have other fields.
      if (!id || !from || !to || text === null) return callbackContent();
      // Some dates have no time zone, and are not used.
      const time = takenAt(wireTime.parse(form.get("date")));
      return callbackContent({ inbound: [{ providerMessageId: id, from, to, text, ...time }] });
    }
    if (!id) throw new Error("The delivery report has no id.");
    const ours = REPORTED.get(status);
    if (!ours) return callbackContent();
    const code = form.get("failureReason") || status;
    const detail = RECEIPT_CODES.get(code)?.[0];
    const report = { providerMessageId: id, reference: referenceOf(callback), status: ours, code, detail };
    return callbackContent({ reports: [reportFrom(report)] });
  },
  // The series have no code in common.
  reasonOf: ({ code }) => SEND_CODES.get(code)?.[2] ?? RECEIPT_CODES.get(code)?.[1],
};
