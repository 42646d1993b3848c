import { createHash, createHmac, createVerify, generateKeyPairSync, randomBytes, randomUUID } from "node:crypto";
import type { CallbackRequest } from "./callback";
import type { Reported } from "./carrier";
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
  startHttpCarrier,
} from "./http-carrier";
import { isText, unknownFields } from "./notation";
import { countParts, forceGsm } from "./parts";

const NUMBER = /^[1-9]\d{6,14}$/;
const SENDER = /^(\d{3,15}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11})$/;
const TEXT_MAX = 1_000;
const REFERENCE_MAX = 100;
const FIELDS = [
  ...["channel", "message_type", "to", "from", "text", "ttl", "client_ref", "webhook_url", "webhook_version", "sms"],
];

const problem = (status: number, type: string, title: string, detail: string, more: object = {}): CarrierResponse => ({
  ...jsonResponse(status, { type, title, detail, instance: randomUUID(), ...more }),
  headers: { "content-type": "application/problem+json" },
});
const ofMessages = (status: number, code: string, title: string, detail: string): CarrierResponse =>
  problem(status, `https://developer.vonage.com/api-errors/messages#${code}`, title, detail);

const UNAUTHORIZED = problem(
  401,
  "https://developer.vonage.com/api-errors#unauthorized",
  "You did not provide correct credentials.",
  "Check your authentication credentials are correct",
);
const FAILURES: Record<FailureKind, CarrierResponse> = {
  refuse: ofMessages(422, "1050", "Number barred", "The number you are trying to submit to is blacklisted."),
  unavailable: ofMessages(500, "1030", "Internal error", "There was an error processing your request in the Platform."),
  throttle: ofMessages(429, "1000", "Rate Limit Hit", "Please wait, then retry your request"),
  account: ofMessages(402, "1070", "Low balance", "This request could not be performed due to your account balance."),
};

