/** Sends our adapters' messages with each vendor's own library. */
import { generateKeyPairSync } from "node:crypto";
import { africastalking } from "../../server/providers/adapters/africastalking";
import { bandwidth } from "../../server/providers/adapters/bandwidth";
import { messagebird } from "../../server/providers/adapters/messagebird";
import { plivo } from "../../server/providers/adapters/plivo";
import { sinch } from "../../server/providers/adapters/sinch";
import { telnyx } from "../../server/providers/adapters/telnyx";
import { twilio } from "../../server/providers/adapters/twilio";
import { vonage } from "../../server/providers/adapters/vonage";
import type { SendRequest, WireRequest } from "../../server/providers/port";
import { fieldsOf, type SentRequest } from "./compare";

/** Loads a package of the folder in which the libraries are installed. Their types are not installed here. */
// biome-ignore lint/suspicious/noExplicitAny: each library has its own interface, which this file relies on.
export type Load = (name: string) => any;

export type RequestCheck = {
  carrier: string;
  /** Its package, whose version is shown. */
  library: string;
  /** Sends with the library. */
  send: (load: Load, request: SendRequest) => unknown;
  /** The request of our adapter for the same message. */
  build: (request: SendRequest) => WireRequest;
  credentials?: (request: SentRequest) => string | undefined;
  unlike?: readonly string[];
};

const ACCOUNT = "AC0db966d80e9f1662da09c61287f8bba1";
const PUBLIC_KEY = generateKeyPairSync("ed25519").publicKey.export({ format: "der", type: "spki" }).subarray(-32);
const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
const APPLICATION = "6f0e2b8a-6f0d-4b8b-9c39-4c7f6a1c2d3e";

const withoutPlus = (number: string): string => number.replace(/^\+/, "");
const isUnicode = ({ message }: SendRequest): boolean => message.encoding === "UCS-2";

/** Vonage accepts the key as HTTP Basic or among the fields. */
function vonageKey(request: SentRequest): string | undefined {
  const fields = fieldsOf(request);
  const [, basic] = /^Basic (.+)$/.exec(request.headers.authorization ?? "") ?? [];
  return basic ? Buffer.from(basic, "base64").toString() : `${fields.get("api_key")}:${fields.get("api_secret")}`;
}

/** Describes a token by its application and the names of its claims, whose values differ from token to token. */
function tokenOf({ headers }: SentRequest): string | undefined {
  const [, head, claims] = /^Bearer ([\w-]+)\.([\w-]+)\./.exec(headers.authorization ?? "") ?? [];
  if (!head || !claims) return headers.authorization;
  const { alg } = JSON.parse(Buffer.from(head, "base64url").toString());
  const own = JSON.parse(Buffer.from(claims, "base64url").toString());
  return `${alg} for ${own.application_id}, with ${["exp", "iat", "jti"].filter((name) => name in own).join(", ")}`;
}

