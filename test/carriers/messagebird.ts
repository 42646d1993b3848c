import { createHash, createHmac, randomBytes, randomUUID } from "node:crypto";
import type { CallbackRequest } from "./callback";
import type { Reported } from "./carrier";
import {
  type CarrierResponse,
  type FailureKind,
  type HttpCarrier,
  isHttpUrl,
  jsonOf,
  jsonResponse,
  type Refusal,
  type Sending,
  startHttpCarrier,
} from "./http-carrier";
import { countParts, encodingOf, forceGsm } from "./parts";

const NUMBER = /^\+?[1-9]\d{6,14}$/;
const SENDER = /^(\+?\d{3,15}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11})$/;
const TEXT_MAX = 1_377;
const TOKEN_LIFE_S = 60;

/** It has no status for a message that never left it: that counts as a failed delivery, too. */
const STATUS: Record<Reported, { status: string; statusReason: string; statusErrorCode: string }> = {
  sent: { status: "sent", statusReason: "", statusErrorCode: "0" },
  delivered: { status: "delivered", statusReason: "successfully delivered", statusErrorCode: "0" },
  failed: { status: "delivery_failed", statusReason: "opted out", statusErrorCode: "103" },
  undelivered: { status: "delivery_failed", statusReason: "unknown subscriber", statusErrorCode: "1" },
};

const error = (status: number, code: number, description: string, parameter: string | null = null): CarrierResponse =>
  jsonResponse(status, { errors: [{ code, description, parameter }] });

const FAILURES: Record<FailureKind, CarrierResponse> = {
  refuse: error(422, 9, "no (correct) recipients found", "recipient"),
  unavailable: error(500, 99, "Internal error"),
  throttle: { status: 429, headers: { "content-type": "text/plain" }, body: "Too Many Requests" },
  account: error(401, 2, "Request not allowed (incorrect access_key)", "access_key"),
};

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** MessageBird-Signature-JWT of a request, valid for a minute from `at` (UNIX seconds). */
export function signMessageBird(key: string, request: { url: string; body: string }, at: number, jti: string): string {
  const claims = {
    iss: "MessageBird",
    nbf: at,
    exp: at + TOKEN_LIFE_S,
    jti,
    url_hash: sha256(request.url),
    ...(request.body ? { payload_hash: sha256(request.body) } : {}),
  };
  const signed = `${base64url({ alg: "HS256", typ: "JWT" })}.${base64url(claims)}`;
  return `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`;
}

const asTime = (at: Date) => `${at.toISOString().slice(0, 19)}+00:00`;

