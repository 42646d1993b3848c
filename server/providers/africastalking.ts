/** Africa's Talking, bulk SMS. It answers 201 also for what it did not send: the code of the recipient decides. */
import { z } from "zod";
import { formOf, referenceOf } from "./callback-body";
import { baseUrl, field, secret } from "./fields";
import type { Fault, HttpProvider, Outcome, Report, WireResponse } from "./port";

const settings = z.object({
  username: field("name of the app in the dashboard; `sandbox` on their test system"),
  apiKey: secret("API key of that app"),
  baseUrl: baseUrl("https://api.africastalking.com"),
});

type Meaning = readonly [fault: Fault | "refused", detail: string];

const TAKEN = new Set([100, 101, 102]);

const SEND_CODES: Record<number, Meaning> = {
  401: ["message", "Held back as a risk."],
  402: ["message", "The sender ID is not registered there."],
  403: ["refused", "The phone number is invalid."],
  404: ["refused", "The kind of number is not supported."],
  405: ["account", "Not enough balance."],
  406: ["refused", "The recipient is on the opt-out list."],
  407: ["message", "There is no route to the recipient."],
  409: ["refused", "The recipient is on the do-not-disturb register."],
  500: ["provider", "Internal error of the provider."],
  501: ["provider", "Error of the gateway."],
  502: ["message", "Rejected by the gateway."],
};

/** A request that fails as a whole has no code, only its name as text. */
const WHOLE_REQUEST = new Map([
  ["RiskHold", 401],
  ["InvalidSenderId", 402],
  ["InsufficientBalance", 405],
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
    Expired: "Not delivered in time.",
  }),
);

const answer = z.object({
  SMSMessageData: z.object({
    Message: z.string().default(""),
    Recipients: z.array(
      z.object({
        statusCode: z.coerce.number().int(),
        status: z.string().default(""),
        messageId: z
          .string()
          .nullish()
          .transform((id) => id ?? ""),
      }),
    ),
  }),
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
    // Bad credentials and their like are told in plain text.
    return outcomeOf(`http_${status}`, [
      faultOfStatus(status),
      body.trim().slice(0, 200) || `The provider answered HTTP ${status}.`,
    ]);
  }
  const { Message, Recipients } = parsed.data.SMSMessageData;
  const [recipient] = Recipients;
  if (!recipient) {
    const code = WHOLE_REQUEST.get(Message);
    const meaning = code === undefined ? undefined : SEND_CODES[code];
    const fault = isSuccess ? "provider" : faultOfStatus(status);
    return outcomeOf(code ? Message : "no_recipients", meaning ?? [fault, Message || "It was sent to nobody."]);
  }
  const { statusCode, messageId } = recipient;
  const hasId = messageId !== "" && messageId !== "None";
  if (TAKEN.has(statusCode) && hasId) return { kind: "accepted", providerMessageIds: [messageId] };
  const meaning = SEND_CODES[statusCode];
  if (meaning) return outcomeOf(String(statusCode), meaning);
  if (TAKEN.has(statusCode) || hasId) throw new Error(`code ${statusCode} with the message id "${messageId}"`);
  return outcomeOf(String(statusCode), ["provider", recipient.status || "The meaning of the code is not known."]);
}

/** Short codes and names stay as they are. */
const senderOf = (from: string): string => (/^\d{7,}$/.test(from) ? `+${from}` : from);

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
      from: senderOf(message.from),
      message: message.body,
      bulkSMSMode: "1",
    }).toString(),
  }),
  readResponse,
  // Nothing of its callbacks is signed: what they can prove is that they know the secret path.
  authenticate: () => ({ kind: "genuine", nonce: null }),
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
    if (!id) throw new Error("a delivery report without an id");
    const ours = REPORTED.get(status);
    if (!ours) return { reports: [], inbound: [] };
    const isFailure = ours === "failed" || ours === "undelivered";
    const code = isFailure ? form.get("failureReason") || status : null;
    const detail = code === null ? null : (FAILURE_REASONS.get(code) ?? code);
    const reference = referenceOf(callback);
    return {
      reports: [{ providerMessageId: id, reference, status: ours, code, detail, occurredAt: null }],
      inbound: [],
    };
  },
};
