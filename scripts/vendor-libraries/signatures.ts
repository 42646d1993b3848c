/** Callbacks as our emulated carriers sign them, checked by the vendors' own validators and by our adapters. */
import { createSecretKey, generateKeyPairSync } from "node:crypto";
import { messagebird } from "../../server/providers/adapters/messagebird";
import { plivo } from "../../server/providers/adapters/plivo";
import { sinch } from "../../server/providers/adapters/sinch";
import { telnyx } from "../../server/providers/adapters/telnyx";
import { twilio } from "../../server/providers/adapters/twilio";
import { vonage } from "../../server/providers/adapters/vonage";
import type { Authenticity, Callback } from "../../server/providers/port";
import { signMessageBird } from "../../test/carriers/messagebird";
import { signPlivoV3 } from "../../test/carriers/plivo";
import { signSinchCallback } from "../../test/carriers/sinch";
import { signTelnyx } from "../../test/carriers/telnyx";
import { signTwilio } from "../../test/carriers/twilio";
import { signVonageWebhook } from "../../test/carriers/vonage-messages";
import type { Load } from "./requests";

export type SignatureCheck = {
  carrier: string;
  library: string;
  /** A signed callback. */
  sign: () => Callback;
  /** Whether the vendor's validator accepts it; a validator may also throw. */
  validate: (load: Load, callback: Callback) => unknown;
  authenticate: (callback: Callback) => Authenticity;
};

const URL_OF = "https://sms.example.com/api/receipts/carrier/secret?ref=msg_1-1";
const FORM = { MessageUUID: "uuid-1", Status: "delivered", To: "14155550123", Text: "a & b = ü" };
const JSON_BODY = JSON.stringify({ data: { id: "1", status: "delivered", text: "ü" } });

const nowS = (): number => Math.floor(Date.now() / 1_000);
const post = (headers: Record<string, string>, body: string, type = "application/json"): Callback => ({
  method: "POST",
  url: URL_OF,
  headers: { "content-type": type, ...headers },
  body: Buffer.from(body),
});
const form = (headers: Record<string, string>, fields: Record<string, string>) =>
  post(headers, new URLSearchParams(fields).toString(), "application/x-www-form-urlencoded");
const fieldsOf = ({ body }: Callback) => Object.fromEntries(new URLSearchParams(body.toString()));

const SID = "AC0db966d80e9f1662da09c61287f8bba1";
const ed25519 = generateKeyPairSync("ed25519");
const publicKey = ed25519.publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64");
const SECRET = "a-signature-secret-of-some-length-0123456789";
const APPLICATION = "6f0e2b8a-6f0d-4b8b-9c39-4c7f6a1c2d3e";

export const SIGNATURE_CHECKS: readonly SignatureCheck[] = [
  {
    carrier: "twilio",
    library: "twilio",
    sign: () => form({ "x-twilio-signature": signTwilio("token", URL_OF, Object.entries(FORM)) }, FORM),
    validate: (load, callback) =>
      load("twilio").validateRequest("token", callback.headers["x-twilio-signature"], callback.url, fieldsOf(callback)),
    authenticate: (callback) =>
      twilio.authenticate(callback, twilio.settings.parse({ accountSid: SID, authToken: "token" }), new Date()),
  },
  {
    carrier: "vonage, Messages API",
    library: "@vonage/jwt",
    sign: () =>
      post(
        { authorization: `Bearer ${signVonageWebhook(SECRET, JSON_BODY, APPLICATION, nowS(), "jti-1")}` },
        JSON_BODY,
      ),
    // It checks only the token, which contains the hash of the body.
    validate: (load, { headers, body }) => {
      const { createHash } = load("node:crypto");
      const [, claims = ""] = (headers.authorization ?? "").split(".");
      const { payload_hash: hash } = JSON.parse(Buffer.from(claims, "base64url").toString());
      const isToken = load("@vonage/jwt").verifySignature(headers.authorization?.replace("Bearer ", ""), SECRET);
      return isToken && createHash("sha256").update(body).digest("hex") === hash;
    },
    authenticate: (callback) => {
      const own = { apiKey: "k", apiSecret: "s", signatureSecret: SECRET };
      return vonage.authenticate(callback, vonage.settings.parse(own), new Date());
    },
  },
  {
    carrier: "messagebird",
    library: "messagebird",
    sign: () => {
      const token = signMessageBird("signing", { url: URL_OF, body: JSON_BODY }, nowS(), "jti-1");
      return post({ "messagebird-signature-jwt": token }, JSON_BODY);
    },
    validate: (load, { url, body, headers }) =>
      load("messagebird/lib/webhook-signature-jwt").verify(
        url,
        body,
        headers["messagebird-signature-jwt"],
        createSecretKey(Buffer.from("signing")),
      ),
    authenticate: (callback) =>
      messagebird.authenticate(
        callback,
        messagebird.settings.parse({ accessKey: "key", signingKey: "signing" }),
        new Date(),
      ),
  },
  {
    carrier: "plivo",
    library: "plivo",
    sign: () => {
      const signature = signPlivoV3("token", "12345", "POST", URL_OF, Object.entries(FORM));
      return form({ "x-plivo-signature-v3": signature, "x-plivo-signature-v3-nonce": "12345" }, FORM);
    },
    validate: (load, callback) => {
      const { headers, url } = callback;
      const [signature, nonce] = [headers["x-plivo-signature-v3"], headers["x-plivo-signature-v3-nonce"]];
      return load("plivo").validateV3Signature("POST", url, nonce, "token", signature, fieldsOf(callback));
    },
    authenticate: (callback) =>
      plivo.authenticate(callback, plivo.settings.parse({ authId: "MA", authToken: "token" }), new Date()),
  },
  {
    carrier: "telnyx",
    library: "telnyx",
    sign: () => {
      const timestamp = String(nowS());
      const signature = signTelnyx(ed25519.privateKey, timestamp, JSON_BODY);
      return post({ "telnyx-timestamp": timestamp, "telnyx-signature-ed25519": signature }, JSON_BODY);
    },
    validate: async (load, { headers, body }) => {
      const { Telnyx } = load("telnyx");
      await new Telnyx({ apiKey: "KEY1", publicKey }).webhooks.unwrap(body.toString(), { headers });
      return true;
    },
    authenticate: (callback) =>
      telnyx.authenticate(callback, telnyx.settings.parse({ apiKey: "KEY1", publicKey }), new Date()),
  },
  {
    carrier: "sinch",
    library: "@sinch/sms",
    sign: () => {
      const timestamp = String(nowS());
      return post(
        {
          "x-sinch-webhook-signature": signSinchCallback(SECRET, JSON_BODY, "nonce-1", timestamp),
          "x-sinch-webhook-signature-nonce": "nonce-1",
          "x-sinch-webhook-signature-timestamp": timestamp,
          "x-sinch-webhook-signature-algorithm": "HmacSHA256",
        },
        JSON_BODY,
      );
    },
    validate: (load, { headers, body }) => {
      const { SmsCallbackWebhooks } = load("@sinch/sms");
      return new SmsCallbackWebhooks(SECRET).validateAuthenticationHeader(headers, body.toString());
    },
    authenticate: (callback) => {
      const own = { servicePlanId: "plan", apiToken: "token", webhookSecret: SECRET };
      return sinch.authenticate(callback, sinch.settings.parse(own), new Date());
    },
  },
];

/** The same callback with another body. */
export const tampered = (callback: Callback): Callback => ({
  ...callback,
  body: Buffer.from(callback.body.toString().replace("delivered", "undelivered")),
});
