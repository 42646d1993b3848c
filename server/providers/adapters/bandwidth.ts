/** Bandwidth, Messaging API v2. Receipts and messages of handsets go to the callback URL of the application. */
import { z } from "zod";
import { tokenRequest } from "../http/access-token";
import { forged, isoOf, jsonOf, referenceOf } from "../http/callback-body";
import { callbackContent, reportFrom, takenAt } from "../http/callback-content";
import { readItems } from "../http/callback-items";
import { sameText } from "../http/constant-time";
import {
  type ErrorClass,
  type Explained,
  faultOfStatus,
  isSuccess,
  jsonOrNull,
  outcomeOfHttp,
  outcomeOfUnlisted,
  wireCodeOrNull,
  wireId,
  wireText,
} from "../http/response";
import type { Authenticity, Callback, HttpProvider, Inbound, Report, SendOutcome, WireResponse } from "../port";
import { senderWithPlus } from "../sender-notation";
import { baseUrl, field, isPair, secret } from "../setting-fields";

const fields = z.object({
  accountId: field("account id, seven digits, from the Bandwidth App"),
  clientId: field("client id of an API credential (OAuth 2.0)").optional(),
  clientSecret: secret("client secret of that API credential").optional(),
  username: field("name of a legacy API user; Bandwidth accepts none after 2 December 2026").optional(),
  password: secret("password of that API user").optional(),
  applicationId: field("id of the messaging application that your numbers belong to"),
  callbackUsername: field("user name that you entered for the callbacks of the application"),
  callbackPassword: secret("password that you entered for the callbacks of the application"),
  baseUrl: baseUrl("https://messaging.bandwidth.com/api/v2"),
  tokenUrl: baseUrl("https://api.bandwidth.com/api/v1/oauth2/token"),
});

const settings = fields
  .refine(({ clientId, clientSecret }) => isPair(clientId, clientSecret), {
    path: ["clientSecret"],
    error: "a client id and its secret go together",
  })
  .refine(({ clientId, username }) => clientId !== undefined || username !== undefined, {
    path: ["clientId"],
    error: "is missing",
  })
  .refine(({ username, password }) => isPair(username, password), {
    path: ["password"],
    error: "the name of an API user and its password go together",
  });

type Own = z.output<typeof settings>;