export const REQUEST_CHECKS: readonly RequestCheck[] = [
  {
    carrier: "twilio",
    library: "twilio",
    send: (load, { message, receiptUrl, validity }) =>
      load("twilio")(ACCOUNT, "token").messages.create({
        to: message.to,
        from: message.from,
        body: message.body,
        statusCallback: `${receiptUrl}#rc=5&rp=all`,
        ...(validity && { validityPeriod: validity.seconds }),
      }),
    build: (request) =>
      twilio.buildRequest(request, twilio.settings.parse({ accountSid: ACCOUNT, authToken: "token" })),
  },
  {
    carrier: "vonage",
    library: "@vonage/sms",
    send: (load, request) => {
      const { message, reference, receiptUrl, validity } = request;
      const { Auth } = load("@vonage/auth");
      const { SMS } = load("@vonage/sms");
      return new SMS(new Auth({ apiKey: "abcd1234", apiSecret: "secret" })).send({
        to: withoutPlus(message.to),
        from: withoutPlus(message.from),
        text: message.body,
        type: isUnicode(request) ? "unicode" : "text",
        clientRef: reference,
        statusReportReq: true,
        callback: receiptUrl,
        ...(validity && { ttl: validity.seconds * 1_000 }),
        ...(message.dlt && { entityId: message.dlt.entityId, contentId: message.dlt.templateId }),
      });
    },
    build: (request) =>
      vonage.buildRequest(request, vonage.settings.parse({ apiKey: "abcd1234", apiSecret: "secret" })),
    credentials: vonageKey,
    // Both forms and JSON are documented. The flag is `1` in the documentation and `true` in the library.
    unlike: ["kind of body", "api_key", "api_secret", "status-report-req"],
  },
  {
    carrier: "vonage, Messages API",
    library: "@vonage/messages",
    send: (load, request) => {
      const { message, reference, receiptUrl, validity } = request;
      const { Auth } = load("@vonage/auth");
      const { Messages, SMS } = load("@vonage/messages");
      const sms = new SMS({
        to: withoutPlus(message.to),
        from: withoutPlus(message.from),
        text: message.body,
        clientRef: reference,
        webhookUrl: receiptUrl,
        webhookVersion: "v1",
        ...(validity && { ttl: validity.seconds }),
        sms: {
          encodingType: isUnicode(request) ? "unicode" : "text",
          ...(message.dlt && { entityId: message.dlt.entityId, contentId: message.dlt.templateId }),
        },
      });
      return new Messages(new Auth({ applicationId: APPLICATION, privateKey })).send(sms);
    },
    build: (request) => {
      const settings = vonage.settings.parse({ applicationId: APPLICATION, privateKey });
      const signed = vonage.signToken?.(settings, new Date(), "id-1");
      return vonage.buildRequest(request, settings, signed?.token);
    },
    credentials: tokenOf,
  },
  {
    carrier: "messagebird",
    library: "messagebird",
    send: (load, request) =>
      new Promise((resolve) =>
        load("messagebird")
          .initClient("key")
          .messages.create(
            {
              originator: withoutPlus(request.message.from),
              recipients: [Number(withoutPlus(request.message.to))],
              type: "sms",
              body: request.message.body,
              datacoding: isUnicode(request) ? "unicode" : "auto",
              reference: request.reference,
              reportUrl: request.receiptUrl,
              ...(request.validity && { validity: request.validity.seconds }),
            },
            resolve,
          ),
      ),
    build: (request) =>
      messagebird.buildRequest(request, messagebird.settings.parse({ accessKey: "key", signingKey: "signing" })),
    // The library joins the list with commas, which is the same for one recipient.
    unlike: ["recipients", "recipients[0]"],
  },
  {
    carrier: "plivo",
    library: "plivo",
    send: (load, { message, receiptUrl, validity }) => {
      const { Client } = load("plivo");
      return new Client("MAXXXXXXXXXXXXXXXXXX", "token").messages.create(message.from, message.to, message.body, {
        type: "sms",
        url: receiptUrl,
        method: "POST",
        ...(validity && { message_expiry: validity.seconds }),
        ...(message.dlt && {
          dlt_entity_id: message.dlt.entityId,
          dlt_template_id: message.dlt.templateId,
          dlt_template_category: message.dlt.templateCategory,
        }),
      });
    },
    build: (request) =>
      plivo.buildRequest(request, plivo.settings.parse({ authId: "MAXXXXXXXXXXXXXXXXXX", authToken: "token" })),
  },
  {
    carrier: "telnyx",
    library: "telnyx",
    send: (load, request) => {
      const { Telnyx } = load("telnyx");
      return new Telnyx({ apiKey: "KEY1", maxRetries: 0 }).messages.send({
        to: request.message.to,
        from: request.message.from,
        text: request.message.body,
        type: "SMS",
        encoding: isUnicode(request) ? "ucs2" : "gsm7",
        webhook_url: request.receiptUrl,
        use_profile_webhooks: false,
      });
    },
    build: (request) =>
      telnyx.buildRequest(
        request,
        telnyx.settings.parse({ apiKey: "KEY1", publicKey: Buffer.from(PUBLIC_KEY).toString("base64") }),
      ),
  },
  {
    carrier: "sinch",
    library: "@sinch/sms",
    send: (load, { message, reference, receiptUrl, validity }) => {
      const { SinchClient } = load("@sinch/sdk-core");
      return new SinchClient({ servicePlanId: "plan", apiToken: "token", smsRegion: "us" }).sms.batches.send({
        sendSMSRequestBody: {
          type: "mt_text",
          to: [withoutPlus(message.to)],
          from: withoutPlus(message.from),
          body: message.body,
          delivery_report: "per_recipient",
          callback_url: receiptUrl,
          client_reference: reference,
          ...(validity && { expire_at: validity.until }),
        },
      });
    },
    build: (request) => sinch.buildRequest(request, sinch.settings.parse({ servicePlanId: "plan", apiToken: "token" })),
  },
  {
    carrier: "africastalking",
    library: "africastalking",
    send: (load, { message }) =>
      load("africastalking")({ apiKey: "key", username: "shop" }).SMS.send({
        to: message.to,
        from: message.from,
        message: message.body,
      }),
    build: (request) =>
      africastalking.buildRequest(request, africastalking.settings.parse({ username: "shop", apiKey: "key" })),
    credentials: ({ headers }) => headers.apikey,
  },
  {
    carrier: "bandwidth",
    library: "bandwidth-sdk",
    send: (load, { message, reference, validity }) => {
      const { Configuration, MessagesApi } = load("bandwidth-sdk");
      const api = new MessagesApi(new Configuration({ username: "user", password: "password" }));
      return api.createMessage("9900000", {
        applicationId: "app",
        to: [message.to],
        from: message.from,
        text: message.body,
        tag: reference,
        ...(validity && { expiration: validity.until.toISOString() }),
      });
    },
    build: (request) =>
      bandwidth.buildRequest(
        request,
        bandwidth.settings.parse({
          accountId: "9900000",
          username: "user",
          password: "password",
          applicationId: "app",
          callbackUsername: "u",
          callbackPassword: "p",
        }),
      ),
  },
];

const until = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 3_600_000);
const DLT = {
  entityId: "1201159178492032504",
  templateId: "1107169175728319365",
  templateCategory: "service_implicit",
};

const sendRequest = (body: string, more: Partial<SendRequest["message"]>, validity?: SendRequest["validity"]) => ({
  message: {
    id: "msg_1",
    to: "+14155550123",
    from: "+12065550100",
    body,
    encoding: "GSM-7" as const,
    segments: 1,
    ...more,
  },
  reference: "msg_1-1",
  receiptUrl: "https://sms.example.com/api/receipts/carrier/secret?ref=msg_1-1",
  ...(validity && { validity }),
});

/** The messages that are sent in both ways. */
export const REQUESTS: Readonly<Record<string, SendRequest>> = {
  "a text": sendRequest("Hello & good-bye", {}),
  "a text in Unicode": sendRequest("Grüße, 世界 😀", { encoding: "UCS-2" }),
  "a validity period": sendRequest("One hour", {}, { seconds: 3_600, until }),
  "a registration in India": sendRequest("Namaste", { to: "+919812345678", from: "ACMECO", dlt: DLT }),
};
