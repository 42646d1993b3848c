/** The emulated SMS API of Africa's Talking. */
import { randomBytes } from "node:crypto";
import type { CallbackRequest } from "./callback";
import type { Reported, TakenMessage } from "./carrier";
import {
  type CarrierRequest,
  type CarrierResponse,
  type FailureKind,
  formOf,
  type HttpCarrier,
  jsonResponse,
  type Refusal,
  type Sending,
  type Submission,
  startHttpCarrier,
} from "./http-carrier";
import { isNumber, isShortCodeOrName, senderOf, withAnotherSecret } from "./notation";
import { countParts } from "./parts";

const PATH = "/version1/messaging";
const FIELDS = ["username", "to", "message", "from", "bulkSMSMode", "enqueue"];
const FAILURE: Record<Exclude<FailureKind, "throttle">, [statusCode: number, status: string]> = {
  refuse: [403, "InvalidPhoneNumber"],
  account: [405, "InsufficientBalance"],
  unavailable: [500, "InternalServerError"],
};
const REPORT: Record<Reported, { status: string; failureReason?: string }> = {
  sent: { status: "Sent" },
  delivered: { status: "Success" },
  undelivered: { status: "Failed", failureReason: "DeliveryFailure" },
  failed: { status: "Rejected", failureReason: "DoNotDisturbRejection" },
};
const COST_PER_PART = 0.8;
const NETWORK = "63902";

const hexId = (): string => `ATXid_${randomBytes(16).toString("hex")}`;
const plain = (status: number, body: string): CarrierResponse => ({
  status,
  headers: { "content-type": "text/plain" },
  body,
});

/** The response with one recipient, whether it was taken or not. */
const recipientResponse = (message: string, recipient: object): CarrierResponse =>
  jsonResponse(201, { SMSMessageData: { Message: message, Recipients: [recipient] } });

const notSent = (number: string, statusCode: number, status: string): CarrierResponse =>
  recipientResponse("Sent to 0/1 Total Cost: 0", { statusCode, number, status, cost: "0", messageId: "None" });

/** Starts the carrier. Its receipt URL is configured in its console. */
export function startAfricastalking(): Promise<HttpCarrier> {
  const username = "loopback";
  const key = `atsk_${randomBytes(32).toString("hex")}`;
  const refuse = (problem: string, answer: CarrierResponse): Refusal => ({ answer, problem });

  function read(request: CarrierRequest): Submission | Refusal {
    const form = formOf(request);
    if (request.method !== "POST" || request.path !== PATH) return refuse("no such resource", plain(404, "Not Found"));
    if (request.headers.apikey !== key || (form && form.get("username") !== username)) {
      return refuse("credentials are wrong", plain(401, "The supplied authentication is invalid"));
    }
    if (!form) return refuse("no form", plain(415, "The content type is not supported."));
    if (!String(request.headers.accept).startsWith("application/json")) {
      const xml = { "content-type": "application/xml" };
      return refuse("asks for XML", { status: 201, headers: xml, body: "<AfricasTalkingResponse/>" });
    }
    const [to, from, text] = [form.get("to") ?? "", form.get("from"), form.get("message") ?? ""];
    const faults: [boolean, string][] = [
      [[...form.keys()].some((name) => !FIELDS.includes(name)), `unknown fields among ${[...form.keys()]}`],
      [text === "", "message is missing"],
      [(form.get("bulkSMSMode") ?? "1") !== "1", "bulkSMSMode is not 1"],
      [(form.get("enqueue") ?? "1") !== "1", "enqueue is not 1"],
    ];
    const fault = faults.find(([applies]) => applies)?.[1];
    if (fault) return refuse(fault, plain(400, `Bad request: ${fault}`));
    if (!isNumber(to, "with")) return refuse(`to is ${to}`, notSent(to, 403, "InvalidPhoneNumber"));
    if (from !== null && !isNumber(from, "either") && !isShortCodeOrName(from)) {
      const answer = jsonResponse(201, { SMSMessageData: { Message: "InvalidSenderId", Recipients: [] } });
      return refuse(`from is ${from}`, answer);
    }
    const ids = [hexId()];
    return { to, from: senderOf(from ?? ""), text, parts: countParts(text), ids, reference: null, receiptUrl: null };
  }

  const post = (url: string, fields: Record<string, string>, { forged }: Sending): CallbackRequest => ({
    method: "POST",
    url: forged ? withAnotherSecret(url) : url,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(fields).toString(),
  });

  return startHttpCarrier({
    environment: (url) => ({
      AFRICASTALKING_USERNAME: username,
      AFRICASTALKING_API_KEY: key,
      AFRICASTALKING_BASE_URL: url,
    }),
    recipient: (request) => formOf(request)?.get("to") ?? null,
    read,
    accepted: ({ to, ids: [messageId], parts }: TakenMessage) => {
      const cost = `KES ${(COST_PER_PART * parts).toFixed(4)}`;
      const recipient = { statusCode: 101, number: to, status: "Success", cost, messageId, messageParts: parts };
      return recipientResponse(`Sent to 1/1 Total Cost: ${cost}`, recipient);
    },
    failure: (kind, { to }) => (kind === "throttle" ? plain(429, "Too Many Requests") : notSent(to, ...FAILURE[kind])),
    receipt: (message, part, status, sending) => {
      const about = { id: message.ids[part] ?? "", phoneNumber: message.to, networkCode: NETWORK, retryCount: "0" };
      return post(sending.receiptUrl, { ...about, ...REPORT[status] }, sending);
    },
    inbound: ({ from, to, text }, sending) => {
      // A name cannot receive replies. People opt out of it elsewhere, and the callback about that has no text.
      if (/[A-Za-z]/.test(to)) return post(sending.receiptUrl, { senderId: to, phoneNumber: from }, sending);
      const date = sending.at.toISOString().slice(0, 19).replace("T", " ");
      return post(
        sending.receiptUrl,
        { date, from, id: hexId(), linkId: hexId(), text, to, networkCode: NETWORK },
        sending,
      );
    },
  });
}
