/** Bird (formerly MessageBird): the Channels API for SMS. A channel has one sender; receipts go to webhook subscriptions. */
import { createHash, createHmac } from "node:crypto";
import { z } from "zod";
import { forged, jsonOf, wireTime } from "../http/callback-body";
import { callbackContent, reportFrom, takenAt } from "../http/callback-content";
import { sameText } from "../http/constant-time";
import {
  type Explained,
  faultOfStatus,
  jsonOrNull,
  outcomeOf,
  outcomeOfHttp,
  outcomeOfUnlisted,
  wireId,
  wireText,
} from "../http/response";
import type {
  Authenticity,
  Callback,
  CallbackContent,
  Report,
  SendOutcome,
  SendRequest,
  WireRequest,
  WireResponse,
} from "../port";
import { senderWithoutPlus } from "../sender-notation";

/** Channel ids by sender, a number without `+`. */
export type Channels = Readonly<Record<string, string>>;

/** The settings of a workspace. */
export type BirdWorkspace = { accessKey: string; workspaceId: string; channels: Channels; birdBaseUrl: string };

const PAIR = /^([^=]+)=([0-9a-f-]{36})$/i;

/** Reads pairs of a sender and its channel's id, separated by commas; null when they are something else. */
export function channelsOf(text: string): Channels | null {
  const pairs = text.split(",").map((pair) => PAIR.exec(pair.trim()));
  if (pairs.some((pair) => pair === null)) return null;
  return Object.fromEntries(pairs.map((pair) => [senderWithoutPlus((pair?.[1] ?? "").trim()), pair?.[2] ?? ""]));
}

const channelOf = (channels: Channels, from: string): string | null => {
  const sender = senderWithoutPlus(from);
  return Object.hasOwn(channels, sender) ? (channels[sender] ?? null) : null;
};

/** Why this workspace cannot send a message; null: it can. */
export const refuseSender = ({ message }: SendRequest, { channels }: BirdWorkspace): SendOutcome | null =>
  channelOf(channels, message.from) === null
    ? outcomeOf("sender_without_channel", ["message", "The sender has no channel at the provider.", "sender"])
    : null;

export function buildChannelRequest({ message }: SendRequest, own: BirdWorkspace): WireRequest {
  const channel = channelOf(own.channels, message.from) ?? "";
  return {
    method: "POST",
    url: `${own.birdBaseUrl}/workspaces/${encodeURIComponent(own.workspaceId)}/channels/${encodeURIComponent(channel)}/messages`,
    headers: {
      authorization: `AccessKey ${own.accessKey}`,
      "content-type": "application/json",
      accept: "application/json",
    },
    body: JSON.stringify({
      receiver: { contacts: [{ identifierKey: "phonenumber", identifierValue: message.to }] },
      body: { type: "text", text: { text: message.body } },
    }),
  };
}

const Failed = z.object({ code: z.string().min(1), message: wireText });

/** An error of the Channels API, whose codes are names without a published list: the HTTP status decides. */
export function readChannelError({ status, body }: WireResponse): SendOutcome {
  const { data } = Failed.safeParse(jsonOrNull(body));
  return data ? outcomeOfUnlisted(status, data.code, faultOfStatus(status), data.message) : outcomeOfHttp(status);
}

const MAX_AGE_S = 300;

/** Whether a callback is signed as webhook subscriptions are. */
export const isSubscriptionSigned = ({ headers }: Callback): boolean => headers["messagebird-signature"] !== undefined;

/** Verifies the signature of a webhook subscription: over the time, the URL and the hash of the body. */
export function authenticateSubscription(
  { headers, url, body }: Callback,
  { signingKey }: { signingKey: string },
  at: Date,
): Authenticity {
  const [signature = "", timestamp = ""] = [headers["messagebird-signature"], headers["messagebird-request-timestamp"]];
  const expected = createHmac("sha256", signingKey)
    .update(`${timestamp}\n${url}\n`)
    .update(createHash("sha256").update(body).digest())
    .digest("base64");
  if (!sameText(signature, expected)) return forged("The signature is not of this time, URL and body.");
  const isFresh = timestamp !== "" && Math.abs(at.getTime() / 1_000 - Number(timestamp)) <= MAX_AGE_S;
  if (!isFresh) return { kind: "stale", detail: "The time of the signature is too far from ours." };
  // It is not documented whether a repeat has a new signature.
  return { kind: "genuine", nonces: [signature] };
}

const STATUSES = new Map<string, Report["status"]>([
  ["accepted", "sent"],
  ["processing", "sent"],
  ["sent", "sent"],
  ["delivered", "delivered"],
  ["delivery_failed", "undelivered"],
  ["sending_failed", "failed"],
  ["rejected", "failed"],
]);

/** Codes of the SMS platform, in `failure.source.code`. */
const PLATFORM = "sms-messagebird";
export const PLATFORM_CODES = new Map<string, Explained>([
  ["1", ["The number is not known to its network.", "invalid_recipient"]],
  ["34", ["The network had an error.", "unreachable"]],
  ["103", ["The recipient has opted out.", "opted_out"]],
]);

const Event = z.object({ service: z.string(), event: z.string(), payload: z.unknown() });
const Outgoing = z.object({
  id: wireId,
  status: z.string(),
  reason: wireText,
  lastStatusAt: wireTime,
  failure: z
    .object({ code: wireText, source: z.object({ name: wireText, code: wireText }).nullish().catch(null) })
    .nullish()
    .catch(null),
});
const Incoming = z.object({
  id: wireId,
  channelId: z.string(),
  sender: z.object({ contact: z.object({ identifierValue: z.string() }) }),
  body: z.object({ type: z.string(), text: z.object({ text: z.string() }).nullish() }),
  createdAt: wireTime,
});

/** The event in a callback; null: it is not one of the Channels API. */
export function channelEvent(callback: Callback): z.output<typeof Event> | null {
  if (!callback.headers["content-type"]?.includes("json") || callback.method === "GET") return null;
  return Event.safeParse(jsonOf(callback)).data ?? null;
}

function reportOf({ id, status: word, reason, lastStatusAt, failure }: z.output<typeof Outgoing>): Report[] {
  const status = STATUSES.get(word);
  if (!status) return [];
  const source = failure?.source;
  const code = source?.code || failure?.code || word;
  return [
    reportFrom({
      providerMessageId: id,
      reference: null,
      status,
      code,
      detail: source?.name === PLATFORM ? PLATFORM_CODES.get(code)?.[0] : null,
      providerDetail: reason ?? null,
      occurredAt: lastStatusAt,
    }),
  ];
}

/** @param channels map a channel to our number: an event of a message from a handset names only the channel. */
export function readChannelEvent(
  { service, event, payload }: z.output<typeof Event>,
  channels: Channels,
): CallbackContent {
  if (service !== "channels") return callbackContent();
  if (event === "sms.outbound") return callbackContent({ reports: reportOf(Outgoing.parse(payload)) });
  if (event !== "sms.inbound") return callbackContent();
  const { id, channelId, sender, body, createdAt } = Incoming.parse(payload);
  const to = Object.entries(channels).find(([, channel]) => channel === channelId)?.[0] ?? channelId;
  const inbound = { providerMessageId: id, from: sender.contact.identifierValue, to, text: body.text?.text ?? "" };
  return callbackContent({ inbound: [{ ...inbound, ...takenAt(createdAt) }] });
}
