import { createHmac, randomBytes } from "node:crypto";
import type { CallbackRequest } from "./callback";
import type { Reported } from "./carrier";
import {
  basicAuth,
  type CarrierResponse,
  type FailureKind,
  formOf,
  type HttpCarrier,
  isHttpUrl,
  jsonResponse,
  type Refusal,
  startHttpCarrier,
} from "./http-carrier";
import { carrierKeywordOf, referenceIn } from "./notation";
import { countParts } from "./parts";

const NUMBER = /^\+[1-9]\d{6,14}$/;
const SENDER = /^(\+[1-9]\d{6,14}|\d{3,8}|(?=.*[A-Za-z])[A-Za-z0-9 ]{2,11})$/;
const TEXT_MAX = 1_600;
const VALIDITY_MAX_S = 36_000;

const STATUS: Record<Reported, Record<string, string>> = {
  sent: { MessageStatus: "sent" },
  delivered: { MessageStatus: "delivered" },
  failed: { MessageStatus: "failed", ErrorCode: "30001" },
  undelivered: { MessageStatus: "undelivered", ErrorCode: "30003" },
};

/** Retries requested in the fragment of a callback URL: up to five, after failures of these kinds. */
const OVERRIDES = /^#rc=[0-5]&rp=(4xx|5xx|ct|rt|all)$/;

/** The URL to which callbacks are sent, as it is signed: without the fragment. Null: it is invalid. */
function callbackUrlOf(given: string): string | null {
  if (!isHttpUrl(given)) return null;
  const { hash } = new URL(given);
  return hash === "" || OVERRIDES.test(hash) ? given.slice(0, given.length - hash.length) : null;
}

const error = (status: number, code: number, message: string): CarrierResponse =>
  jsonResponse(status, { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status });

const FAILURES: Record<FailureKind, CarrierResponse> = {
  refuse: error(400, 21610, "Attempt to send to unsubscribed recipient"),
  unavailable: error(503, 20503, "Service unavailable"),
  throttle: error(429, 20429, "Too Many Requests"),
  account: error(401, 20003, "Authenticate"),
};

/** X-Twilio-Signature of a request with these form fields; repeated values count once. */
export function signTwilio(token: string, url: string, fields: readonly (readonly [string, string])[]): string {
  const names = [...new Set(fields.map(([name]) => name))].sort();
  const signed = names.flatMap((name) => {
    const values = new Set(fields.filter((field) => field[0] === name).map((field) => field[1]));
    return [...values].sort().map((value) => name + value);
  });
  return createHmac("sha1", token)
    .update(url + signed.join(""))
    .digest("base64");
}

/** Twilio's Programmable Messaging. Its callbacks carry no time, so a stale one is as good as a fresh one. */
export function startTwilio(): Promise<HttpCarrier> {
  const sid = `AC${randomBytes(16).toString("hex")}`;
  const token = randomBytes(16).toString("hex");
  const path = `/2010-04-01/Accounts/${sid}/Messages.json`;

  const callback = (url: string, form: URLSearchParams, forged: boolean): CallbackRequest => ({
    method: "POST",
    url,
    headers: {
      "content-type": "application/x-www-form-urlencoded; charset=UTF-8",
      "x-twilio-signature": signTwilio(forged ? `${token}0` : token, url, [...form]),
    },
    body: form.toString(),
  });
  const refused = (problem: string, code: number): Refusal => ({ problem, answer: error(400, code, problem) });

  return startHttpCarrier({
    environment: (url) => ({ TWILIO_ACCOUNT_SID: sid, TWILIO_AUTH_TOKEN: token, TWILIO_BASE_URL: url }),
    recipient: (request) => formOf(request)?.get("To") ?? null,
    read: (request) => {
      if (request.method !== "POST" || request.path !== path) {
        const body = "<?xml version='1.0' encoding='UTF-8'?><TwilioResponse><RestException/></TwilioResponse>";
        return { problem: "no such resource", answer: { status: 404, headers: { "content-type": "text/xml" }, body } };
      }
      if (request.headers.authorization !== basicAuth(sid, token)) {
        return { problem: "wrong credentials", answer: FAILURES.account };
      }
      const form = formOf(request);
      if (!form) return refused("A 'To' phone number is required: the request is no form.", 21604);
      const to = form.get("To");
      if (!to) return refused("A 'To' phone number is required.", 21604);
      if (!NUMBER.test(to)) return refused(`The 'To' number ${to} is not a valid phone number.`, 21211);
      const from = form.get("From") ?? form.get("MessagingServiceSid");
      if (!from) return refused("A 'From' phone number is required.", 21603);
      if (form.has("From") && !SENDER.test(from)) return refused(`The 'From' ${from} is not a valid sender.`, 21212);
      const text = form.get("Body");
      if (!text) return refused("Message body is required.", 21602);
      if (text.length > TEXT_MAX) return refused("The message body exceeds the 1600 character limit.", 21617);
      const given = form.get("StatusCallback");
      const receiptUrl = given === null ? null : callbackUrlOf(given);
      if (given !== null && receiptUrl === null) return refused("The 'StatusCallback' URL is not valid.", 21609);
      const validity = Number(form.get("ValidityPeriod") ?? VALIDITY_MAX_S);
      if (!Number.isInteger(validity) || validity < 1 || validity > VALIDITY_MAX_S) {
        return refused("Invalid 'ValidityPeriod'.", 20422);
      }
      const ids = [`SM${randomBytes(16).toString("hex")}`];
      return { to, from, text, parts: countParts(text), ids, reference: referenceIn(receiptUrl), receiptUrl };
    },
    accepted: ({ ids: [id], to, from, text, parts, takenAt }) =>
      jsonResponse(201, {
        sid: id,
        account_sid: sid,
        to,
        from: from.startsWith("MG") ? null : from,
        body: text,
        status: from.startsWith("MG") ? "accepted" : "queued",
        num_segments: String(from.startsWith("MG") ? 0 : parts),
        num_media: "0",
        direction: "outbound-api",
        price: null,
        price_unit: "USD",
        error_code: null,
        error_message: null,
        date_created: takenAt.toUTCString().replace("GMT", "+0000"),
        date_sent: null,
        messaging_service_sid: from.startsWith("MG") ? from : null,
        api_version: "2010-04-01",
        uri: path.replace(".json", `/${id}.json`),
        subresource_uris: {},
      }),
    failure: (kind) => FAILURES[kind],
    receipt: ({ ids: [id = ""], to, from, receiptUrl }, _part, status, { forged }) => {
      if (receiptUrl === null) return null;
      const { MessageStatus = "", ...failure } = STATUS[status];
      const form = new URLSearchParams({
        MessageSid: id,
        SmsSid: id,
        MessageStatus,
        SmsStatus: MessageStatus,
        AccountSid: sid,
        From: from,
        To: to,
        ApiVersion: "2010-04-01",
        ...failure,
      });
      return callback(receiptUrl, form, forged);
    },
    inbound: ({ from, to, text }, { receiptUrl, forged }) => {
      const id = `SM${randomBytes(16).toString("hex")}`;
      const form = new URLSearchParams({
        MessageSid: id,
        SmsSid: id,
        SmsMessageSid: id,
        SmsStatus: "received",
        AccountSid: sid,
        From: from,
        To: to,
        Body: text,
        NumMedia: "0",
        NumSegments: String(countParts(text)),
        ApiVersion: "2010-04-01",
      });
      const keyword = carrierKeywordOf(text);
      if (keyword) form.set("OptOutType", keyword);
      return callback(receiptUrl, form, forged);
    },
  });
}