const error = (code: string, detail: string) => ({
  error: {
    type: `https://developer.vonage.com/api-errors/messages#${code}`,
    title: code,
    detail,
    instance: randomUUID(),
  },
});
const STATUS: Record<Reported, object> = {
  sent: { status: "submitted" },
  delivered: { status: "delivered" },
  failed: { status: "rejected", ...error("1120", "Illegal Sender Address - rejected") },
  undelivered: { status: "rejected", ...error("1180", "Absent Subscriber Temporary") },
};

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** The HS256 token in the Authorization header of a webhook, issued at `at` (UNIX seconds). */
export function signVonageWebhook(secret: string, body: string, application: string, at: number, jti: string): string {
  const claims = {
    iat: at,
    jti,
    iss: "Vonage",
    payload_hash: createHash("sha256").update(body).digest("hex"),
    api_key: "abcd1234",
    application_id: application,
  };
  const signed = `${base64url({ typ: "JWT", alg: "HS256" })}.${base64url(claims)}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}

/** Vonage's Messages API (v1), for SMS of an application with signed webhooks. */
export function startVonageMessages(): Promise<HttpCarrier> {
  const application = randomUUID();
  const signatureSecret = randomBytes(25).toString("hex");
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });

  function isAuthorized({ headers }: CarrierRequest): boolean {
    const [, head = "", claims = "", signature = ""] =
      /^Bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(headers.authorization ?? "") ?? [];
    if (!createVerify("sha256").update(`${head}.${claims}`).verify(publicKey, signature, "base64url")) return false;
    const { application_id, iat, exp, jti } = JSON.parse(Buffer.from(claims, "base64url").toString("utf8"));
    const seconds = Date.now() / 1_000;
    return application_id === application && Math.abs(seconds - iat) < 86_400 && exp > seconds && isText(jti, 1, 64);
  }
  const invalid = (name: string, reason: string): Refusal => ({
    problem: `${name}: ${reason}`,
    answer: problem(
      422,
      "https://developer.vonage.com/api-errors/messages#1020",
      "Invalid params",
      "The value of one or more parameters is invalid.",
      { invalid_parameters: [{ name, reason }] },
    ),
  });
  const post = (url: string, value: object, { at, forged }: Sending): CallbackRequest => {
    const body = JSON.stringify(value);
    const secret = forged ? `${signatureSecret}0` : signatureSecret;
    const token = signVonageWebhook(secret, body, application, Math.floor(at.getTime() / 1_000), randomUUID());
    return {
      method: "POST",
      url,
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body,
    };
  };

  return startHttpCarrier({
    environment: (url) => ({
      VONAGE_APPLICATION_ID: application,
      VONAGE_PRIVATE_KEY: String(privateKey.export({ format: "pem", type: "pkcs8" })),
      VONAGE_SIGNATURE_SECRET: signatureSecret,
      VONAGE_MESSAGES_BASE_URL: url,
    }),
    recipient: (request) => String(jsonOf(request)?.to ?? ""),
    read: (request) => {
      if (request.method !== "POST" || request.path !== "/v1/messages") {
        const type = "https://developer.vonage.com/api-errors#not-found";
        return { problem: "no such resource", answer: problem(404, type, "Not found", "No such resource.") };
      }
      if (!isAuthorized(request)) return { problem: "wrong token", answer: UNAUTHORIZED };
      const json = jsonOf(request);
      if (!json) return invalid("body", "not JSON");
      const { channel, message_type, to, from, text, client_ref, webhook_url, webhook_version, sms } = json;
      const { encoding_type = "auto" } = Object(sms);
      const faults: [boolean, string][] = [
        [channel !== "sms", "channel"],
        [message_type !== "text", "message_type"],
        [typeof to !== "string" || !NUMBER.test(to), "to"],
        [typeof from !== "string" || !SENDER.test(from), "from"],
        [!isText(text, 1, TEXT_MAX), "text"],
        [client_ref !== undefined && !isText(client_ref, 1, REFERENCE_MAX), "client_ref"],
        [webhook_url !== undefined && !isHttpUrl(webhook_url), "webhook_url"],
        [webhook_version !== undefined && webhook_version !== "v1", "webhook_version"],
        [!["text", "unicode", "auto"].includes(encoding_type), "sms.encoding_type"],
      ];
      const wrong = [...faults.flatMap(([applies, name]) => (applies ? [name] : [])), ...unknownFields(json, FIELDS)];
      if (wrong.length > 0) return invalid(String(wrong[0]), "is not valid");
      const arriving = encoding_type === "text" ? forceGsm(String(text)) : String(text);
      return {
        to: `+${to}`,
        from: String(from),
        text: arriving,
        parts: countParts(arriving, encoding_type === "unicode" ? "ucs2" : "auto"),
        ids: [randomUUID()],
        reference: typeof client_ref === "string" ? client_ref : null,
        receiptUrl: typeof webhook_url === "string" ? webhook_url : null,
      };
    },
    accepted: ({ ids: [id] }) => jsonResponse(202, { message_uuid: id }),
    failure: (kind) => FAILURES[kind],
    receipt: ({ ids: [id], to, from, parts, reference, receiptUrl }, _part, status, sending) =>
      post(
        receiptUrl ?? sending.receiptUrl,
        {
          message_uuid: id,
          to: to.slice(1),
          from,
          timestamp: sending.at.toISOString().replace(/\.\d+/, ""),
          ...STATUS[status],
          ...(reference !== null && { client_ref: reference }),
          usage: { currency: "EUR", price: "0.0333" },
          channel: "sms",
          destination: { network_code: "12345" },
          sms: { count_total: String(parts) },
        },
        sending,
      ),
    inbound: ({ from, to, text }, sending) =>
      post(
        sending.receiptUrl,
        {
          channel: "sms",
          message_uuid: randomUUID(),
          to: to.replace("+", ""),
          from: from.replace("+", ""),
          timestamp: sending.at.toISOString().replace(/\.\d+/, ""),
          message_type: "text",
          text,
          sms: { num_messages: String(countParts(text)), keyword: text.split(" ", 1).join("").toUpperCase() },
          usage: { currency: "EUR", price: "0.0333" },
        },
        sending,
      ),
  });
}
