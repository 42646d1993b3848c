/** Sinch, SMS REST API (XMS). A message is a batch with one recipient. */
import { createHmac } from "node:crypto";
import { z } from "zod";
import { digitsOf, jsonOf, referenceOf } from "./callback-body";
import { sameText } from "./constant-time";
import { baseUrl, field, secret } from "./fields";
import type {
  Authenticity,
  Callback,
  CallbackContent,
  Fault,
  HttpProvider,
  Outcome,
  Report,
  WireResponse,
} from "./port";

/** How far the time of a signature may be from ours. */
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
type Meaning = readonly [fault: Fault | "refused", detail: string];

const SEND_CODES: Record<string, Meaning> = {
  syntax_invalid_json: ["refused", "the request is not JSON"],
  syntax_invalid_parameter_format: ["refused", "a parameter is malformed, such as the recipient's number"],
  syntax_constraint_violation: ["refused", "a parameter is out of bounds, such as a text that is too long"],
  unknown_group: ["message", "the group is unknown"],
  unknown_campaign: ["message", "the campaign is unknown"],
  missing_callback_url: ["account", "the plan has no callback URL"],
};

const REPORTED: Record<string, Report["status"]> = {
  Queued: "sent",
  Dispatched: "sent",
  Unknown: "sent",
  Delivered: "delivered",
  Failed: "undelivered",
  Expired: "undelivered",
  Deleted: "undelivered",
  Aborted: "failed",
  Cancelled: "failed",
  Rejected: "failed",
};

/** Codes of Sinch itself; others are those of the carrier, passed through. */
const RECEIPT_CODES: Record<string, string> = {
  402: "it could not be routed",
  403: "internal error",
  404: "temporary failure",
  405: "a parameter did not match",
  406: "not sent in time",
  407: "cancelled",
  408: "rejected by Sinch",
  410: "no default sender is set up",
  411: "the text has too many parts",
  412: "the country of the recipient is not enabled",
  413: "the account is blocked or out of credit",
};

const batch = z.object({ id: z.string().min(1), client_reference: z.string().nullish() });
const refusal = z.object({ code: z.string().min(1), text: z.string().nullish() });
const listing = z.object({ batches: z.array(batch).nullish() });

const when = z.iso.datetime({ offset: true }).nullish().catch(null);
const state = z.object({ code: z.coerce.string().nullish(), status: z.string() });
const ofBatch = z.object({ batch_id: z.string().min(1), client_reference: z.string().nullish(), at: when });
const ofRecipient = ofBatch.extend(state.shape);
const summary = ofBatch.extend({ statuses: z.array(state) });
const fromHandset = z.object({ id: z.string().min(1), from: z.string(), to: z.string(), body: z.string() });

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
  if (status >= 200 && status < 300) {
    return { kind: "accepted", providerMessageIds: [batch.parse(JSON.parse(body)).id] };
  }
  // With a wrong token the body is empty.
  const { data } = refusal.safeParse(readJson(body));
  if (!data) return outcomeOf(`http_${status}`, [faultOfStatus(status), `HTTP ${status}`]);
  const known = SEND_CODES[data.code];
  const detail = [known?.[1], data.text].filter(Boolean).join(": ") || `HTTP ${status}`;
  return outcomeOf(data.code, [known?.[0] ?? faultOfStatus(status), detail]);
}

