/** The emulated SMS API of Infobip (version 3). */
import { randomBytes, randomInt } from "node:crypto";
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
  withAnotherSecret,
  withoutPlus,
} from "./notation";
import { countParts } from "./parts";

type Status = { groupId: number; groupName: string; id: number; name: string; description: string };

const status = (groupId: number, groupName: string, id: number, name: string): Status => ({
  groupId,
  groupName,
  id,
  name,
  description: name.toLowerCase().replaceAll("_", " "),
});
const error = (groupId: number, groupName: string, id: number, name: string, permanent: boolean) => ({
  groupId,
  groupName,
  id,
  name,
  permanent,
  description: name.toLowerCase().replaceAll("_", " "),
});

const PENDING = status(1, "PENDING", 26, "PENDING_ACCEPTED");
const DUPLICATE = status(5, "REJECTED", 23, "DUPLICATE_MESSAGE_ID");
const NO_ERROR = error(0, "OK", 0, "NO_ERROR", false);
const REJECTION: Record<Exclude<FailureKind, "throttle">, Status> = {
  refuse: status(5, "REJECTED", 14, "REJECTED_DESTINATION_BLOCKLISTED"),
  account: status(5, "REJECTED", 12, "REJECTED_NOT_ENOUGH_CREDITS"),
  unavailable: status(5, "REJECTED", 21, "REJECTED_SYSTEM_ERROR"),
};
const REPORT: Record<Reported, { status: Status; error: ReturnType<typeof error> }> = {
  sent: { status: status(3, "DELIVERED", 2, "DELIVERED_TO_OPERATOR"), error: NO_ERROR },
  delivered: { status: status(3, "DELIVERED", 5, "DELIVERED_TO_HANDSET"), error: NO_ERROR },
  undelivered: {
    status: status(2, "UNDELIVERABLE", 9, "UNDELIVERABLE_NOT_DELIVERED"),
    error: error(1, "HANDSET", 27, "EC_ABSENT_SUBSCRIBER", false),
  },
  failed: {
    status: status(5, "REJECTED", 52, "REJECTED_DESTINATION"),
    error: error(1, "HANDSET", 351, "EC_INVALID_DESTINATION", true),
  },
};
const SEND_PATH = "/sms/3/messages";
const LOGS_PATH = "/sms/3/logs";
const PRICE = { pricePerMessage: 0.01, currency: "EUR" };

const digitId = (): string => Array.from({ length: 19 }, (_, at) => (at === 0 ? 2 : randomInt(10))).join("");
const timeOf = (at: Date): string => at.toISOString().replace("Z", "+0000");

/** A failure before any message was looked at. */
const serviceException = (httpStatus: number, messageId: string, text: string): CarrierResponse =>
  jsonResponse(httpStatus, { requestError: { serviceException: { messageId, text } } });

const objectIn = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
const onlyOf = (value: unknown): Record<string, unknown> | null =>
  Array.isArray(value) && value.length === 1 ? objectIn(value[0]) : null;

type SubmittedMessage = { message: Record<string, unknown>; destination: Record<string, unknown> };

/** The one message to the one destination of a request; null when there are others. */
function submittedIn(request: CarrierRequest): SubmittedMessage | null {
  const message = onlyOf(jsonOf(request)?.messages);
  const destination = message && onlyOf(message.destinations);
  return message && destination ? { message, destination } : null;
}

function violationsOf({ message, destination }: SubmittedMessage): string[] {
  const content = objectIn(message.content);
  const webhooks = objectIn(message.webhooks);
  const delivery = objectIn(webhooks.delivery);
  const { messageId } = destination;
  const violations: [boolean, string][] = [
    [!isNumber(destination.to, "either"), "destinations[].to"],
    [messageId !== undefined && !isText(messageId, 1, 200), "destinations[].messageId"],
    [!isNumber(message.sender, "without") && !isShortCodeOrName(message.sender), "sender"],
    [!isText(content.text, 1, 4_000), "content.text"],
    [delivery.url !== undefined && !isHttpUrl(delivery.url), "webhooks.delivery.url"],
    [!["boolean", "undefined"].includes(typeof delivery.intermediateReport), "webhooks.delivery.intermediateReport"],
    [![undefined, "application/json"].includes(webhooks.contentType as string | undefined), "webhooks.contentType"],
    [webhooks.callbackData !== undefined && !isText(webhooks.callbackData, 1, 4_000), "webhooks.callbackData"],
  ];
  return [
    ...violations.filter(([applies]) => applies).map(([, property]) => property),
    ...unknownFields(message, ["sender", "destinations", "content", "options", "webhooks"]),
    ...unknownFields(destination, ["to", "messageId", "networkId"]),
    ...unknownFields(content, ["text", "transliteration", "language"]),
    ...unknownFields(webhooks, ["delivery", "contentType", "callbackData"]),
    ...unknownFields(delivery, ["url", "intermediateReport", "notify"]),
  ];
}

