/** Africa's Talking, bulk SMS. It answers 201 also for what it did not send: the code of the recipient decides. */
import { z } from "zod";
import { baseUrl, field, secret } from "../fields";
import { formOf, referenceOf } from "../http/callback-body";
import {
  faultOfStatus,
  isSuccess,
  jsonOrNull,
  type Meaning,
  outcomeOf,
  outcomeOfHttp,
  sentences,
  unlisted,
  wireCode,
} from "../http/response";
import type { HttpProvider, Report, SendOutcome, WireResponse } from "../port";
import { senderWithPlus } from "../sender";

const settings = z.object({
  username: field("name of the app in the dashboard; `sandbox` on their test system"),
  apiKey: secret("API key of that app"),
  baseUrl: baseUrl("https://api.africastalking.com"),
});

const TAKEN = new Set(["100", "101", "102"]);

const SEND_CODES: ReadonlyMap<string, Meaning> = new Map([
  ["401", ["message", "The message was held back as a risk."]],
  ["402", ["message", "The sender ID is not registered there."]],
  ["403", ["refused", "The recipient is not a valid number."]],
  ["404", ["refused", "The kind of number is not supported."]],
  ["405", ["account", "The account's balance does not suffice."]],
  ["406", ["refused", "The recipient is on the opt-out list."]],
  ["407", ["message", "There is no route to the recipient."]],
  ["409", ["refused", "The recipient is on the do-not-disturb register."]],
  ["500", ["provider", "Internal error of the provider."]],
  ["501", ["provider", "The gateway had an error."]],
  ["502", ["message", "The gateway rejected the message."]],
]);

/** A request that fails as a whole has no code, only its name as text. */
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

const FAILURE_REASONS = new Map<string, string>(
  Object.entries({
    InsufficientCredit: "The subscriber has not enough credit.",
    InvalidLinkId: "The link id is invalid.",
    UserIsInactive: "The subscriber is inactive.",
    UserInBlackList: "The recipient is on the opt-out list.",
    UserAccountSuspended: "The network suspended the subscriber.",
    NotNetworkSubcriber: "The number belongs to another network.",
    UserNotSubscribedToProduct: "The recipient is not subscribed to the product.",
    UserDoesNotExist: "The number does not exist.",
    DeliveryFailure: "The network gave no reason.",
    DoNotDisturbRejection: "The recipient is on the do-not-disturb register.",
    AbsentSubscriber: "The handset was not reachable.",
    Expired: "The message was not delivered in time.",
  }),
);

/** Of an error in plain text, at most so much is shown. */
const TEXT_MAX = 200;

const answer = z.object({
  SMSMessageData: z.object({
    Message: z.string().default(""),
    Recipients: z.array(
      z.object({
        statusCode: wireCode.pipe(z.string().regex(/^\d+$/)),
        status: z.string().default(""),
        messageId: z
          .string()
          .nullish()
          .transform((id) => id ?? ""),
      }),
    ),
  }),
});

function readResponse({ status, body }: WireResponse): SendOutcome {
  const parsed = answer.safeParse(jsonOrNull(body));
  if (!parsed.success) {
    if (isSuccess(status)) throw parsed.error;
    // Bad credentials and their like are told in plain text.
    const outcome = outcomeOfHttp(status);
    const isMarkup = body.trimStart().startsWith("<");
    const text = isMarkup || jsonOrNull(body) !== null ? "" : sentences(body.slice(0, TEXT_MAX));
    return outcome.kind === "unknown" || text === "" ? outcome : { ...outcome, said: text };
  }
  const { Message, Recipients } = parsed.data.SMSMessageData;
  const [recipient] = Recipients;
  if (!recipient) {
    const code = WHOLE_REQUEST.get(Message);
    const meaning = code === undefined ? undefined : SEND_CODES.get(code);
    const fault = isSuccess(status) ? "provider" : faultOfStatus(status);
    if (meaning) return outcomeOf(Message, meaning);
    return outcomeOf("no_recipients", unlisted(fault), Message);
  }
  const { statusCode, messageId } = recipient;
  const hasId = messageId !== "" && messageId !== "None";
  if (TAKEN.has(statusCode) && hasId && isSuccess(status)) return { kind: "accepted", providerMessageIds: [messageId] };
  const meaning = SEND_CODES.get(statusCode);
  if (meaning) return outcomeOf(statusCode, meaning);
  if (TAKEN.has(statusCode) || hasId) {
    throw new Error(`HTTP ${status} with the code ${statusCode} and the message id "${messageId}"`);
  }
  return outcomeOf(statusCode, unlisted("provider"), recipient.status);
}

export const africastalking: HttpProvider<z.output<typeof settings>> = {
  id: "africastalking",
  settings,
  maxInFlight: 32,
  buildRequest: ({ message }, own) => ({
    method: "POST",
    url: `${own.baseUrl}/version1/messaging`,
    headers: {
      apikey: own.apiKey,
      // Otherwise the answer is XML.
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
  // Nothing of its callbacks is signed: what they can prove is that they know the secret path.
  authenticate: () => ({ kind: "genuine", nonces: [] }),
  readCallback: (callback) => {
    const form = formOf(callback);
    const id = form.get("id");
    const status = form.get("status");
    if (status === null) {
      const [from, to, text] = [form.get("from"), form.get("to"), form.get("text")];
      // Callbacks about opt-outs and subscriptions have other fields.
      if (!id || !from || !to || text === null) return { reports: [], inbound: [] };
      return { reports: [], inbound: [{ providerMessageId: id, from, to, text }] };
    }
    if (!id) throw new Error("The delivery report has no id.");
    const ours = REPORTED.get(status);
    if (!ours) return { reports: [], inbound: [] };
    const isFailure = ours === "failed" || ours === "undelivered";
    const code = isFailure ? form.get("failureReason") || status : null;
    const detail = code === null ? null : (FAILURE_REASONS.get(code) ?? sentences(`The network reported ${code}`));
    const reference = referenceOf(callback);
    return {
      reports: [{ providerMessageId: id, reference, status: ours, code, detail, occurredAt: null }],
      inbound: [],
    };
  },
};
