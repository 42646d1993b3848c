import { generateKeyPairSync, type KeyObject, randomBytes, randomUUID, sign } from "node:crypto";
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
import { carrierKeywordOf, referenceIn } from "./notation";
import { countParts, encodingOf } from "./parts";

const NUMBER = /^\+[1-9]\d{6,14}$/;
const SENDER_NUMBER = /^(\+[1-9]\d{6,14}|\d{3,8})$/;
const SENDER_NAME = /^(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11}$/;
const PARTS_MAX = 10;
const RAW_KEY_BYTES = 32;
const ENCODING = { auto: "auto", gsm7: "gsm", ucs2: "ucs2" } as const;

const errorObject = (code: string, title: string, detail: string, pointer?: string) => ({
  code,
  title,
  detail,
  ...(pointer && { source: { pointer } }),
  meta: { url: `https://developers.telnyx.com/docs/overview/errors/${code}` },
});
const error = (status: number, ...about: Parameters<typeof errorObject>): CarrierResponse =>
  jsonResponse(status, { errors: [errorObject(...about)] });

const STATUS: Record<Reported, { status: string; errors: ReturnType<typeof errorObject>[] }> = {
  sent: { status: "sent", errors: [] },
  delivered: { status: "delivered", errors: [] },
  failed: { status: "sending_failed", errors: [errorObject("40012", "Invalid destination", "Not a mobile number.")] },
  undelivered: { status: "delivery_failed", errors: [errorObject("40008", "Undeliverable", "Not delivered.")] },
};

const FAILURES: Record<FailureKind, CarrierResponse> = {
  refuse: error(400, "40300", "Blocked due to STOP message", "The recipient has opted out of your messages."),
  unavailable: error(500, "10007", "Unexpected error", "An unexpected error occurred."),
  throttle: error(429, "10011", "Too many requests", "You have exceeded the maximum number of allowed requests."),
  account: error(401, "10009", "Authentication failed", "Could not find any usable credentials in the request."),
};

/** telnyx-signature-ed25519 over the body, sent at `timestamp` (UNIX seconds). */
export const signTelnyx = (key: KeyObject, timestamp: string, body: string): string =>
  sign(null, Buffer.from(`${timestamp}|${body}`), key).toString("base64");

