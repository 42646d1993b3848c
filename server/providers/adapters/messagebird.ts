/**
 * MessageBird (now Bird): the classic REST API for SMS, whose receipts come as GET with everything in the query, or, with the
 * settings of a workspace, the Channels API (bird-channels.ts).
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import { fieldsOf, forged, requiredField, wireTime } from "../http/callback-body";
import { callbackContent, reportFrom, takenAt } from "../http/callback-content";
import { readSignedToken } from "../http/json-web-token";
import {
  type Explained,
  faultOfStatus,
  isSuccess,
  jsonOrNull,
  type Meaning,
  outcomeOf,
  outcomeOfUnlisted,
  wireId,
  wireText,
} from "../http/response";
import type {
  Authenticity,
  Callback,
  CallbackContent,
  HttpProvider,
  Inbound,
  Report,
  SendOutcome,
  SendRequest,
  WireRequest,
  WireResponse,
} from "../port";
import { baseUrl, field, isPair, secret } from "../setting-fields";
import {
  authenticateSubscription,
  type BirdWorkspace,
  buildChannelRequest,
  channelEvent,
  channelsOf,
  isSubscriptionSigned,
  PLATFORM_CODES,
  readChannelError,
  readChannelEvent,
  refuseSender,
} from "./bird-channels";

const fields = z.object({
  accessKey: secret("live access key of the REST API, or access key of the workspace"),
  signingKey: secret("signing key of the account, or of the webhook subscriptions, with which callbacks are signed"),
  workspaceId: field("id of a Bird workspace, for the Channels API, which is used instead once it is set").optional(),
  channels: field("its SMS channels: sender=channel id, separated by commas")
    .refine((text) => channelsOf(text) !== null, "must be pairs such as +15551230000=<id of its channel>")
    .optional(),
  baseUrl: baseUrl("https://rest.messagebird.com"),
  birdBaseUrl: baseUrl("https://api.bird.com"),
});

const settings = fields.refine(({ workspaceId, channels }) => isPair(workspaceId, channels), {
  path: ["channels"],
  error: "a workspace and its channels go together",
});

type MessageBirdSettings = z.output<typeof settings>;

/** The workspace to send through; null: the classic API is used. */
function workspaceOf({ accessKey, workspaceId, channels, birdBaseUrl }: MessageBirdSettings): BirdWorkspace | null {
  if (!workspaceId || !channels) return null;
  return { accessKey, workspaceId, channels: channelsOf(channels) ?? {}, birdBaseUrl };
}

const CODES = new Map<number, Meaning>([
  [2, ["account", "The access key is wrong.", "no_provider"]],
  [9, ["refused", "A parameter is missing or wrong.", "unknown"]],
  [10, ["refused", "A parameter is not valid.", "unknown"]],
  // The error is about the receipt URL, not the recipient, so another provider is tried. One such response is not enough
  // to open the provider's breaker.
  [20, ["message", "The address or the resource is not known there.", "unknown"]],
  [21, ["refused", "Bad request.", "unknown"]],
  [25, ["account", "The account's balance does not suffice.", "no_provider"]],
  [98, ["provider", "Internal error of the provider.", "no_provider"]],
  [99, ["provider", "Internal error of the provider.", "no_provider"]],
]);
/** Another provider may carry the same sender or text: the problem is mostly its length. */
const OWN_PARAMETERS = new Set<string | null | undefined>(["originator", "body"]);
const TEXT_MAX = 1_377;

/** `statusErrorCode` of a receipt. */
const RECEIPT_CODES = new Map<string, Explained>([["103", ["The recipient has opted out.", "opted_out"]]]);
const NO_ERROR = "0";

const STATUSES = new Map<string, Report["status"]>([
  ["scheduled", "sent"],
  ["sent", "sent"],
  ["buffered", "sent"],
  ["delivered", "delivered"],
  ["expired", "undelivered"],
  ["delivery_failed", "undelivered"],
]);

function buildRequest(sendRequest: SendRequest, own: MessageBirdSettings): WireRequest {
  const workspace = workspaceOf(own);
  if (workspace) return buildChannelRequest(sendRequest, workspace);
  const { message, reference, receiptUrl, validity } = sendRequest;
  return {
    method: "POST",
    url: `${own.baseUrl}/messages`,
    headers: {
      authorization: `AccessKey ${own.accessKey}`,
      "content-type": "application/json",
      accept: "application/json",
    },
    body: JSON.stringify({
      originator: message.from.replace(/^\+/, ""),
      // At most 15 digits: exact as a number.
      recipients: [Number(message.to.replace(/^\+/, ""))],
      type: "sms",
      body: message.body,
      // Never the default, which replaces characters outside the GSM alphabet.
      datacoding: message.encoding === "UCS-2" ? "unicode" : "auto",
      // Without a reference there are no receipts, whatever the URL.
      reference,
      reportUrl: receiptUrl,
      ...(validity && { validity: validity.seconds }),
    }),
  };
}

const Taken = z.object({ id: wireId });
const Failed = z.object({
  errors: z.array(z.object({ code: z.number(), description: wireText, parameter: wireText })).min(1),
});