/** Starts the carrier. */
export function startInfobip(): Promise<HttpCarrier> {
  const key = `${randomBytes(16).toString("hex")}-${randomBytes(4).toString("hex")}`;
  /** Requests and outcomes by message id. */
  const asked = new Map<string, { bulkId: string; submitted: SubmittedMessage; state: Status }>();

  const isAuthorized = (request: CarrierRequest) => request.headers.authorization === `App ${key}`;
  const refuse = (problem: string, answer: CarrierResponse): Refusal => ({ answer, problem });

  function read(request: CarrierRequest): Submission | Refusal {
    if (!isAuthorized(request)) {
      return refuse("the key is wrong", serviceException(401, "UNAUTHORIZED", "Invalid login details"));
    }
    if (request.method !== "POST" || request.path !== SEND_PATH) {
      return refuse("no such resource", serviceException(404, "NOT_FOUND", "Requested URL not found"));
    }
    const submitted = submittedIn(request);
    const properties = submitted ? violationsOf(submitted) : ["messages"];
    if (!submitted || properties.length > 0) {
      const violations = properties.map((property) => ({ property, violation: "is not valid" }));
      const description = "Request cannot be processed due to malformed syntax.";
      return refuse(
        `violations: ${properties}`,
        jsonResponse(400, { errorCode: "E400", description, action: "Check the request.", violations, resources: [] }),
      );
    }
    const { message, destination } = submitted;
    const { delivery, callbackData } = objectIn(message.webhooks);
    const receiptUrl = objectIn(delivery).url;
    const text = String(objectIn(message.content).text);
    const id = String(destination.messageId ?? digitId());
    asked.set(id, { bulkId: digitId(), submitted, state: PENDING });
    return {
      to: toE164(String(destination.to)),
      from: senderOf(String(message.sender)),
      text,
      parts: countParts(text),
      ids: [id],
      reference: typeof callbackData === "string" ? callbackData : referenceIn(receiptUrl ? String(receiptUrl) : null),
      receiptUrl: isHttpUrl(receiptUrl) ? receiptUrl : null,
    };
  }

  function respondWith(id: string, to: string, parts: number, state: Status): CarrierResponse {
    const { bulkId = "", submitted } = asked.get(id) ?? {};
    const wantsCount = objectIn(submitted?.message.options).includeSmsCountInResponse === true;
    const details = wantsCount ? { messageCount: parts } : undefined;
    const messages = [{ messageId: id, status: state, destination: withoutPlus(to), details }];
    return jsonResponse(200, { bulkId, messages });
  }

  /** Look-ups, and ids that it already has: a message id can be used only once. */
  function respondToKnown(request: CarrierRequest, taken: readonly TakenMessage[]): CarrierResponse | null {
    if (!isAuthorized(request)) return null;
    const { pathname, searchParams } = new URL(request.path, "http://infobip");
    if (request.method === "GET" && pathname === LOGS_PATH) {
      const wanted = searchParams.getAll("messageId");
      const found = taken.filter(({ ids: [id = ""] }) => wanted.length === 0 || wanted.includes(id));
      return jsonResponse(200, { results: found.map(logOf) });
    }
    const id = request.path === SEND_PATH ? submittedIn(request)?.destination.messageId : undefined;
    const known = taken.find((message) => id !== undefined && message.ids[0] === id);
    return known ? respondWith(String(id), known.to, known.parts, DUPLICATE) : null;
  }

  function logOf(message: TakenMessage) {
    const [id = ""] = message.ids;
    const { bulkId = "", submitted, state = PENDING } = asked.get(id) ?? {};
    const times = { sentAt: timeOf(message.takenAt), doneAt: timeOf(message.takenAt) };
    const ends = { sender: submitted?.message.sender, destination: withoutPlus(message.to) };
    const { error: reason = NO_ERROR } = Object.values(REPORT).find((report) => report.status === state) ?? {};
    const content = { text: message.text };
    return {
      ...ends,
      bulkId,
      messageId: id,
      ...times,
      messageCount: message.parts,
      price: PRICE,
      status: state,
      error: reason,
      content,
    };
  }

  const post = (url: string, value: unknown, { forged }: Sending): CallbackRequest => ({
    method: "POST",
    url: forged ? withAnotherSecret(url) : url,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(value),
  });

  function receipt(message: TakenMessage, part: number, reported: Reported, sending: Sending): CallbackRequest | null {
    const id = message.ids[part] ?? "";
    const known = asked.get(id);
    const { delivery, callbackData } = objectIn(known?.submitted.message.webhooks);
    if (reported === "sent" && objectIn(delivery).intermediateReport !== true) return null;
    if (known) known.state = REPORT[reported].status;
    const { sender, destination, content: _, ...log } = logOf(message);
    const result = { ...log, to: destination, sender, doneAt: timeOf(sending.at), callbackData, ...REPORT[reported] };
    return post(message.receiptUrl ?? sending.receiptUrl, { results: [result] }, sending);
  }

  return startHttpCarrier({
    environment: (url) => ({ INFOBIP_API_KEY: key, INFOBIP_BASE_URL: url }),
    recipient: (request) => String(submittedIn(request)?.destination.to ?? ""),
    read,
    respondToKnown,
    accepted: ({ ids: [id = ""], to, parts }) => respondWith(id, to, parts, PENDING),
    failure: (kind, { ids: [id = ""], to, parts }) =>
      kind === "throttle"
        ? serviceException(429, "TOO_MANY_REQUESTS", "Too many requests")
        : respondWith(id, to, parts, REJECTION[kind]),
    receipt,
    inbound: ({ from, to, text }, sending) => {
      const ends = { from: withoutPlus(from), to: withoutPlus(to) };
      const content = { text, cleanText: text, keyword: "", smsCount: countParts(text) };
      const result = { messageId: digitId(), ...ends, ...content, receivedAt: timeOf(sending.at), price: PRICE };
      return post(sending.receiptUrl, { results: [result], messageCount: 1, pendingMessageCount: 0 }, sending);
    },
  });
}
