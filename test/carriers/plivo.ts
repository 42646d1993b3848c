import { createHmac, randomBytes, randomInt, randomUUID } from "node:crypto";
import type { CallbackRequest } from "./callback";
import type { Reported } from "./carrier";
import {
  basicAuth,
  type CarrierResponse,
  type FailureKind,
  type HttpCarrier,
  isHttpUrl,
  jsonOf,
  jsonResponse,
  type Refusal,
  startHttpCarrier,
} from "./http-carrier";
import { referenceIn } from "./notation";
import { countParts, encodingOf } from "./parts";

const NUMBER = /^\+?[1-9]\d{6,14}$/;
const SENDER = /^(\+?\d{3,15}|(?=.*[A-Za-z])[A-Za-z0-9 ]{2,11})$/;
const TEXT_MAX = { gsm: 1_600, ucs2: 737 };
const [EXPIRY_MIN_S, EXPIRY_MAX_S] = [5, 10_799];
const NONCE_DIGITS = 20;

const STATUS: Record<Reported, { Status: string; ErrorCode: string }> = {
  sent: { Status: "sent", ErrorCode: "000" },
  delivered: { Status: "delivered", ErrorCode: "000" },
  failed: { Status: "failed", ErrorCode: "50" },
  undelivered: { Status: "undelivered", ErrorCode: "80" },
};

const error = (status: number, text: string): CarrierResponse =>
  jsonResponse(status, { api_id: randomUUID(), error: text });

const UNAUTHORIZED: CarrierResponse = {
  status: 401,
  headers: { "content-type": "text/html; charset=utf-8", "www-authenticate": 'Basic realm="Login Required"' },
  body: "Could not verify your access level for that URL.\nYou have to login with proper credentials",
};

const FAILURES: Record<FailureKind, () => CarrierResponse> = {
  refuse: () => error(400, "dst parameter is not a number that can be reached"),
  unavailable: () => error(500, "internal server error"),
  throttle: () => error(429, "too many requests"),
  account: () => UNAUTHORIZED,
};

type Fields = readonly (readonly [string, string])[];

const hmac = (token: string, text: string) => createHmac("sha256", token).update(text).digest("base64");
const withoutQuery = (url: string) => url.replace(/\?.*$/s, "");
const queryOf = (url: string): Fields => [...new URLSearchParams(url.slice(withoutQuery(url).length))];

function joined(fields: Fields, equals: string, and: string): string {
  const inOrder = fields.toSorted(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1));
  return inOrder.map(([name, value]) => name + equals + value).join(and);
}

/** X-Plivo-Signature-V2: neither query nor body is covered. */
export const signPlivoV2 = (token: string, nonce: string, url: string): string =>
  hmac(token, withoutQuery(url) + nonce);

/** X-Plivo-Signature-V3. `fields`: the form fields of a POST; for a GET, the fields that are not yet in the URL. */
export function signPlivoV3(token: string, nonce: string, method: "GET" | "POST", url: string, fields: Fields): string {
  const query = queryOf(url);
  const start = `${withoutQuery(url)}?`;
  if (method === "GET") return hmac(token, `${start}${joined([...query, ...fields], "=", "&")}.${nonce}`);
  const divider = query.length > 0 && fields.length > 0 ? "." : "";
  return hmac(token, `${start}${joined(query, "=", "&")}${divider}${joined(fields, "", "")}.${nonce}`);
}