function readResponse(wire: WireResponse): SendOutcome {
  const { status, body } = wire;
  if (isSuccess(status)) {
    // Both APIs have this field.
    return { kind: "accepted", providerMessageIds: [Taken.parse(JSON.parse(body)).id] };
  }
  const [error] = Failed.safeParse(jsonOrNull(body)).data?.errors ?? [];
  if (!error) return readChannelError(wire);
  const known = CODES.get(error.code);
  if (!known) return outcomeOfUnlisted(status, String(error.code), faultOfStatus(status), error.description);
  const [listed, text, reason] = known;
  const isOwnLimit = listed === "refused" && OWN_PARAMETERS.has(error.parameter);
  const errorClass = status === 429 ? "throttled" : isOwnLimit ? "message" : listed;
  return outcomeOf(String(error.code), [errorClass, text, reason], error.description);
}

const ALGORITHMS = ["HS256", "HS384", "HS512"] as const;
const Claims = z.object({
  iss: z.literal("MessageBird"),
  nbf: z.number(),
  exp: z.number(),
  jti: z.string().min(1),
  url_hash: z.string(),
  payload_hash: z.string().optional(),
});
const LEEWAY_SECONDS = 5;

const sha256 = (bytes: string | Buffer): string => createHash("sha256").update(bytes).digest("hex");

/** Verifies a JSON Web Token, which contains the hashes of the URL and, if there is one, of the body. */
function authenticate(callback: Callback, { signingKey }: MessageBirdSettings, at: Date): Authenticity {
  if (isSubscriptionSigned(callback)) return authenticateSubscription(callback, { signingKey }, at);
  const token = callback.headers["messagebird-signature-jwt"];
  if (!token) return forged("There is no signature.");
  const read = readSignedToken(token, signingKey, ALGORITHMS);
  if (!read) return forged("The token was not signed with the signing key.");
  const claims = Claims.safeParse(read.claims);
  if (!claims.success) return forged("The token lacks a claim.");
  const { nbf, exp, jti, url_hash, payload_hash } = claims.data;
  if (url_hash !== sha256(callback.url)) return forged("The token is of another URL.");
  const bodyHash = callback.body.length > 0 ? sha256(callback.body) : undefined;
  if (payload_hash !== bodyHash) return forged("The token belongs to another body.");
  const seconds = at.getTime() / 1_000;
  const isCurrent = seconds >= nbf - LEEWAY_SECONDS && seconds < exp + LEEWAY_SECONDS;
  return isCurrent
    ? { kind: "genuine", nonces: [jti] }
    : { kind: "stale", detail: "The token is not valid at this time." };
}

/** An unescaped `+` of the offset arrives as a space. */
const timeOf = (text: string | null): string | null => wireTime.parse(text?.replace(" ", "+"));

/**
 * A message from a handset, perhaps with pictures only and no text. One to a short code uses different names for id, number and
 * text, and has a time without a zone, which is not used.
 */
function inboundOf(fields: URLSearchParams): Inbound {
  const isToShortCode = fields.has("shortcode");
  return {
    providerMessageId: requiredField(fields, isToShortCode ? "mid" : "id"),
    from: requiredField(fields, "originator"),
    to: requiredField(fields, isToShortCode ? "shortcode" : "recipient"),
    text: (isToShortCode ? fields.get("message") : (fields.get("body") ?? fields.get("payload"))) ?? "",
    ...takenAt(timeOf(fields.get("createdDatetime")) ?? timeOf(fields.get("receive_datetime"))),
  };
}

/** A receipt has a `status`, a message from a handset has none, but an `originator`. */
function readCallback(callback: Callback, own?: MessageBirdSettings): CallbackContent {
  const event = channelEvent(callback);
  if (event) return readChannelEvent(event, channelsOf(own?.channels ?? "") ?? {});
  const fields = fieldsOf(callback);
  const word = fields.get("status");
  if (word === null && fields.has("originator")) return callbackContent({ inbound: [inboundOf(fields)] });
  const status = word === null ? undefined : STATUSES.get(word);
  if (!status) return callbackContent();
  const errorCode = fields.get("statusErrorCode");
  const code = errorCode && errorCode !== NO_ERROR ? errorCode : word;
  const report = reportFrom({
    providerMessageId: requiredField(fields, "id"),
    reference: fields.get("reference"),
    status,
    code,
    detail: RECEIPT_CODES.get(code ?? "")?.[0],
    providerDetail: fields.get("statusReason"),
    occurredAt: timeOf(fields.get("statusDatetime")),
  });
  return callbackContent({ reports: [report] });
}

export const messagebird: HttpProvider<MessageBirdSettings> = {
  id: "messagebird",
  settings,
  maxInFlight: 100,
  textMax: { "GSM-7": TEXT_MAX, "UCS-2": TEXT_MAX },
  refuse: (sendRequest, own) => {
    const workspace = workspaceOf(own);
    return workspace && refuseSender(sendRequest, workspace);
  },
  buildRequest,
  readResponse,
  authenticate,
  readCallback,
  reasonOf: ({ code, isRefusal }) =>
    isRefusal ? CODES.get(Number(code))?.[2] : (RECEIPT_CODES.get(code) ?? PLATFORM_CODES.get(code))?.[1],
};
