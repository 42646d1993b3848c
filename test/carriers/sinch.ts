/** The emulated SMS API of Sinch (XMS). */
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import type { CallbackRequest } from "./callback";
import type { Reported, TakenMessage } from "./carrier";
import {
  type CarrierRequest,
  type CarrierResponse,
  type FailureKind,
  type HttpCarrier,
  isHttpUrl,
  jsonOf,
  jsonResponse,
  type Refusal,
  type Sending,
  type Submission,
  startHttpCarrier,
} from "./http-carrier";
import {
  isNumber,
  isShortCodeOrName,
  isText,
  referenceIn,
  senderOf,
  toE164,
  unknownFields,
  withoutPlus,
} from "./notation";
import { countParts, encodingOf } from "./parts";

const PARAMETERS = [
  ...["to", "from", "type", "body", "parameters", "delivery_report", "send_at", "expire_at", "callback_url"],
  ...["client_reference", "feedback_enabled", "flash_message", "truncate_concat", "max_number_of_message_parts"],
  ...["from_ton", "from_npi"],
];
const REPORTS = ["none", "summary", "full", "per_recipient", "per_recipient_final"];
const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const STATUS = {
  sent: { code: 401, status: "Dispatched" },
  delivered: { code: 0, status: "Delivered" },
  undelivered: { code: 406, status: "Expired" },
  failed: { code: 408, status: "Rejected" },
} satisfies Record<Reported, { code: number; status: string }>;
const EMPTY = { headers: {}, body: "" };
const FAILURE: Record<FailureKind, CarrierResponse> = {
  refuse: jsonResponse(400, { code: "syntax_invalid_parameter_format", text: "The recipient cannot be used." }),
  unavailable: { status: 503, ...EMPTY },
  throttle: { status: 429, ...EMPTY },
  account: { status: 401, ...EMPTY },
};
const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

const ulid = (): string =>
  `01${Array.from(randomBytes(24), (byte) => CROCKFORD[byte % CROCKFORD.length] ?? "0").join("")}`;

/** The value of `x-sinch-webhook-signature`. `timestamp`: UNIX seconds. */
export const signSinchCallback = (secret: string, body: string, nonce: string, timestamp: string): string =>
  createHmac("sha256", secret).update(`${body}.${nonce}.${timestamp}`).digest("base64");

type Batch = { id: string; delivery_report: string; [field: string]: unknown };

/** The error in the fields of a batch: status, code and text; null: none. */
function faultOf(fields: Record<string, unknown>): [status: number, code: string, text: string] | null {
  const { to, from, body, type, delivery_report: report, callback_url: url, client_reference: reference } = fields;
  const unknown = unknownFields(fields, PARAMETERS);
  const format = (applies: boolean, text: string) =>
    applies && ([400, "syntax_invalid_parameter_format", text] as const);
  const constraint = (applies: boolean, text: string) =>
    applies && ([400, "syntax_constraint_violation", text] as const);
  const wantsReport = report !== undefined && report !== "none";
  const found =
    constraint(unknown.length > 0, `Unknown parameters: ${unknown}`) ||
    constraint(!Array.isArray(to) || to.length !== 1, "to: one recipient") ||
    format(!(Array.isArray(to) && isNumber(to[0], "either")), "to: not a number") ||
    format(from !== undefined && !isNumber(from, "either") && !isShortCodeOrName(from), "from: no sender") ||
    constraint(!isText(body, 1, 1_600), "body: 1 to 1600 characters") ||
    format(type !== undefined && type !== "mt_text", "type: mt_text") ||
    format(report !== undefined && !REPORTS.includes(String(report)), "delivery_report: no such value") ||
    format(fields.expire_at !== undefined && !DATE.test(String(fields.expire_at)), "expire_at: no date") ||
    format(url !== undefined && (!isHttpUrl(url) || url.length > 2_048), "callback_url: no URL") ||
    constraint(reference !== undefined && !isText(reference, 1, 128), "client_reference: 1 to 128 characters") ||
    (wantsReport && url === undefined && ([403, "missing_callback_url", "callback_url is missing"] as const));
  return found ? [...found] : null;
}

