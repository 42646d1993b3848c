/** Twilio: Programmable Messaging, REST API of 2010-04-01. */
import { createHash, createHmac } from "node:crypto";
import { z } from "zod";
import {
  forged,
  formOf,
  queryOf,
  queryOrFormOf,
  referenceOf,
  requiredField,
  sortedFields,
} from "../http/callback-body";
import { callbackContent, recognizedKeyword, reportFrom } from "../http/callback-content";
import { sameText } from "../http/constant-time";
import {
  faultOfStatus,
  isSuccess,
  jsonOrNull,
  type Meaning,
  outcomeOf,
  outcomeOfHttp,
  outcomeOfUnlisted,
  wireCode,
  wireId,
  wireText,
} from "../http/response";
import type {
  Authenticity,
  Callback,
  CallbackContent,
  HttpProvider,
  Report,
  SendOutcome,
  SendRequest,
  WireRequest,
  WireResponse,
} from "../port";
import { senderWithPlus } from "../sender-notation";
import { baseUrl, field, secret } from "../setting-fields";
import { secondsLeft } from "../validity";

const settings = z.object({
  accountSid: field("account SID: AC and 32 hexadecimal digits"),
  authToken: secret("auth token of the account; callbacks are signed with it, whatever messages are sent with"),
  apiKeySid: field("SID (SK…) of an API key to send with instead of the auth token; needs its secret too").optional(),
  apiKeySecret: secret("secret of the API key").optional(),
  messagingServiceSid: field("messaging service (MG…) to send through; its pool must hold the senders used").optional(),
  baseUrl: baseUrl("https://api.twilio.com"),
});

type TwilioSettings = z.output<typeof settings>;

/** Codes of responses and receipts, which share one series. Of a receipt's code only the text is used. */
const CODES = new Map<string, Meaning>([
  ["20003", ["account", "The credentials are wrong.", "no_provider"]],
  ["20005", ["account", "The account is not active.", "no_provider"]],
  ["20429", ["throttled", "Too many requests at once.", "rate"]],
  ["20500", ["provider", "Internal error of the provider.", "no_provider"]],
  ["20503", ["provider", "The provider is not available.", "no_provider"]],
  ["21211", ["refused", "The recipient is not a valid number.", "invalid_recipient"]],
  ["21212", ["message", "The sender is not valid.", "sender"]],
  ["21217", ["refused", "The recipient is not a valid number.", "invalid_recipient"]],
  ["21408", ["message", "The recipient's region is not enabled for the account.", "no_provider"]],
  ["21602", ["refused", "The message has no text.", "content"]],
  ["21606", ["message", "The sender cannot send SMS, or is not the account's.", "sender"]],
  ["21608", ["message", "A trial account cannot send to a number that is not verified.", "no_provider"]],
  ["21610", ["refused", "The recipient has opted out.", "opted_out"]],
  ["21611", ["throttled", "The queue of the sender is full.", "rate"]],
  ["21612", ["message", "The sender cannot reach the recipient.", "sender"]],
  ["21614", ["refused", "The recipient is not a mobile number.", "invalid_recipient"]],
  ["21617", ["message", "The text is too long.", "content"]],
  ["21659", ["message", "The sender cannot be used by the account.", "sender"]],
  ["21660", ["message", "The sender cannot be used by the account.", "sender"]],
  ["21702", ["account", "The messaging service cannot be used.", "no_provider"]],
  ["21703", ["account", "The messaging service has no senders.", "sender"]],
  ["21704", ["account", "The messaging service has no senders that can be used.", "sender"]],
  ["30001", ["throttled", "The queue overflowed.", "rate"]],
  ["30002", ["account", "The account is suspended.", "no_provider"]],
  ["30003", ["refused", "The handset is not reachable.", "unreachable"]],
  ["30004", ["refused", "The message was blocked by the recipient or the carrier.", "blocked"]],
  ["30005", ["refused", "The handset is unknown or no longer exists.", "invalid_recipient"]],
  ["30006", ["refused", "The number is a landline or its carrier is not reachable.", "invalid_recipient"]],
  ["30007", ["refused", "The message was filtered as spam.", "blocked"]],
  ["30008", ["provider", "The carrier reported an unknown error.", "unknown"]],
  ["30017", ["throttled", "The carrier's network is congested.", "unreachable"]],
  ["30018", ["message", "The carrier requires the sender to be registered first.", "sender"]],
  ["30022", ["throttled", "The sender's rate in its 10DLC campaign was exceeded.", "rate"]],
  ["30024", ["message", "The carrier has not provisioned the sender.", "sender"]],
  ["30032", ["message", "The toll-free sender is not verified.", "sender"]],
  ["30034", ["message", "The sender is not registered for 10DLC.", "sender"]],
  ["30036", ["provider", "The message's validity ran out before it could be handed over.", "expired"]],
  ["30410", ["provider", "The carrier did not respond in time.", "unreachable"]],
]);

const STATUSES = new Map<string, Report["status"]>([
  ["accepted", "sent"],
  ["scheduled", "sent"],
  ["queued", "sent"],
  ["sending", "sent"],
  ["sent", "sent"],
  ["delivered", "delivered"],
  ["read", "delivered"],
  ["undelivered", "undelivered"],
  ["failed", "failed"],
  ["canceled", "failed"],
]);

