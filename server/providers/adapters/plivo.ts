/** Plivo: the Message API. */
import { createHash, createHmac } from "node:crypto";
import { z } from "zod";
import { dltIdsOf } from "../dlt";
import {
  forged,
  formOf,
  queryOf,
  queryOrFormOf,
  referenceOf,
  requiredField,
  sortedFields,
} from "../http/callback-body";
import { callbackContent, reportFrom } from "../http/callback-content";
import { sameText } from "../http/constant-time";
import {
  type ErrorClass,
  type Explained,
  faultOfStatus,
  isSuccess,
  jsonOrNull,
  type Meaning,
  outcomeOf,
  outcomeOfHttp,
  outcomeOfUnlisted,
  wireId,
} from "../http/response";
import type {
  Authenticity,
  Callback,
  CallbackContent,
  Fault,
  HttpProvider,
  Report,
  SendOutcome,
  SendRequest,
  WireRequest,
  WireResponse,
} from "../port";
import { baseUrl, field, secret } from "../setting-fields";
import { secondsLeft } from "../validity";

const settings = z.object({
  authId: field("auth ID of the account"),
  authToken: secret("auth token of the account; callbacks are signed with it"),
  baseUrl: baseUrl("https://api.plivo.com"),
});

type PlivoSettings = z.output<typeof settings>;

/** The destination's country is not permitted. */
const NOT_PERMITTED = 403;
const FAULTS: ReadonlyMap<number, Fault> = new Map([[NOT_PERMITTED, "message"]]);

/** The meaning of a response without a code. */
const INVALID_RECIPIENT: Meaning = ["refused", "The recipient is not a valid number.", "invalid_recipient"];

/** Error class by an error's text, as there are no codes: the first match counts. */
const TEXTS: readonly (readonly [RegExp, ErrorClass])[] = [
  [/credit|balance|suspended|disabled account/i, "account"],
  [/too (long|large)|\b(length|maximum|exceeds?)\b/i, "message"],
  [/not (enabled|permitted|allowed|supported)|permission/i, "message"],
  [/\bdst\b|destination|recipient/i, "refused"],
  [/\bsrc\b|source|sender|powerpack/i, "message"],
  [/valid phone number|\btext\b/i, "refused"],
];

/** `ErrorCode` of a receipt. */
const RECEIPT_CODES = new Map<string, Explained>([
  ["10", ["The message is not valid.", "content"]],
  ["20", ["The network had an error.", "unreachable"]],
  ["30", ["The message was found to be spam.", "blocked"]],
  ["40", ["The sender is not valid.", "sender"]],
  ["50", ["The recipient is not a valid number.", "invalid_recipient"]],
  ["60", ["The message ran in a loop.", "no_provider"]],
  ["70", ["The recipient is permanently not available.", "invalid_recipient"]],
  ["80", ["The recipient is not available for now.", "unreachable"]],
  ["90", ["There is no route to the recipient.", "no_provider"]],
  ["100", ["The carrier prohibits the message.", "blocked"]],
  ["110", ["The message is too long.", "content"]],
  ["200", ["The recipient has opted out.", "opted_out"]],
  ["201", ["A toll-free sender cannot reach this country.", "sender"]],
  ["300", ["The message could not be dispatched.", "no_provider"]],
  ["420", ["The message expired in the queue.", "expired"]],
  ["450", ["The destination's country is not enabled.", "no_provider"]],
  ["451", ["The sender lacks a registration.", "sender"]],
  ["900", ["The account's credit does not suffice.", "no_provider"]],
  ["910", ["The account is disabled.", "no_provider"]],
  ["950", ["The sender lacks a registration.", "sender"]],
  ["1000", ["Unknown error.", "unknown"]],
]);
const NO_ERROR = "000";

const STATUSES = new Map<string, Report["status"]>([
  ["queued", "sent"],
  ["sent", "sent"],
  ["delivered", "delivered"],
  ["read", "delivered"],
  ["undelivered", "undelivered"],
  ["failed", "failed"],
  ["rejected", "failed"],
]);

const VALIDITY_S = { min: 5, max: 10_799 };

function buildRequest({ message, receiptUrl, validity }: SendRequest, own: PlivoSettings): WireRequest {
  const dlt = dltIdsOf(message);
  return {
    method: "POST",
    // The trailing slash matters: without it this is another path.
    url: `${own.baseUrl}/v1/Account/${encodeURIComponent(own.authId)}/Message/`,
    headers: {
      authorization: `Basic ${Buffer.from(`${own.authId}:${own.authToken}`).toString("base64")}`,
      "content-type": "application/json",
      accept: "application/json",
    },
    body: JSON.stringify({
      src: message.from,
      dst: message.to,
      type: "sms",
      text: message.body,
      url: receiptUrl,
      method: "POST",
      ...(validity && { message_expiry: secondsLeft(validity, VALIDITY_S) }),
      ...(dlt && { dlt_entity_id: dlt.entityId }),
      ...(dlt?.templateId && { dlt_template_id: dlt.templateId }),
      ...(dlt?.templateCategory && { dlt_template_category: dlt.templateCategory }),
    }),
  };
}

const Taken = z.object({
  message_uuid: z.array(wireId),
  invalid_number: z.array(z.unknown()).catch([]),
});
const Failed = z.object({ error: z.string().trim() });