/** Meanings of the codes of failed messages. */
const RECEIPT_CODES = new Map<string, Explained>(
  Object.entries({
    4001: ["The service is not allowed for the account.", "no_provider"],
    4301: ["The text has characters that cannot be sent.", "content"],
    4302: ["The sender number is malformed.", "sender"],
    4303: ["The recipient's number is malformed.", "invalid_recipient"],
    4350: ["The text cannot be sent to this destination.", "blocked"],
    4360: ["The message was not sent in time.", "expired"],
    4401: ["The message could not be routed.", "no_provider"],
    4403: ["The sender number may not send messages.", "sender"],
    4404: ["The recipient's number may not get messages.", "invalid_recipient"],
    4405: ["The sender number is not allocated.", "sender"],
    4406: ["The recipient's number is not allocated.", "invalid_recipient"],
    4407: ["The sender number does not belong to the account.", "sender"],
    4408: ["The recipient's number belongs to no account.", "invalid_recipient"],
    4409: ["The destination's profile is invalid.", "no_provider"],
    4420: ["There is no route to the recipient's carrier.", "no_provider"],
    4421: ["The account may not send to this destination.", "no_provider"],
    4431: ["The account may not send from short codes.", "sender"],
    4432: ["The recipient's country is not enabled.", "no_provider"],
    4433: ["The account may not send from toll-free numbers.", "sender"],
    4434: ["The recipient is a toll-free number without messaging.", "invalid_recipient"],
    4451: ["The user id is wrong.", "no_provider"],
    4452: ["The application id is wrong.", "no_provider"],
    4470: ["The message was filtered as spam.", "blocked"],
    4481: ["The sender number is blocked.", "sender"],
    4482: ["The recipient's number is blocked.", "blocked"],
    4492: ["The recipient is an emergency number.", "invalid_recipient"],
    4493: ["The sender is not authorized.", "sender"],
    4700: ["The recipient's carrier or handset takes no messages.", "invalid_recipient"],
    4701: ["The recipient is not reachable, or has no messaging.", "unreachable"],
    4702: ["The handset was not reachable.", "unreachable"],
    4720: ["The carrier calls the recipient's number invalid.", "invalid_recipient"],
    4721: ["The recipient's number is deactivated.", "invalid_recipient"],
    4730: ["The carrier has no route to the recipient.", "no_provider"],
    4740: ["The carrier calls the sender number invalid.", "sender"],
    4750: ["The carrier refused the message without a reason.", "blocked"],
    4751: ["The message is too long for the carrier.", "content"],
    4752: ["The carrier finds the message malformed.", "content"],
    4753: ["The carrier or the handset refused the message.", "blocked"],
    4770: ["The carrier filtered the message as spam.", "blocked"],
    4771: ["The message was refused for a shortened link.", "content"],
    4772: ["The sender or the recipient is blocked at the carrier.", "blocked"],
    4773: ["The sender's campaign is not active.", "sender"],
    4774: ["The sender number is not registered as the carriers want it.", "sender"],
    4775: ["The recipient has opted out.", "opted_out"],
    4780: ["The message was over the sender's volume limit at T-Mobile.", "rate"],
    4781: ["The message was over the sender's volume limit at AT&T.", "rate"],
    4785: ["The message was over the sender's volume limit.", "rate"],
    4790: ["The recipient cannot get messages of this short code.", "opted_out"],
    4795: ["The toll-free sender number is not verified.", "sender"],
    5106: ["The message could not be routed.", "no_provider"],
    5600: ["The carrier is overloaded.", "unreachable"],
    5610: ["The carrier could not take the message.", "unknown"],
    5620: ["The carrier had an error.", "unreachable"],
    5630: ["The carrier did not confirm the message.", "unknown"],
    5650: ["The carrier could not deliver the message.", "unknown"],
    9902: ["The carrier did not report in time: the message may have arrived.", "unknown"],
    9999: ["The carrier's reason is unknown.", "unknown"],
  }),
);

const REPORTED = new Map<string, (code: string) => Report["status"]>([
  ["message-sending", () => "sent"],
  ["message-delivered", () => "delivered"],
  // These codes come from the carrier: it had taken the message.
  ["message-failed", (code) => (/^(47|56|9)/.test(code) ? "undelivered" : "failed")],
]);

const RECEIVED = "message-received";

/** Error class by the field that Bandwidth calls invalid. */
const FIELD_FAULTS = new Map<string, ErrorClass>([
  ["to", "refused"],
  // Usually a text that is too long.
  ["text", "message"],
  ["applicationId", "account"],
]);

const refusal = z.object({
  type: z.string().min(1),
  description: wireText,
  fieldErrors: z.array(z.object({ fieldName: z.string(), description: wireText })).catch([]),
});

const kind = z.looseObject({ type: z.string() });

/** An event, if it is of a kind that is processed. */
function readEvent(item: unknown) {
  const reading = kind.safeParse(item);
  if (reading.success && !REPORTED.has(reading.data.type) && reading.data.type !== RECEIVED) return null;
  return event.safeParse(item);
}

const event = z.object({
  type: z.string(),
  time: z.string().nullish().catch(null),
  description: wireText,
  to: z.string().nullish(),
  errorCode: wireCodeOrNull,
  message: z.object({
    id: wireId,
    from: z.string().nullish(),
    to: z.array(z.string()).nullish(),
    text: z.string().nullish(),
    tag: wireText,
  }),
});