/** Starts the carrier. */
export function startSinch(): Promise<HttpCarrier> {
  const plan = randomUUID().replaceAll("-", "");
  const token = randomBytes(16).toString("hex");
  const secret = randomBytes(24).toString("base64");
  const path = `/xms/v1/${plan}/batches`;
  const batches = new Map<string, Batch>();

  const isAuthorized = (request: CarrierRequest) => request.headers.authorization === `Bearer ${token}`;
  const refuse = (problem: string, answer: CarrierResponse): Refusal => ({ answer, problem });

  function read(request: CarrierRequest): Submission | Refusal {
    if (!isAuthorized(request)) return refuse("the token is wrong", { status: 401, ...EMPTY });
    if (request.method !== "POST" || request.path !== path)
      return refuse("no such resource", { status: 404, ...EMPTY });
    const fields = jsonOf(request);
    if (!fields) return refuse("no JSON", jsonResponse(400, { code: "syntax_invalid_json", text: "Not JSON." }));
    const fault = faultOf(fields);
    if (fault) return refuse(fault[2], jsonResponse(fault[0], { code: fault[1], text: fault[2] }));
    const { to: recipients, from, body, callback_url: url, client_reference: reference, expire_at } = fields;
    const to = String(Array.isArray(recipients) ? recipients[0] : "");
    const now = new Date();
    const batch: Batch = {
      id: ulid(),
      to: [withoutPlus(to)],
      from: from === undefined ? undefined : withoutPlus(String(from)),
      canceled: false,
      body,
      type: "mt_text",
      created_at: now.toISOString(),
      modified_at: now.toISOString(),
      delivery_report: String(fields.delivery_report ?? "none"),
      expire_at: expire_at ?? new Date(now.getTime() + 259_200_000).toISOString(),
      callback_url: url,
      client_reference: reference,
      flash_message: false,
    };
    batches.set(batch.id, batch);
    const receiptUrl = typeof url === "string" ? url : null;
    return {
      to: toE164(to),
      from: senderOf(String(from ?? "")),
      text: String(body),
      parts: countParts(String(body)),
      ids: [batch.id],
      reference: typeof reference === "string" ? reference : referenceIn(receiptUrl),
      receiptUrl,
    };
  }

  function respondToKnown(request: CarrierRequest, taken: readonly TakenMessage[]): CarrierResponse | null {
    const url = new URL(request.path, "http://sinch");
    if (request.method !== "GET" || url.pathname !== path || !isAuthorized(request)) return null;
    const reference = url.searchParams.get("client_reference");
    const found = taken
      .flatMap((message) => batches.get(message.ids[0] ?? "") ?? [])
      .filter((batch) => reference === null || batch.client_reference === reference);
    return jsonResponse(200, { count: found.length, page: 0, page_size: found.length, batches: found });
  }

  function signed(url: string, value: unknown, { at, forged }: Sending): CallbackRequest {
    const body = JSON.stringify(value);
    const nonce = ulid();
    const timestamp = String(Math.floor(at.getTime() / 1_000));
    const headers = {
      "content-type": "application/json",
      "x-sinch-webhook-signature": signSinchCallback(forged ? `${secret}0` : secret, body, nonce, timestamp),
      "x-sinch-webhook-signature-algorithm": "HmacSHA256",
      "x-sinch-webhook-signature-nonce": nonce,
      "x-sinch-webhook-signature-timestamp": timestamp,
    };
    return { method: "POST", url, headers, body };
  }

  function receipt(message: TakenMessage, part: number, status: Reported, sending: Sending): CallbackRequest | null {
    const batch = batches.get(message.ids[part] ?? "");
    const mode = batch?.delivery_report;
    if (!batch || mode === "none" || (status === "sent" && mode !== "per_recipient")) return null;
    const recipient = withoutPlus(message.to);
    const about = { batch_id: batch.id, client_reference: batch.client_reference };
    const statuses = [{ ...STATUS[status], count: 1, recipients: mode === "full" ? [recipient] : undefined }];
    const single = {
      type: "recipient_delivery_report_sms",
      ...about,
      recipient,
      ...STATUS[status],
      at: sending.at.toISOString(),
      operator_status_at: sending.at.toISOString(),
      encoding: encodingOf(message.text) === "gsm" ? "GSM" : "UNICODE",
      number_of_message_parts: message.parts,
    };
    const ofBatch = { type: "delivery_report_sms", ...about, statuses, total_message_count: 1 };
    const body = mode?.startsWith("per_recipient") ? single : ofBatch;
    return signed(message.receiptUrl ?? sending.receiptUrl, body, sending);
  }

  return startHttpCarrier({
    environment: (url) => ({
      SINCH_SERVICE_PLAN_ID: plan,
      SINCH_API_TOKEN: token,
      SINCH_WEBHOOK_SECRET: secret,
      SINCH_BASE_URL: url,
    }),
    recipient: (request) => {
      const to = jsonOf(request)?.to;
      return Array.isArray(to) ? String(to[0]) : null;
    },
    read,
    respondToKnown,
    accepted: (message) => jsonResponse(201, batches.get(message.ids[0] ?? "")),
    failure: (kind) => FAILURE[kind],
    receipt,
    inbound: ({ from, to, text }, sending) => {
      const ends = { from: withoutPlus(from), to: withoutPlus(to) };
      const value = { type: "mo_text", id: ulid(), ...ends, body: text, received_at: sending.at.toISOString() };
      return signed(sending.receiptUrl, value, sending);
    },
  });
}
