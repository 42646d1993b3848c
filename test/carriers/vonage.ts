import { createHash, createHmac, randomBytes, randomUUID } from "node:crypto";
import type { CallbackRequest } from "./callback";
import type { Reported, TakenMessage } from "./carrier";
import {
  basicAuth,
  type CarrierRequest,
  type CarrierResponse,
  type FailureKind,
  formOf,
  type HttpCarrier,
  isHttpUrl,
  jsonOf,
  jsonResponse,
  type Refusal,
  type Sending,
  startHttpCarrier,
} from "./http-carrier";
import { referenceIn } from "./notation";
import { countParts, encodingOf, forceGsm } from "./parts";

const NUMBER = /^[1-9]\d{6,14}$/;
const SENDER = /^(\d{3,15}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11})$/;
const REFERENCE_MAX = 40;
const [TTL_MIN_MS, TTL_MAX_MS] = [20_000, 604_800_000];
const CREDENTIALS = ["api_key", "api_secret"];

const STATUS: Record<Reported, { status: string; "err-code": string }> = {
  sent: { status: "accepted", "err-code": "0" },
  delivered: { status: "delivered", "err-code": "0" },
  failed: { status: "rejected", "err-code": "10" },
  undelivered: { status: "failed", "err-code": "12" },
};

const FAILURES: Record<FailureKind, readonly [status: string, text: string]> = {
  refuse: ["7", "The number you are trying to submit to is blacklisted for messages"],
  unavailable: ["5", "Internal Error"],
  throttle: ["1", "Throughput Rate Exceeded - please wait [ 250 ] and retry"],
  account: ["4", "Bad Credentials"],
};

/** Every response has HTTP 200; a failure is in the status of the one entry. */
const failed = (status: string, text: string, to?: string): CarrierResponse =>
  jsonResponse(200, { "message-count": "1", messages: [{ to, status, "error-text": text }] });

const parts = (messages: object[]): CarrierResponse =>
  jsonResponse(200, { "message-count": String(messages.length), messages });

const takenParts = ({ ids, to, reference }: TakenMessage): object[] =>
  ids.map((id) => ({
    to: to.slice(1),
    "message-id": id,
    status: "0",
    "remaining-balance": "3.14159265",
    "message-price": "0.03330000",
    network: "12345",
    "client-ref": reference ?? undefined,
  }));

export type SignatureMethod = "md5hash" | "md5" | "sha1" | "sha256" | "sha512";

/** `sig` over all other fields, in lower-case hex. */
export function signVonage(secret: string, method: SignatureMethod, fields: Record<string, string>): string {
  const names = Object.keys(fields).filter((name) => name !== "sig");
  const signed = names.sort().map((name) => `&${name}=${fields[name]?.replace(/[&=]/g, "_")}`);
  return method === "md5hash"
    ? createHash("md5")
        .update(signed.join("") + secret)
        .digest("hex")
    : createHmac(method, secret).update(signed.join("")).digest("hex");
}

/** The fields of a form or of a JSON object, as text; null when it is neither. */
function fieldsOf(request: CarrierRequest): Record<string, string> | null {
  const form = formOf(request);
  if (form) return Object.fromEntries(form);
  const json = jsonOf(request);
  return json && Object.fromEntries(Object.entries(json).map(([name, value]) => [name, String(value)]));
}

const asTime = (at: Date) => at.toISOString().slice(0, 19).replace("T", " ");