function readResponse({ status, body }: WireResponse): SendOutcome {
  if (isSuccess(status)) {
    const { id } = z.object({ id: wireId }).parse(JSON.parse(body));
    return { kind: "accepted", providerMessageIds: [id] };
  }
  // The body is empty with wrong credentials, and some errors come in a framework's own shape.
  const { data } = refusal.safeParse(jsonOrNull(body));
  if (!data) return outcomeOfHttp(status);
  const [first] = data.fieldErrors;
  const byField = first && status === 400 ? FIELD_FAULTS.get(first.fieldName.replace(/\W.*/s, "")) : undefined;
  const fieldProblem = first && `${first.fieldName}: ${first.description ?? ""}`;
  return outcomeOfUnlisted(status, data.type, byField ?? faultOfStatus(status), data.description, fieldProblem);
}

const basic = (name: string, password: string): string => Buffer.from(`${name}:${password}`).toString("base64");

function authenticate(callback: Callback, own: Own): Authenticity {
  const { authorization } = callback.headers;
  // Bandwidth sends credentials only after the challenge of a 401.
  if (!authorization) return { kind: "unasked", detail: "There are no credentials yet." };
  const [scheme, credentials] = authorization.split(" ");
  if (scheme?.toLowerCase() !== "basic" || !credentials) return forged("There are no credentials.");
  return sameText(credentials, basic(own.callbackUsername, own.callbackPassword))
    ? { kind: "genuine", nonces: [] }
    : forged("The credentials are not those of the application.");
}

function reportOf({ type, time, description, errorCode, message }: z.output<typeof event>, ref: string | null) {
  const status = REPORTED.get(type)?.(errorCode ?? "");
  if (!status) return [];
  const code = errorCode ?? type;
  return [
    reportFrom({
      providerMessageId: message.id,
      reference: message.tag || ref,
      status,
      code,
      detail: RECEIPT_CODES.get(code)?.[0],
      providerDetail: description,
      occurredAt: isoOf(time ?? Number.NaN),
    }),
  ];
}

function inboundOf({ type, time, to, message }: z.output<typeof event>): Inbound[] {
  // A group message lists several recipients; the outer `to` is our number.
  const number = to ?? message.to?.[0];
  if (type !== RECEIVED || !message.from || !number) return [];
  const inbound = { providerMessageId: message.id, from: message.from, to: number, text: message.text ?? "" };
  return [{ ...inbound, ...takenAt(isoOf(time ?? Number.NaN)) }];
}

export const bandwidth: HttpProvider<Own> = {
  id: "bandwidth",
  settings,
  maxInFlight: 32,
  buildTokenRequest: ({ tokenUrl, clientId, clientSecret }) =>
    clientId && clientSecret ? tokenRequest(tokenUrl, clientId, clientSecret) : null,
  buildRequest: ({ message, reference, validity }, own, accessToken) => ({
    method: "POST",
    url: `${own.baseUrl}/users/${encodeURIComponent(own.accountId)}/messages`,
    headers: {
      authorization: accessToken ? `Bearer ${accessToken}` : `Basic ${basic(own.username ?? "", own.password ?? "")}`,
      accept: "application/json",
      "content-type": "application/json",
    },
    body: JSON.stringify({
      applicationId: own.applicationId,
      to: [message.to],
      // It takes numbers only, and refuses names itself.
      from: senderWithPlus(message.from),
      text: message.body,
      tag: reference,
      ...(validity && { expiration: validity.until.toISOString() }),
    }),
  }),
  readResponse,
  authenticate,
  readCallback: (callback) => {
    const { items, unreadable } = readItems(jsonOf(callback), readEvent);
    const ref = referenceOf(callback);
    return callbackContent({
      reports: items.flatMap((one) => reportOf(one, ref)),
      inbound: items.flatMap(inboundOf),
      unreadable,
    });
  },
  // It refuses a message for good only because of the recipient field; the code is the same for all fields.
  reasonOf: ({ code, isRefusal }) => (isRefusal ? "invalid_recipient" : RECEIPT_CODES.get(code)?.[1]),
};
