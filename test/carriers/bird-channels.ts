import { createHash, createHmac, randomBytes, randomUUID } from "node:crypto";
import type { CallbackRequest } from "./callback";
import type { Reported } from "./carrier";
import {
  type CarrierResponse,
  type FailureKind,
  type HttpCarrier,
  jsonOf,
  jsonResponse,
  type Refusal,
  type Sending,
  startHttpCarrier,
} from "./http-carrier";
import { isNumber, isText, unknownFields } from "./notation";
import { countParts } from "./parts";

const SENDER = "+447700900001";

const error = (status: number, code: string, message: string): CarrierResponse =>
  jsonResponse(status, { code, message });

const FAILURES: Record<FailureKind, CarrierResponse> = {
  // The API accepts messages to unreachable numbers and reports that later, so this refuses a field instead.
  refuse: error(422, "InvalidPayload", "One or more fields are invalid."),
  unavailable: error(500, "InternalError", "An internal error occurred."),
  throttle: error(429, "TooManyRequests", "Too many requests."),
  account: error(401, "Unauthorized", "The access key is not valid."),
};

const failure = (code: number, platform: string, reason: string) => ({
  reason: `details: ${reason}; reason: ${reason.replace(" ", "_")}; code: ${platform}`,
  failure: { code, source: { name: "sms-messagebird", code: platform } },
});
const STATUS: Record<Reported, object> = {
  sent: { status: "sent", reason: "" },
  delivered: { status: "delivered", reason: "" },
  failed: { status: "sending_failed", ...failure(14_001, "103", "opted out") },
  undelivered: { status: "delivery_failed", ...failure(15_005, "1", "unknown subscriber") },
};

/** MessageBird-Signature of a webhook subscription's request, sent at `timestamp` (UNIX seconds). */
export const signBird = (key: string, timestamp: string, url: string, body: string): string =>
  createHmac("sha256", key)
    .update(Buffer.concat([Buffer.from(`${timestamp}\n${url}\n`), createHash("sha256").update(body).digest()]))
    .digest("base64");

/** Bird's Channels API, of a workspace with one SMS channel and webhook subscriptions for both its events. */
export function startBirdChannels(): Promise<HttpCarrier> {
  const [workspace, channel, accessKey] = [randomUUID(), randomUUID(), randomBytes(20).toString("hex")];
  const signingKey = randomBytes(16).toString("hex");
  const path = `/workspaces/${workspace}/channels/${channel}/messages`;

  const refused = (problem: string): Refusal => ({ problem, answer: error(422, "InvalidPayload", problem) });
  const post = (event: string, payload: object, { receiptUrl: url, at, forged }: Sending): CallbackRequest => {
    const body = JSON.stringify({ service: "channels", event, payload });
    const timestamp = String(Math.floor(at.getTime() / 1_000));
    return {
      method: "POST",
      url,
      headers: {
        "content-type": "application/json",
        "messagebird-request-timestamp": timestamp,
        "messagebird-signature": signBird(forged ? `${signingKey}0` : signingKey, timestamp, url, body),
      },
      body,
    };
  };
  const shown = (id: string | undefined, to: string, text: string, at: Date) => ({
    id,
    channelId: channel,
    sender: { connector: { id: channel } },
    receiver: { contacts: [{ id: randomUUID(), identifierKey: "phonenumber", identifierValue: to }] },
    body: { type: "text", text: { text } },
    direction: "outgoing",
    lastStatusAt: at.toISOString(),
    createdAt: at.toISOString(),
    updatedAt: at.toISOString(),
  });

  return startHttpCarrier({
    environment: (url) => ({
      MESSAGEBIRD_ACCESS_KEY: accessKey,
      MESSAGEBIRD_SIGNING_KEY: signingKey,
      MESSAGEBIRD_WORKSPACE_ID: workspace,
      MESSAGEBIRD_CHANNELS: `${SENDER}=${channel}`,
      MESSAGEBIRD_BIRD_BASE_URL: url,
    }),
    recipient: (request) => String(Object(Object(jsonOf(request)?.receiver).contacts?.[0]).identifierValue ?? ""),
    read: (request) => {
      if (request.headers.authorization !== `AccessKey ${accessKey}`) {
        return { problem: "wrong access key", answer: FAILURES.account };
      }
      if (request.method !== "POST" || request.path !== path) {
        return { problem: "no such resource", answer: error(404, "NotFound", "The channel was not found.") };
      }
      const json = jsonOf(request);
      if (!json) return refused("not JSON");
      const unknown = unknownFields(json, ["receiver", "body"]);
      if (unknown.length > 0) return refused(`unknown fields: ${unknown}`);
      const contacts: unknown = Object(json.receiver).contacts;
      const [contact] = Array.isArray(contacts) && contacts.length === 1 ? contacts : [];
      const { identifierKey, identifierValue } = Object(contact);
      if (identifierKey !== "phonenumber" || !isNumber(identifierValue, "with")) return refused("receiver.contacts");
      const { type, text } = Object(json.body);
      if (type !== "text" || !isText(Object(text).text, 1, 10_000)) return refused("body");
      const content = String(Object(text).text);
      return {
        to: identifierValue,
        from: SENDER,
        text: content,
        parts: countParts(content),
        ids: [randomUUID()],
        reference: null,
        receiptUrl: null,
      };
    },
    accepted: ({ ids: [id], to, text, takenAt }) =>
      jsonResponse(202, { ...shown(id, to, text, takenAt), status: "accepted" }),
    failure: (kind) => FAILURES[kind],
    receipt: ({ ids: [id], to, text }, _part, status, sending) =>
      post("sms.outbound", { ...shown(id, to, text, sending.at), ...STATUS[status] }, sending),
    inbound: ({ from, text }, sending) =>
      post(
        "sms.inbound",
        {
          ...shown(randomUUID(), from, text, sending.at),
          sender: { contact: { id: randomUUID(), identifierKey: "phonenumber", identifierValue: from } },
          receiver: { connector: { id: randomUUID() } },
          status: "delivered",
          direction: "incoming",
        },
        sending,
      ),
  });
}
