/** Sinch, SMS REST API (XMS). A message is a batch with one recipient. */
import { createHmac } from "node:crypto";
import { z } from "zod";
import { digitsOf, forged, jsonOf, referenceOf, wireTime } from "../http/callback-body";
import { callbackContent, reportFrom, takenAt } from "../http/callback-content";
import { readItems } from "../http/callback-items";
import { sameText } from "../http/constant-time";
import {
  type Explained,
  faultOfStatus,
  isSuccess,
  jsonOrNull,
  type Meaning,
  outcomeOf,
  outcomeOfHttp,
  outcomeOfUnlisted,
  wireCodeOrNull,
  wireId,
  wireText,
} from "../http/response";
import type { Authenticity, Callback, CallbackContent, HttpProvider, Report, SendOutcome, WireResponse } from "../port";
import { senderWithoutPlus } from "../sender-notation";
import { baseUrl, field, secret } from "../setting-fields";

/** Largest accepted difference between the time of a signature and ours. */
const TOLERANCE_MS = 300_000;
const ALGORITHM = "HmacSHA256";

const settings = z.object({
  servicePlanId: field("id of the service plan, from the dashboard"),
  apiToken: secret("API token of the service plan"),
  webhookSecret: secret(
    "secret with which callbacks are signed, where Sinch has switched that on for the plan; without it they are not checked",
  ).optional(),
  baseUrl: baseUrl("https://us.sms.api.sinch.com"),
});

type Own = z.output<typeof settings>;

const SEND_CODES: ReadonlyMap<string, Meaning> = new Map([
  // The form of our request is not accepted, whatever it says, and no batch was created: another provider is tried.
  ["syntax_invalid_json", ["message", "The request is malformed.", "unknown"]],
  [
    "syntax_invalid_parameter_format",
    ["refused", "A parameter is malformed, such as the recipient's number.", "unknown"],
  ],
  [
    "syntax_constraint_violation",
    ["message", "A parameter is out of bounds, such as a text that is too long.", "unknown"],
  ],
  ["unknown_group", ["message", "The group is not known.", "unknown"]],
  ["unknown_campaign", ["message", "The campaign is not known.", "sender"]],
  ["missing_callback_url", ["account", "The service plan has no callback URL.", "no_provider"]],
]);

const REPORTED: ReadonlyMap<string, Report["status"]> = new Map([
  ["Queued", "sent"],
  ["Dispatched", "sent"],
  ["Unknown", "sent"],
  ["Delivered", "delivered"],
  ["Failed", "undelivered"],
  ["Expired", "undelivered"],
  ["Deleted", "undelivered"],
  ["Aborted", "failed"],
  ["Cancelled", "failed"],
  ["Rejected", "failed"],
]);

/** Codes of Sinch itself; all others are the carrier's, passed through. */
const RECEIPT_CODES: ReadonlyMap<string, Explained> = new Map([
  ["402", ["The message could not be routed.", "no_provider"]],
  ["403", ["Internal error of the provider.", "no_provider"]],
  ["404", ["The provider had a temporary failure.", "no_provider"]],
  ["405", ["A parameter did not match.", "unknown"]],
  ["406", ["The message was not sent in time.", "expired"]],
  ["407", ["The message was canceled.", "canceled"]],
  ["408", ["The provider rejected the message.", "blocked"]],
  ["410", ["There is no default sender.", "sender"]],
  ["411", ["The text has too many parts.", "content"]],
  ["412", ["The recipient's country is not enabled.", "no_provider"]],
  ["413", ["The account is blocked, or its credit does not suffice.", "no_provider"]],
  ["414", ["The media of the message could not be fetched.", "content"]],
  ["415", ["The carrier rejected the message.", "blocked"]],
  ["416", ["The carrier does not support this kind of message.", "content"]],
  ["417", ["The recipient or their network could not be reached.", "unreachable"]],
  ["418", ["The handset could not read the message.", "unreachable"]],
]);

const batch = z.object({ id: wireId, client_reference: wireText });
const refusal = z.object({ code: z.string().min(1), text: wireText });
const listing = z.object({ batches: z.array(batch).nullish() });

const state = z.object({ code: wireCodeOrNull, status: z.string() });
const ofBatch = z.object({ batch_id: wireId, client_reference: wireText, at: wireTime });
const ofRecipient = ofBatch.extend(state.shape);
const summary = ofBatch.extend({ statuses: z.unknown() });
const fromHandset = z.object({ id: wireId, from: z.string(), to: z.string(), received_at: wireTime });
const moText = fromHandset.extend({ body: z.string() });
/** A picture or another file, with or without a text. */
const moMedia = fromHandset.extend({ body: z.object({ message: z.string().nullish() }) });

function readResponse({ status, body }: WireResponse): SendOutcome {
  if (isSuccess(status)) {
    return { kind: "accepted", providerMessageIds: [batch.parse(JSON.parse(body)).id] };
  }
  // With a wrong token the body is empty.
  const { data } = refusal.safeParse(jsonOrNull(body));
  if (!data) return outcomeOfHttp(status);
  const known = SEND_CODES.get(data.code);
  if (known) return outcomeOf(data.code, known, data.text);
  return outcomeOfUnlisted(status, data.code, faultOfStatus(status), data.text);
}