function readResponse({ status, body }: WireResponse): SendOutcome {
  const code = `http_${status}`;
  if (isSuccess(status)) {
    const { message_uuid: ids, invalid_number: invalid } = Taken.parse(JSON.parse(body));
    if (ids.length > 0) return { kind: "accepted", providerMessageIds: ids };
    if (invalid.length > 0) return outcomeOf(code, INVALID_RECIPIENT);
    throw new Error("The message was taken without an id.");
  }
  const text = Failed.safeParse(jsonOrNull(body)).data?.error;
  if (!text) return outcomeOfHttp(status, FAULTS);
  const fault = faultOfStatus(status, FAULTS);
  const dependsOnText = fault === "message" && status !== NOT_PERMITTED;
  const [, errorClass = fault] = (dependsOnText && TEXTS.find(([pattern]) => pattern.test(text))) || [];
  return outcomeOfUnlisted(status, code, errorClass, text);
}

const pairsOf = (fields: URLSearchParams, between: string): string[] =>
  sortedFields(fields).flatMap(([name, values]) => values.map((value) => name + between + value));

const placeOf = (callback: Callback): string => callback.url.split("?", 1)[0] ?? "";

/** Versions of the signature with the text that each signs, the stronger first. */
const SIGNATURES = [
  {
    version: "v3",
    isOfContent: true,
    textOf: (callback: Callback, nonce: string): string => {
      const query = pairsOf(queryOf(callback), "=").join("&");
      const form = pairsOf(formOf(callback), "").join("");
      return `${placeOf(callback)}${query || form ? "?" : ""}${query}${query && form ? "." : ""}${form}.${nonce}`;
    },
  },
  // Covers neither query nor body.
  {
    version: "v2",
    isOfContent: false,
    textOf: (callback: Callback, nonce: string): string => placeOf(callback) + nonce,
  },
];

/** Nonces of both versions: otherwise a replay could leave out the stronger signature and reuse the weaker one. */
const noncesOf = (headers: Callback["headers"]): string[] => [
  ...new Set(SIGNATURES.flatMap(({ version }) => headers[`x-plivo-signature-${version}-nonce`] || [])),
];

/** Stands for the content where the signature does not cover it: the nonce with another content is no repeat. */
const contentNonce = ({ url, body }: Callback, nonce: string): string =>
  `${nonce} ${createHash("sha256").update(`${url}\n`).update(body).digest("hex")}`;

/** Checks only the strongest version present, so that a weaker one cannot make up for a wrong signature. */
function authenticate(callback: Callback, { authToken }: PlivoSettings): Authenticity {
  const { headers } = callback;
  for (const { version, isOfContent, textOf } of SIGNATURES) {
    // The second header is signed with the main account's token; either may be a list while a token is rotated.
    const given = [headers[`x-plivo-signature-${version}`], headers[`x-plivo-signature-ma-${version}`]]
      .flatMap((header) => header?.split(",") ?? [])
      .map((signature) => signature.trim());
    if (given.length === 0) continue;
    const nonce = headers[`x-plivo-signature-${version}-nonce`];
    if (!nonce) return forged("The signature has no nonce.");
    const expected = createHmac("sha256", authToken).update(textOf(callback, nonce)).digest("base64");
    const isSigned = given.some((signature) => sameText(signature, expected));
    if (!isSigned) return forged("The signature is not of this URL and body.");
    return { kind: "genuine", nonces: [...noncesOf(headers), ...(isOfContent ? [] : [contentNonce(callback, nonce)])] };
  }
  return forged("There is no signature.");
}

/** A receipt has a `Status`, a message from a handset has none; one with pictures may lack a text. */
function readCallback(callback: Callback): CallbackContent {
  const fields = queryOrFormOf(callback);
  const word = fields.get("Status");
  const text = fields.get("Text") ?? (fields.get("Type") === "mms" && fields.has("From") ? "" : null);
  if (word === null && text !== null) {
    const inbound = {
      providerMessageId: requiredField(fields, "MessageUUID"),
      from: requiredField(fields, "From"),
      to: requiredField(fields, "To"),
      text,
    };
    return callbackContent({ inbound: [inbound] });
  }
  const status = word === null ? undefined : STATUSES.get(word);
  if (!status) return callbackContent();
  const errorCode = fields.get("ErrorCode");
  const code = (errorCode && errorCode !== NO_ERROR ? errorCode : word) ?? "";
  // Its times have no time zone, so there is no time of the event.
  const report = reportFrom({
    // The id in the response to the send.
    providerMessageId: fields.get("ParentMessageUUID") || requiredField(fields, "MessageUUID"),
    reference: referenceOf(callback),
    status,
    code,
    detail: RECEIPT_CODES.get(code)?.[0],
  });
  return callbackContent({ reports: [report] });
}

export const plivo: HttpProvider<PlivoSettings> = {
  id: "plivo",
  settings,
  // An account may make 300 requests in five seconds.
  maxInFlight: 30,
  textMax: { "GSM-7": 1_600, "UCS-2": 737 },
  buildRequest,
  readResponse,
  authenticate,
  readCallback,
  reasonOf: ({ code, detail }) =>
    detail === INVALID_RECIPIENT[1] ? INVALID_RECIPIENT[2] : RECEIPT_CODES.get(code)?.[1],
};