const VALIDITY_S = { min: 1, max: 36_000 };

/**
 * Asks Twilio to repeat a receipt that was not taken, for whatever reason; its default is once, and only if it could not
 * connect. All repeats come within 15 seconds. The fragment is neither requested nor signed.
 */
const CALLBACK_REPEATS = "#rc=5&rp=all";

function buildRequest({ message, receiptUrl, validity }: SendRequest, own: TwilioSettings): WireRequest {
  const { accountSid, authToken, apiKeySid, apiKeySecret, messagingServiceSid } = own;
  const credentials = apiKeySid && apiKeySecret ? `${apiKeySid}:${apiKeySecret}` : `${accountSid}:${authToken}`;
  const form = new URLSearchParams({
    To: message.to,
    From: senderWithPlus(message.from),
    Body: message.body,
    StatusCallback: receiptUrl + CALLBACK_REPEATS,
  });
  if (validity) form.set("ValidityPeriod", String(secondsLeft(validity, VALIDITY_S)));
  // In addition to From: alone, the service would pick any sender of its pool.
  if (messagingServiceSid) form.set("MessagingServiceSid", messagingServiceSid);
  return {
    method: "POST",
    url: `${own.baseUrl}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`,
    headers: {
      authorization: `Basic ${Buffer.from(credentials).toString("base64")}`,
      "content-type": "application/x-www-form-urlencoded",
      accept: "application/json",
    },
    body: form.toString(),
  };
}

const Taken = z.object({ sid: wireId });
/** Both shapes of an error. */
const Failed = z.object({
  code: wireCode,
  message: wireText,
  detail: wireText,
});

function readResponse({ status, body }: WireResponse): SendOutcome {
  if (isSuccess(status)) {
    return { kind: "accepted", providerMessageIds: [Taken.parse(JSON.parse(body)).sid] };
  }
  const failed = Failed.safeParse(jsonOrNull(body));
  if (!failed.success) return outcomeOfHttp(status);
  const { code, message, detail } = failed.data;
  const known = CODES.get(code);
  if (known) return outcomeOf(code, known);
  return outcomeOfUnlisted(status, code, faultOfStatus(status), message ?? detail);
}

/** Forms of a URL that may have been signed: with or without its port, quotes escaped or not. */
function signedForms(url: string): string[] {
  const [, scheme = "", authority = "", rest = ""] = /^(https?):\/\/([^/?#]*)(.*)$/s.exec(url) ?? [];
  const host = authority.replace(/:\d+$/, "");
  const port = /:\d+$/.exec(authority)?.[0] ?? (scheme === "https" ? ":443" : ":80");
  return [host, host + port].flatMap((place) =>
    [rest, rest.replaceAll("'", "%27")].map((tail) => `${scheme}://${place}${tail}`),
  );
}

/** Each name and value, sorted; every distinct value of a repeated name once. */
const signedFields = (form: URLSearchParams): string =>
  sortedFields(form)
    .flatMap(([name, values]) => [...new Set(values)].map((value) => name + value))
    .join("");

function authenticate(callback: Callback, { authToken }: TwilioSettings): Authenticity {
  const signature = callback.headers["x-twilio-signature"];
  if (!signature) return forged("There is no signature.");
  // A body of any type is read as a form, so that no body escapes the signature.
  const bodyHash = queryOf(callback).get("bodySHA256");
  const fields = bodyHash === null ? signedFields(formOf(callback)) : "";
  const isSigned = signedForms(callback.url).some((url) =>
    sameText(
      createHmac("sha1", authToken)
        .update(url + fields)
        .digest("base64"),
      signature,
    ),
  );
  if (!isSigned) return forged("The signature is not of this URL and body.");
  if (bodyHash !== null && bodyHash.toLowerCase() !== createHash("sha256").update(callback.body).digest("hex")) {
    return forged("The body is not the one whose hash was signed.");
  }
  return { kind: "genuine", nonces: [] };
}

function readCallback(callback: Callback): CallbackContent {
  const fields = queryOrFormOf(callback);
  const word = fields.get("MessageStatus") ?? fields.get("SmsStatus") ?? "";
  const text = fields.get("Body");
  if (word === "received" && text !== null) {
    const inbound = {
      providerMessageId: requiredField(fields, "MessageSid"),
      from: requiredField(fields, "From"),
      to: requiredField(fields, "To"),
      text,
      // Of a messaging service with Advanced Opt-Out, whose keywords may be of any language.
      ...recognizedKeyword(fields.get("OptOutType")),
    };
    return callbackContent({ inbound: [inbound] });
  }
  const status = STATUSES.get(word);
  if (!status) return callbackContent();
  const code = fields.get("ErrorCode") || word;
  // RawDlrDoneDate is of the carrier's clock, in whole minutes and without a time zone, so it is not used.
  const report = reportFrom({
    providerMessageId: requiredField(fields, "MessageSid"),
    reference: referenceOf(callback),
    status,
    code,
    detail: CODES.get(code)?.[1],
  });
  return callbackContent({ reports: [report] });
}

export const twilio: HttpProvider<TwilioSettings> = {
  id: "twilio",
  settings,
  maxInFlight: 50,
  buildRequest,
  readResponse,
  authenticate,
  readCallback,
  reasonOf: ({ code }) => CODES.get(code)?.[2],
};