function authenticate({ headers, body }: Callback, own: Own, at: Date): Authenticity {
  if (!own.webhookSecret) return { kind: "genuine", nonces: [] };
  const signature = headers["x-sinch-webhook-signature"];
  const nonce = headers["x-sinch-webhook-signature-nonce"];
  const timestamp = headers["x-sinch-webhook-signature-timestamp"];
  if (!signature || !nonce || !timestamp) return forged("There is no signature.");
  const algorithm = headers["x-sinch-webhook-signature-algorithm"] ?? ALGORITHM;
  if (algorithm !== ALGORITHM) return forged("The callback is signed in another way than by HmacSHA256.");
  const expected = createHmac("sha256", own.webhookSecret).update(body).update(`.${nonce}.${timestamp}`);
  if (!sameText(signature, expected.digest("base64"))) {
    return forged("The signature is not of this body and time.");
  }
  const isFresh = Math.abs(at.getTime() - Number(timestamp) * 1_000) <= TOLERANCE_MS;
  return isFresh
    ? { kind: "genuine", nonces: [nonce] }
    : { kind: "stale", detail: "The time of the signature is too far from ours." };
}

function reportOf(
  { batch_id, client_reference, at }: z.output<typeof ofBatch>,
  reported: z.output<typeof state>,
  ref: string | null,
): Report[] {
  const status = REPORTED.get(reported.status);
  if (!status) return [];
  const code = reported.code || reported.status;
  const detail = RECEIPT_CODES.get(code)?.[0];
  const reference = client_reference || ref;
  return [reportFrom({ providerMessageId: batch_id, reference, status, code, detail, occurredAt: at })];
}

function readCallback(callback: Callback): CallbackContent {
  const body = jsonOf(callback);
  const ref = referenceOf(callback);
  const { type } = z.object({ type: z.string() }).parse(body);
  if (type === "recipient_delivery_report_sms") {
    const report = ofRecipient.parse(body);
    return callbackContent({ reports: reportOf(report, report, ref) });
  }
  if (type === "delivery_report_sms") {
    const report = summary.parse(body);
    const { items, unreadable } = readItems(report.statuses, (item) => state.safeParse(item));
    return callbackContent({ reports: items.flatMap((reported) => reportOf(report, reported, ref)), unreadable });
  }
  const inboundOf = ({ id, from, to, received_at }: z.output<typeof fromHandset>, text: string) =>
    callbackContent({ inbound: [{ providerMessageId: id, from, to, text, ...takenAt(received_at) }] });
  if (type === "mo_text") {
    const message = moText.parse(body);
    return inboundOf(message, message.body);
  }
  if (type === "mo_media") {
    const message = moMedia.parse(body);
    return inboundOf(message, message.body.message ?? "");
  }
  return type === "mo_binary" ? inboundOf(fromHandset.parse(body), "") : callbackContent();
}

const batchesUrl = (own: Own): string => `${own.baseUrl}/xms/v1/${encodeURIComponent(own.servicePlanId)}/batches`;

const headersOf = (own: Own) => ({ authorization: `Bearer ${own.apiToken}`, accept: "application/json" });

export const sinch: HttpProvider<Own> = {
  id: "sinch",
  settings,
  maxInFlight: 32,
  buildRequest: ({ message, reference, receiptUrl, validity }, own) => ({
    method: "POST",
    url: batchesUrl(own),
    headers: { ...headersOf(own), "content-type": "application/json" },
    body: JSON.stringify({
      type: "mt_text",
      to: [digitsOf(message.to)],
      from: senderWithoutPlus(message.from),
      // The encoding is chosen by the text.
      body: message.body,
      // Without it there are no receipts.
      delivery_report: "per_recipient",
      callback_url: receiptUrl,
      client_reference: reference,
      ...(validity && { expire_at: validity.until.toISOString() }),
    }),
  }),
  readResponse,
  // The list, its filter and its default of the last 24 hours are documented. The delay until a new batch appears is
  // not, so an empty list proves nothing.
  buildLookUp: ({ reference }, own) => ({
    method: "GET",
    url: `${batchesUrl(own)}?${new URLSearchParams({ client_reference: reference })}`,
    headers: headersOf(own),
    body: null,
  }),
  readLookUp: ({ status, body }, { reference }) => {
    if (status !== 200) return null;
    const batches = listing.safeParse(jsonOrNull(body)).data?.batches ?? [];
    const found = batches.find((one) => one.client_reference === reference);
    return found ? { kind: "accepted", providerMessageIds: [found.id] } : null;
  },
  authenticate,
  readCallback,
  // Codes of responses are words, those of receipts are numbers: no code is in both tables.
  reasonOf: ({ code }) => SEND_CODES.get(code)?.[2] ?? RECEIPT_CODES.get(code)?.[1],
};