/** Telnyx's Messaging API. Each start makes a new key pair. */
export function startTelnyx(): Promise<HttpCarrier> {
  const apiKey = `KEY${randomBytes(16).toString("hex").toUpperCase()}`;
  const profile = randomUUID();
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const forger = generateKeyPairSync("ed25519").privateKey;
  const rawPublicKey = publicKey.export({ format: "der", type: "spki" }).subarray(-RAW_KEY_BYTES);

  const callback = (url: string, event: string, payload: object, { at, forged }: Sending): CallbackRequest => {
    const timestamp = String(Math.floor(at.getTime() / 1_000));
    const occurred = { event_type: event, id: randomUUID(), occurred_at: at.toISOString(), record_type: "event" };
    const body = JSON.stringify({ data: { ...occurred, payload }, meta: { attempt: 1, delivered_to: url } });
    return {
      method: "POST",
      url,
      headers: {
        "content-type": "application/json",
        "telnyx-timestamp": timestamp,
        "telnyx-signature-ed25519": signTelnyx(forged ? forger : privateKey, timestamp, body),
      },
      body,
    };
  };
  const message = (from: string, to: string, status: string, text: string) => ({
    record_type: "message",
    type: "SMS",
    messaging_profile_id: profile,
    from: { phone_number: from, carrier: "TELNYX LLC", line_type: "VoIP" },
    to: [{ phone_number: to, status, carrier: "T-MOBILE USA, INC.", line_type: "Wireless" }],
    text,
    encoding: encodingOf(text) === "gsm" ? "GSM-7" : "UCS-2",
    tags: [],
  });
  const refused = (code: string, title: string, pointer?: string): Refusal => ({
    problem: pointer ? `${pointer}: ${title}` : title,
    answer: error(422, code, title, title, pointer),
  });

  return startHttpCarrier({
    environment: (url) => ({
      TELNYX_API_KEY: apiKey,
      TELNYX_PUBLIC_KEY: rawPublicKey.toString("base64"),
      TELNYX_BASE_URL: `${url}/v2`,
    }),
    recipient: (request) => String(jsonOf(request)?.to ?? ""),
    read: (request) => {
      if (request.method !== "POST" || request.path !== "/v2/messages") {
        const detail = "The requested resource or URL could not be found.";
        return { problem: "no such resource", answer: error(404, "10005", "Resource not found", detail) };
      }
      if (request.headers.authorization !== `Bearer ${apiKey}`) {
        return { problem: "wrong API key", answer: FAILURES.account };
      }
      const json = jsonOf(request);
      if (!json) return refused("10015", "Bad Request: not JSON");
      const { to, from, text, type = "SMS", encoding = "auto", webhook_url: receiptUrl = null } = json;
      if (typeof to !== "string" || !NUMBER.test(to)) return refused("40310", "Invalid 'to' address", "/to");
      if (typeof from !== "string") return refused("10004", "Missing required parameter", "/from");
      if (!SENDER_NUMBER.test(from) && !SENDER_NAME.test(from)) {
        return refused("40305", "Invalid 'from' address", "/from");
      }
      if (!SENDER_NUMBER.test(from) && !json.messaging_profile_id) {
        return refused("10004", "Missing required parameter", "/messaging_profile_id");
      }
      if (typeof text !== "string" || text === "") return refused("10004", "Missing required parameter", "/text");
      if (type !== "SMS") return refused("10015", "Bad Request", "/type");
      if (encoding !== "auto" && encoding !== "gsm7" && encoding !== "ucs2") {
        return refused("10015", "Bad Request", "/encoding");
      }
      if (encoding === "gsm7" && encodingOf(text) === "ucs2") return refused("40009", "Invalid message body", "/text");
      const parts = countParts(text, ENCODING[encoding]);
      if (receiptUrl !== null && !isHttpUrl(receiptUrl)) return refused("10015", "Bad Request", "/webhook_url");
      return { to, from, text, parts, ids: [randomUUID()], reference: referenceIn(receiptUrl), receiptUrl };
    },
    // Such a request is well-formed: its limit depends on the profile.
    respondToKnown: (request) => {
      const text = jsonOf(request)?.text;
      const parts = typeof text === "string" ? countParts(text) : 0;
      const detail = `The SMS message would be divided into ${parts} parts. The maximum is ${PARTS_MAX}.`;
      return parts > PARTS_MAX ? error(400, "40302", "Message too large", detail) : null;
    },
    accepted: ({ ids: [id], to, from, text, parts, receiptUrl, takenAt }) =>
      jsonResponse(200, {
        data: {
          ...message(from, to, "queued", text),
          direction: "outbound",
          id,
          parts,
          cost: null,
          received_at: takenAt.toISOString(),
          sent_at: null,
          completed_at: null,
          valid_until: new Date(takenAt.getTime() + 3_600_000).toISOString(),
          errors: [],
          webhook_url: receiptUrl,
        },
      }),
    failure: (kind) => FAILURES[kind],
    receipt: ({ ids: [id], to, from, text, parts, receiptUrl, takenAt }, _part, reported, sending) => {
      const { status, errors } = STATUS[reported];
      const payload = {
        ...message(from, to, status, text),
        direction: "outbound",
        id,
        parts,
        errors,
        cost: { amount: (parts * 0.004).toFixed(4), currency: "USD" },
        sent_at: takenAt.toISOString(),
        completed_at: reported === "sent" ? null : sending.at.toISOString(),
      };
      const event = reported === "sent" ? "message.sent" : "message.finalized";
      return callback(receiptUrl ?? sending.receiptUrl, event, payload, sending);
    },
    inbound: ({ from, to, text }, sending) => {
      const id = randomUUID();
      const received_at = sending.at.toISOString();
      const payload = {
        ...message(from, to, "webhook_delivered", text),
        direction: "inbound",
        id,
        received_at,
        autoresponse_type: carrierKeywordOf(text),
        errors: [],
      };
      return callback(sending.receiptUrl, "message.received", { ...payload, parts: countParts(text) }, sending);
    },
  });
}