/** MessageBird's classic SMS API. */
export function startMessageBird(): Promise<HttpCarrier> {
  const accessKey = randomBytes(12).toString("hex");
  const signingKey = randomBytes(16).toString("hex");

  const signed = (
    request: Omit<CallbackRequest, "headers">,
    type: string | null,
    sending: Sending,
  ): CallbackRequest => {
    const key = sending.forged ? `${signingKey}0` : signingKey;
    const jwt = signMessageBird(key, request, Math.floor(sending.at.getTime() / 1_000), randomUUID());
    return { ...request, headers: { "messagebird-signature-jwt": jwt, ...(type && { "content-type": type }) } };
  };
  const refused = (code: 9 | 10, description: string, parameter: string): Refusal => ({
    problem: `${parameter}: ${description}`,
    answer: error(422, code, description, parameter),
  });

  return startHttpCarrier({
    environment: (url) => ({
      MESSAGEBIRD_ACCESS_KEY: accessKey,
      MESSAGEBIRD_SIGNING_KEY: signingKey,
      MESSAGEBIRD_BASE_URL: url,
    }),
    recipient: (request) => {
      const recipients = jsonOf(request)?.recipients;
      return Array.isArray(recipients) ? String(recipients[0]) : null;
    },
    read: (request) => {
      if (request.method !== "POST" || request.path !== "/messages") {
        return { problem: "no such resource", answer: error(404, 20, "message not found") };
      }
      if (request.headers.authorization !== `AccessKey ${accessKey}`) {
        return { problem: "wrong access key", answer: FAILURES.account };
      }
      const json = jsonOf(request);
      if (!json) return { problem: "not JSON", answer: error(400, 21, "Bad request") };
      const { originator, recipients, body, datacoding = "plain", type = "sms", reference, reportUrl, validity } = json;
      const [recipient]: unknown[] = Array.isArray(recipients) && recipients.length === 1 ? recipients : [];
      const isRecipient = typeof recipient === "number" || typeof recipient === "string";
      if (!isRecipient || !NUMBER.test(String(recipient)))
        return refused(9, "no (correct) recipients found", "recipient");
      if (originator === undefined) return refused(9, "originator is required", "originator");
      if (!SENDER.test(String(originator))) return refused(10, "originator is invalid", "originator");
      if (typeof body !== "string" || body === "") return refused(9, "body is required", "body");
      if (body.length > TEXT_MAX) return refused(10, "body is too long", "body");
      if (datacoding !== "plain" && datacoding !== "unicode" && datacoding !== "auto") {
        return refused(10, "datacoding is invalid", "datacoding");
      }
      if (type !== "sms") return refused(10, "type is invalid", "type");
      if (reference !== undefined && typeof reference !== "string")
        return refused(10, "reference is invalid", "reference");
      if (reportUrl !== undefined && !isHttpUrl(reportUrl)) return refused(10, "reportUrl is invalid", "reportUrl");
      if (validity !== undefined && !(Number.isInteger(validity) && Number(validity) > 0)) {
        return refused(10, "validity is invalid", "validity");
      }
      const text = datacoding === "plain" ? forceGsm(body) : body;
      return {
        to: `+${String(recipient).replace("+", "")}`,
        from: String(originator),
        text,
        parts: countParts(text, datacoding === "unicode" ? "ucs2" : "auto"),
        ids: [randomBytes(16).toString("hex")],
        reference: reference ?? null,
        receiptUrl: reportUrl ?? null,
      };
    },
    accepted: ({ ids: [id], to, from, text, parts, reference, receiptUrl, takenAt }) =>
      jsonResponse(201, {
        id,
        href: `https://rest.messagebird.com/messages/${id}`,
        direction: "mt",
        type: "sms",
        originator: from,
        body: text,
        reference,
        reportUrl: receiptUrl,
        validity: null,
        gateway: 10,
        typeDetails: {},
        datacoding: encodingOf(text) === "gsm" ? "plain" : "unicode",
        mclass: 1,
        scheduledDatetime: null,
        createdDatetime: asTime(takenAt),
        recipients: {
          totalCount: 1,
          totalSentCount: 1,
          totalDeliveredCount: 0,
          totalDeliveryFailedCount: 0,
          items: [
            {
              recipient: Number(to.slice(1)),
              status: "sent",
              statusDatetime: asTime(takenAt),
              messagePartCount: parts,
            },
          ],
        },
      }),
    failure: (kind) => FAILURES[kind],
    receipt: ({ ids: [id = ""], to, reference, receiptUrl }, _part, status, sending) => {
      if (reference === null || receiptUrl === null) return null;
      const query = new URLSearchParams({
        id,
        reference,
        recipient: to.slice(1),
        ...STATUS[status],
        statusDatetime: asTime(sending.at),
      });
      const url = `${receiptUrl}${receiptUrl.includes("?") ? "&" : "?"}${query}`;
      return signed({ method: "GET", url, body: "" }, null, sending);
    },
    inbound: ({ from, to, text }, sending) => {
      const body = new URLSearchParams({
        id: randomBytes(16).toString("hex"),
        recipient: to.replace("+", ""),
        originator: from.replace("+", ""),
        body: text,
        createdDatetime: asTime(sending.at),
      }).toString();
      const url = sending.receiptUrl;
      return signed({ method: "POST", url, body }, "application/x-www-form-urlencoded", sending);
    },
  });
}