function authenticate({ headers, body }: Callback, own: Own, at: Date): Authenticity {
  if (!own.webhookSecret) return { kind: "genuine", nonce: null };
  const signature = headers["x-sinch-webhook-signature"];
  const nonce = headers["x-sinch-webhook-signature-nonce"];
  const timestamp = headers["x-sinch-webhook-signature-timestamp"];
  if (!signature || !nonce || !timestamp) return { kind: "forged", detail: "no signature" };
  const algorithm = headers["x-sinch-webhook-signature-algorithm"] ?? ALGORITHM;
  if (algorithm !== ALGORITHM) return { kind: "forged", detail: "signed in another way than HmacSHA256" };
  const expected = createHmac("sha256", own.webhookSecret).update(body).update(`.${nonce}.${timestamp}`);
  if (!sameText(signature, expected.digest("base64"))) {
    return { kind: "forged", detail: "the signature does not match" };
  }
  const isFresh = Math.abs(at.getTime() - Number(timestamp) * 1_000) <= TOLERANCE_MS;
  return isFresh ? { kind: "genuine", nonce } : { kind: "stale", detail: "signed more than 5 minutes ago" };
}

const carrierCode = (code: string): string => `the carrier's code ${code}`;

function reportOf(
  { batch_id, client_reference, at }: z.output<typeof ofBatch>,
  told: z.output<typeof state>,
  ref: string | null,
): Report[] {
  const status = REPORTED[told.status];
  if (!status) return [];
  const isFailure = status === "failed" || status === "undelivered";
  const code = isFailure ? told.code || told.status : null;
  const detail = code === null ? null : (RECEIPT_CODES[code] ?? (told.code ? carrierCode(code) : code));
  const reference = client_reference || ref;
  return [{ providerMessageId: batch_id, reference, status, code, detail, occurredAt: at ?? null }];
}

function readCallback(callback: Callback): CallbackContent {
  const body = jsonOf(callback);
  const ref = referenceOf(callback);
  const { type } = z.object({ type: z.string() }).parse(body);
  if (type === "recipient_delivery_report_sms") {
    const report = ofRecipient.parse(body);
    return { reports: reportOf(report, report, ref), inbound: [] };
  }
  if (type === "delivery_report_sms") {
    const report = summary.parse(body);
    return { reports: report.statuses.flatMap((told) => reportOf(report, told, ref)), inbound: [] };
  }
  if (type === "mo_text") {
    const { id, from, to, body: text } = fromHandset.parse(body);
    return { reports: [], inbound: [{ providerMessageId: id, from, to, text }] };
  }
  return { reports: [], inbound: [] };
}

const batchesUrl = (own: Own): string => `${own.baseUrl}/xms/v1/${encodeURIComponent(own.servicePlanId)}/batches`;

const headersOf = (own: Own) => ({ authorization: `Bearer ${own.apiToken}`, accept: "application/json" });

/** Numbers go without `+`, also those of senders; names as they are. */
const senderOf = (from: string): string => (/^\+?\d+$/.test(from) ? digitsOf(from) : from);

export const sinch: HttpProvider<Own> = {
  id: "sinch",
  settings,
  maxInFlight: 32,
  buildRequest: ({ message, reference, receiptUrl }, own) => ({
    method: "POST",
    url: batchesUrl(own),
    headers: { ...headersOf(own), "content-type": "application/json" },
    body: JSON.stringify({
      type: "mt_text",
      to: [digitsOf(message.to)],
      from: senderOf(message.from),
      // The encoding is chosen by the text.
      body: message.body,
      // Left out, nothing is reported at all.
      delivery_report: "per_recipient",
      callback_url: receiptUrl,
      client_reference: reference,
    }),
  }),
  readResponse,
  // The list, its filter and its default of the last 24 hours are documented. How soon a new batch is in it is not, so
  // an empty list says nothing.
  buildLookUp: ({ reference }, own) => ({
    method: "GET",
    url: `${batchesUrl(own)}?${new URLSearchParams({ client_reference: reference })}`,
    headers: headersOf(own),
    body: null,
  }),
  readLookUp: ({ status, body }, { reference }) => {
    if (status !== 200) return null;
    const batches = listing.safeParse(readJson(body)).data?.batches ?? [];
    const found = batches.find((one) => one.client_reference === reference);
    return found ? { kind: "accepted", providerMessageIds: [found.id] } : null;
  },
  authenticate,
  readCallback,
};
