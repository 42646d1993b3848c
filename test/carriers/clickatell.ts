/** The emulated One API of Clickatell, its SMS channel. */
import { randomBytes } from "node:crypto";
import type { CallbackRequest } from "./callback";
import type { Reported } from "./carrier";
import {
  type CarrierRequest,
  type CarrierResponse,
  type FailureKind,
  type HttpCarrier,
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
  senderOf,
  toE164,
  unknownFields,
  withAnotherSecret,
  withoutPlus,
} from "./notation";
import { countParts } from "./parts";

const PATH = "/v1/message";
const INTEGRATION = { integrationName: "loopback", integrationId: "8a7b2c4f6d1e4f0a9b3c5d7e9f1a2b3c" };
const REPORT = {
  sent: { statusCode: 4, status: "SENT_TO_SUPPLIER" },
  delivered: { statusCode: 5, status: "DEVICE_ACK" },
  undelivered: { statusCode: 23, status: "DELIVERY_FAILURE" },
  failed: { statusCode: 100, status: "ROUTING_ERROR" },
} satisfies Record<Reported, { statusCode: number; status: string }>;

const requestError = (httpStatus: number, code: number, description: string): CarrierResponse =>
  jsonResponse(httpStatus, { messages: [], error: { code, description } });

const messageError = (httpStatus: number, to: string, code: number, description: string): CarrierResponse =>
  jsonResponse(httpStatus, {
    messages: [{ apiMessageId: "", accepted: false, to, error: { code, description } }],
    error: null,
  });

const FAILURE: Record<FailureKind, (to: string) => CarrierResponse> = {
  refuse: (to) => messageError(400, to, 26, "The recipient has opted out."),
  unavailable: (to) => messageError(207, to, 18, "Internal error."),
  throttle: () => requestError(429, 43, "The rate limit is exceeded."),
  account: () => requestError(401, 1, "The API key is invalid or missing."),
};

/** The one message of a request; null when there are none or more. */
function messageIn(request: CarrierRequest): Record<string, unknown> | null {
  const messages = jsonOf(request)?.messages;
  const [message] = Array.isArray(messages) && messages.length === 1 ? messages : [];
  return typeof message === "object" && message !== null ? { ...message } : null;
}

/** Starts the carrier. Its receipt URL is configured in its console. */
export function startClickatell(): Promise<HttpCarrier> {
  const key = randomBytes(24).toString("base64");
  const refuse = (problem: string, answer: CarrierResponse): Refusal => ({ answer, problem });
  const refuseField = (problem: string): Refusal => refuse(problem, requestError(400, 23, problem));

  function read(request: CarrierRequest): Submission | Refusal {
    if (request.headers.authorization !== key) return refuse("the key is wrong", FAILURE.account(""));
    if (request.method !== "POST" || request.path !== PATH) return refuse("no such resource", jsonResponse(404, {}));
    const message = messageIn(request);
    if (!message) return refuse("not one message as JSON", requestError(400, 21, "The payload is malformed."));
    const { channel, to, content, from, clientMessageId: reference } = message;
    const unknown = unknownFields(message, ["channel", "to", "content", "from", "clientMessageId"]);
    if (unknown.length > 0) return refuseField(`unknown fields: ${unknown}`);
    if (channel !== "sms") return refuseField("channel is not sms");
    if (!isNumber(to, "without")) {
      return refuse(`to is ${to}`, messageError(400, String(to), 25, "The recipient is invalid."));
    }
    if (typeof content !== "string" || content === "") return refuseField("content is missing");
    if (from !== undefined && !isNumber(from, "without") && !isShortCodeOrName(from)) return refuseField("from");
    if (reference !== undefined && !isText(reference, 1, 128)) return refuseField("clientMessageId");
    return {
      to: toE164(to),
      from: senderOf(from ?? ""),
      text: content,
      parts: countParts(content),
      ids: [randomBytes(16).toString("hex")],
      reference: reference ?? null,
      receiptUrl: null,
    };
  }

  /** Posts an event with one item, as all are. */
  const post = (kind: string, item: Record<string, unknown>, { receiptUrl, forged, at }: Sending): CallbackRequest => ({
    method: "POST",
    url: forged ? withAnotherSecret(receiptUrl) : receiptUrl,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...INTEGRATION, event: { [kind]: [{ channel: "sms", ...item, timestamp: at.getTime() }] } }),
  });

  return startHttpCarrier({
    environment: (url) => ({ CLICKATELL_API_KEY: key, CLICKATELL_BASE_URL: url }),
    recipient: (request) => String(messageIn(request)?.to ?? ""),
    read,
    accepted: ({ to, ids: [apiMessageId] }) => {
      const message = { apiMessageId, accepted: true, to: withoutPlus(to), error: null };
      return jsonResponse(202, { messages: [message], error: null });
    },
    failure: (kind, { to }) => FAILURE[kind](withoutPlus(to)),
    receipt: ({ ids, reference }, part, status, sending) =>
      post("messageStatusUpdate", { messageId: ids[part], clientMessageId: reference, ...REPORT[status] }, sending),
    inbound: ({ from, to, text }, sending) => {
      const related = { relatedMessageId: null, relatedClientMessageId: null };
      const ends = { from: withoutPlus(from), to: withoutPlus(to) };
      const messageId = randomBytes(16).toString("hex");
      return post("moText", { messageId, ...related, ...ends, content: text, charset: "UTF-8" }, sending);
    },
  });
}