/** Vonage's SMS API, for an account whose callbacks are signed with HMAC-SHA256 and sent as forms. */
export function startVonage(): Promise<HttpCarrier> {
  const key = randomBytes(4).toString("hex");
  const secret = randomBytes(8).toString("hex");
  const signatureSecret = randomBytes(25).toString("hex");

  const refused = (status: string, problem: string): Refusal => ({ problem, answer: failed(status, problem) });
  const checkCredentials = (fields: Record<string, string>, authorization = ""): Refusal | null => {
    if (authorization) return authorization === basicAuth(key, secret) ? null : refused(...FAILURES.account);
    const missing = CREDENTIALS.find((name) => !fields[name] && !(name === "api_secret" && fields.sig));
    if (missing) return refused("2", `Missing ${missing}`);
    if (fields.sig && fields.api_secret) return refused("32", "Signature And API Secret Disallowed");
    if (fields.sig?.toLowerCase() === signVonage(signatureSecret, "sha256", fields)) return null;
    if (fields.sig) return refused("14", "Invalid Signature");
    return fields.api_key === key && fields.api_secret === secret ? null : refused(...FAILURES.account);
  };
  const callback = (url: string, fields: Record<string, string>, { at, forged }: Sending): CallbackRequest => {
    const timestamp = String(Math.floor(at.getTime() / 1_000));
    const signed: Record<string, string> = { ...fields, timestamp, nonce: randomUUID() };
    const sig = signVonage(forged ? `${signatureSecret}0` : signatureSecret, "sha256", signed);
    const headers = { "content-type": "application/x-www-form-urlencoded; charset=UTF-8" };
    return { method: "POST", url, headers, body: new URLSearchParams({ ...signed, sig }).toString() };
  };

  return startHttpCarrier({
    environment: (url) => ({
      VONAGE_API_KEY: key,
      VONAGE_API_SECRET: secret,
      VONAGE_SIGNATURE_SECRET: signatureSecret,
      VONAGE_SIGNATURE_METHOD: "sha256",
      VONAGE_BASE_URL: url,
    }),
    recipient: (request) => fieldsOf(request)?.to ?? null,
    read: (request) => {
      if (request.method !== "POST" || request.path !== "/sms/json") {
        const answer = { status: 404, headers: { "content-type": "text/html" }, body: "<html>Not Found</html>" };
        return { problem: "no such resource", answer };
      }
      const fields = fieldsOf(request);
      if (!fields) return refused("2", "Missing api_key: neither a form nor a JSON object");
      const credentials = checkCredentials(fields, request.headers.authorization);
      if (credentials) return credentials;
      const { to, from, text, type = "text", callback: receiptUrl = null, ttl, "client-ref": reference } = fields;
      if (!to) return refused("2", "Missing to param");
      if (!NUMBER.test(to)) return refused("3", `Invalid to param: ${to}`);
      if (!from) return refused("2", "Missing from param");
      if (!SENDER.test(from)) return refused("15", `Illegal Sender Address - rejected: ${from}`);
      if (!text) return refused("2", "Missing text param");
      if (type !== "text" && type !== "unicode") return refused("3", `Invalid type param: ${type}`);
      const lifetime = Number(ttl ?? TTL_MAX_MS);
      if (!Number.isInteger(lifetime) || lifetime < TTL_MIN_MS || lifetime > TTL_MAX_MS) {
        return refused("3", `Invalid ttl param: ${ttl}`);
      }
      if (reference && reference.length > REFERENCE_MAX) return refused("3", "Invalid client-ref param: too long");
      if (receiptUrl !== null && !isHttpUrl(receiptUrl)) return refused("23", "Invalid Callback Url");
      const arriving = type === "unicode" ? text : forceGsm(text);
      const parts = countParts(arriving, type === "unicode" ? "ucs2" : "gsm");
      const ids = Array.from({ length: parts }, () => randomBytes(8).toString("hex").toUpperCase());
      const carried = reference ?? referenceIn(receiptUrl);
      return { to: `+${to}`, from, text: arriving, parts, ids, reference: carried, receiptUrl };
    },
    accepted: (message) => parts(takenParts(message)),
    partly: (message) => {
      const failedPart = { to: message.to.slice(1), status: "9", "error-text": "Partner quota violation" };
      return parts([...takenParts(message), failedPart]);
    },
    failure: (kind, { to }) => failed(...FAILURES[kind], to.slice(1)),
    receipt: (message, part, status, sending) =>
      callback(
        message.receiptUrl ?? sending.receiptUrl,
        {
          msisdn: message.to.slice(1),
          to: message.from,
          "network-code": "12345",
          messageId: message.ids[part] ?? "",
          price: "0.03330000",
          ...STATUS[status],
          scts: sending.at.toISOString().replace(/\D/g, "").slice(2, 12),
          "api-key": key,
          ...(message.reference === null ? {} : { "client-ref": message.reference }),
          "message-timestamp": asTime(sending.at),
        },
        sending,
      ),
    inbound: ({ from, to, text }, sending) =>
      callback(
        sending.receiptUrl,
        {
          msisdn: from.replace("+", ""),
          to: to.replace("+", ""),
          messageId: randomBytes(8).toString("hex").toUpperCase(),
          text,
          type: encodingOf(text) === "gsm" ? "text" : "unicode",
          keyword: text.split(" ", 1).join("").toUpperCase(),
          "api-key": key,
          "message-timestamp": asTime(sending.at),
        },
        sending,
      ),
  });
}