/** Plivo's SMS API. Its callbacks carry no time, so a stale one is as good as a fresh one. */
export function startPlivo(): Promise<HttpCarrier> {
  const authId = `MA${randomBytes(9).toString("hex").toUpperCase()}`;
  const token = randomBytes(20).toString("hex");
  const reportedByGet = new Set<string>();

  const callback = (
    method: "GET" | "POST",
    plainUrl: string,
    fields: Record<string, string>,
    forged: boolean,
  ): CallbackRequest => {
    const form = new URLSearchParams(fields).toString();
    const url = method === "GET" ? `${plainUrl}${plainUrl.includes("?") ? "&" : "?"}${form}` : plainUrl;
    const key = forged ? `${token}0` : token;
    const nonce = Array.from({ length: NONCE_DIGITS }, () => randomInt(10)).join("");
    const v2 = signPlivoV2(key, nonce, url);
    const v3 = signPlivoV3(key, nonce, method, url, method === "GET" ? [] : Object.entries(fields));
    return {
      method,
      url,
      headers: {
        "x-plivo-signature-v2": v2,
        "x-plivo-signature-ma-v2": v2,
        "x-plivo-signature-v2-nonce": nonce,
        "x-plivo-signature-v3": v3,
        "x-plivo-signature-ma-v3": v3,
        "x-plivo-signature-v3-nonce": nonce,
        ...(method === "POST" && { "content-type": "application/x-www-form-urlencoded" }),
      },
      body: method === "POST" ? form : "",
    };
  };
  const refused = (problem: string): Refusal => ({ problem, answer: error(400, problem) });

  return startHttpCarrier({
    environment: (url) => ({ PLIVO_AUTH_ID: authId, PLIVO_AUTH_TOKEN: token, PLIVO_BASE_URL: url }),
    recipient: (request) => String(jsonOf(request)?.dst ?? ""),
    read: (request) => {
      if (request.method !== "POST" || request.path !== `/v1/Account/${authId}/Message/`) {
        return { problem: "no such resource", answer: jsonResponse(404, { message: "Not Found" }) };
      }
      if (request.headers.authorization !== basicAuth(authId, token)) {
        return { problem: "wrong credentials", answer: UNAUTHORIZED };
      }
      const json = jsonOf(request);
      if (!json) return refused("invalid json");
      const { src, dst, text, type = "sms", url = null, method = "POST", message_expiry: expiry = EXPIRY_MAX_S } = json;
      if (src === undefined) return refused("src parameter is not provided");
      if (typeof src !== "string" || !SENDER.test(src)) return refused("src parameter is invalid");
      if (dst === undefined) return refused("dst parameter is not provided");
      if (typeof dst !== "string" || !NUMBER.test(dst)) return refused("dst parameter is invalid");
      if (typeof text !== "string" || text === "") return refused("text parameter is not provided");
      if (text.length > TEXT_MAX[encodingOf(text)]) return refused("text parameter is too long");
      if (type !== "sms") return refused("type parameter is invalid");
      if (url !== null && !isHttpUrl(url)) return refused("url parameter is invalid");
      if (method !== "POST" && method !== "GET") return refused("method parameter is invalid");
      if (!Number.isInteger(expiry) || Number(expiry) < EXPIRY_MIN_S || Number(expiry) > EXPIRY_MAX_S) {
        return refused("message_expiry parameter is invalid");
      }
      const id = randomUUID();
      if (method === "GET") reportedByGet.add(id);
      return {
        to: `+${dst.replace("+", "")}`,
        from: src,
        text,
        parts: countParts(text),
        ids: [id],
        reference: referenceIn(url),
        receiptUrl: url,
      };
    },
    accepted: ({ ids }) => jsonResponse(202, { api_id: randomUUID(), message: "message(s) queued", message_uuid: ids }),
    failure: (kind) => FAILURES[kind](),
    receipt: ({ ids: [id = ""], to, from, parts, receiptUrl }, _part, status, { forged }) => {
      if (receiptUrl === null) return null;
      const fields = {
        From: from.replace("+", ""),
        To: to.slice(1),
        // Receipts for a long message name the id of a part; our id is then the parent's.
        ...(parts > 1 ? { MessageUUID: randomUUID(), ParentMessageUUID: id } : { MessageUUID: id }),
        ...STATUS[status],
        Units: String(parts),
        TotalRate: "0.00140",
        TotalAmount: (parts * 0.0014).toFixed(5),
        MCC: "310",
        MNC: "004",
      };
      return callback(reportedByGet.has(id) ? "GET" : "POST", receiptUrl, fields, forged);
    },
    inbound: ({ from, to, text }, { receiptUrl, forged }) => {
      const numbers = { From: from.replace("+", ""), To: to.replace("+", "") };
      const fields = {
        ...numbers,
        Text: text,
        Type: "sms",
        MessageUUID: randomUUID(),
        Units: String(countParts(text)),
      };
      return callback("POST", receiptUrl, fields, forged);
    },
  });
}
