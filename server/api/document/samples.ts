/** Sample objects of the API document's examples: a message, its events, a key, a sender and others. */
import type { ApiKey } from "../../api-keys/schema";
import type { InboundMessage } from "../../inbound/schema";
import type { Message } from "../../messages/schema";
import type { Timeline } from "../../messages/timeline-schema";
import type { Sender } from "../../senders/schema";
import type { Suppression } from "../../suppressions/schema";
import type { Delivery, Event, ReceivedEvent, WebhookEndpoint } from "../../webhooks/schema";

export const PENDING: Message = {
  id: "msg_01k9x7t4m2e8v5q3r6w1y0z8ac",
  object: "message",
  to: "+14155550123",
  from: "DEMO",
  body: "Your code is 284917.",
  encoding: "GSM-7",
  segments: 1,
  reference: "order-4711",
  metadata: { order: "4711" },
  status: "pending",
  cost: 0.01,
  currency: "USD",
  provider: "sandbox",
  provider_message_id: "",
  attempts: 0,
  error: null,
  created_at: "2026-01-31T12:00:00.000Z",
  sent_at: null,
  delivered_at: null,
  failed_at: null,
  scheduled_at: null,
  validity_period: null,
};
const SENT: Message = {
  ...PENDING,
  status: "sent",
  provider_message_id: "sbx_01k9x7t4m2e8v5q3r6w1y0z8ad",
  attempts: 1,
  sent_at: "2026-01-31T12:00:00.180Z",
};
export const DELIVERED: Message = { ...SENT, status: "delivered", delivered_at: "2026-01-31T12:00:01.240Z" };
export const REFUSED: Message = {
  ...PENDING,
  id: "msg_01k9x7t4m2e8v5q3r6w1y0z8ae",
  to: "04155550123",
  status: "failed",
  cost: 0,
  provider: "",
  error: {
    code: "invalid_recipient",
    message: "The recipient is not a phone number in E.164 form, such as +14155550123.",
    reason: "invalid_recipient",
  },
  failed_at: "2026-01-31T12:00:00.000Z",
};
export const CANCELED: Message = {
  ...PENDING,
  status: "failed",
  cost: 0,
  error: { code: "canceled", message: "The message was canceled before it was sent.", reason: "canceled" },
  scheduled_at: "2026-02-01T08:00:00.000Z",
  failed_at: "2026-01-31T18:30:00.000Z",
};
const UNDELIVERED: Message = {
  ...SENT,
  status: "undelivered",
  error: { code: "absent_subscriber", message: "The handset was not reachable.", reason: "unreachable" },
  failed_at: "2026-01-31T12:00:01.240Z",
};

const event = (id: string, type: Event["type"], created_at: string, message: Message): Event => ({
  id,
  object: "event",
  livemode: true,
  type,
  created_at,
  data: message,
});

export const INBOUND: InboundMessage = {
  id: "inb_01k9x7t4m2e8v5q3r6w1y0z8ar",
  object: "inbound_message",
  from: "+14155550123",
  to: "+14155550199",
  body: "Is the table still free?",
  action: null,
  provider: "sandbox",
  provider_message_id: "sbx_01k9x7t4m2e8v5q3r6w1y0z8as",
  received_at: "2026-01-31T12:06:00.000Z",
  created_at: "2026-01-31T12:06:00.020Z",
};

const RECEIVED: ReceivedEvent = {
  id: "evt_01k9x7t4m2e8v5q3r6w1y0z8at",
  object: "event",
  livemode: true,
  type: "message.received",
  created_at: INBOUND.created_at,
  data: INBOUND,
};

/** One event of each type, as in a webhook request and in GET /events. */
export const EVENTS: Record<Event["type"], Event> & { "message.received": ReceivedEvent } = {
  "message.sent": event("evt_01k9x7t4m2e8v5q3r6w1y0z8af", "message.sent", "2026-01-31T12:00:00.180Z", SENT),
  "message.delivered": event(
    "evt_01k9x7t4m2e8v5q3r6w1y0z8ag",
    "message.delivered",
    "2026-01-31T12:00:01.240Z",
    DELIVERED,
  ),
  "message.failed": event("evt_01k9x7t4m2e8v5q3r6w1y0z8ah", "message.failed", "2026-01-31T12:00:01.240Z", UNDELIVERED),
  "message.received": RECEIVED,
};

/** Fields of a last page, without its items. */
export const LAST_PAGE = {
  pagination: { page: 1, limit: 50, total: 1, pages: 1, has_more: false },
  next_cursor: null,
};

export const API_KEY: ApiKey = {
  id: "key_01k9x7t4m2e8v5q3r6w1y0z8aj",
  object: "api_key",
  livemode: true,
  name: "Shop, production",
  key_hint: "ds_live_AbCd…wXyZ",
  is_active: true,
  permissions: ["sms:send", "sms:read"],
  rate_limit: 600,
  created_by: null,
  last_used_at: "2026-01-31T11:59:00.000Z",
  expires_at: null,
  created_at: "2026-01-01T09:00:00.000Z",
};

export const SENDER: Sender = {
  id: "snd_01k9x7t4m2e8v5q3r6w1y0z8ak",
  object: "sender",
  livemode: true,
  sender_id: "DEMO",
  type: "alphanumeric",
  country_code: "US",
  status: "approved",
  status_reason: null,
  dlt_entity_id: null,
  dlt_template_id: null,
  dlt_template_category: null,
  approved_at: "2026-01-02T08:30:00.000Z",
  created_at: "2026-01-01T09:00:00.000Z",
};

export const SUPPRESSION: Suppression = {
  id: "sup_01k9x7t4m2e8v5q3r6w1y0z8aq",
  object: "suppression",
  number: "+14155550124",
  sender_id: "DEMO",
  reason: "stop",
  note: null,
  created_at: "2026-01-31T12:05:00.000Z",
};

export const ENDPOINT: WebhookEndpoint = {
  id: "whe_01k9x7t4m2e8v5q3r6w1y0z8am",
  object: "webhook_endpoint",
  livemode: true,
  url: "https://shop.example/hooks/sms",
  description: "Shop, production",
  events: ["message.sent", "message.delivered", "message.failed"],
  is_active: true,
  failure_count: 0,
  last_success_at: "2026-01-31T12:00:01.300Z",
  last_failure_at: null,
  disabled_at: null,
  disabled_reason: null,
  paused_at: null,
  paused_by: null,
  created_at: "2026-01-01T09:00:00.000Z",
};

export const DELIVERY: Delivery = {
  id: "dlv_01k9x7t4m2e8v5q3r6w1y0z8ap",
  object: "webhook_delivery",
  event_id: EVENTS["message.delivered"].id,
  event_type: "message.delivered",
  message_id: DELIVERED.id,
  status: "delivered",
  round: 0,
  attempts: 1,
  next_attempt_at: null,
  next_attempt_state: null,
  created_at: "2026-01-31T12:00:01.240Z",
  tries: [
    {
      round: 0,
      attempt: 1,
      status_code: 200,
      latency_ms: 60,
      error: null,
      response_head: "ok",
      created_at: "2026-01-31T12:00:01.300Z",
    },
  ],
};

const AT = { accepted: PENDING.created_at, handed: "2026-01-31T12:00:00.120Z", sent: "2026-01-31T12:00:00.180Z" };

export const TIMELINE: Timeline = {
  object: "timeline",
  message_id: DELIVERED.id,
  entries: [
    {
      at: AT.accepted,
      kind: "accepted",
      summary: "Accepted from DEMO to +14155550123: 1 segment in GSM-7.",
      details: { to: "+14155550123", from: "DEMO", encoding: "GSM-7", segments: 1, scheduled_at: null },
    },
    {
      at: AT.accepted,
      kind: "money",
      summary: "0.01 USD was reserved.",
      details: { kind: "reserve", amount: -0.01, currency: "USD" },
    },
    {
      at: AT.handed,
      kind: "attempt",
      summary: "Attempt 1: sandbox took the message after 40 ms.",
      details: { seq: 1, provider: "sandbox", outcome: "accepted", code: null, detail: null, latency_ms: 40 },
    },
    {
      at: AT.sent,
      kind: "money",
      summary: "0.01 USD was charged.",
      details: { kind: "settle", amount: 0, currency: "USD" },
    },
    {
      at: AT.sent,
      kind: "event",
      summary: "The message became sent.",
      details: { event_id: EVENTS["message.sent"].id, type: "message.sent", status: "sent" },
    },
    {
      at: "2026-01-31T12:00:01.240Z",
      kind: "receipt",
      summary: "The carrier reported delivered.",
      details: { status: "delivered", code: null, detail: null, applied: true },
    },
    {
      at: "2026-01-31T12:00:01.240Z",
      kind: "event",
      summary: "The message became delivered.",
      details: { event_id: EVENTS["message.delivered"].id, type: "message.delivered", status: "delivered" },
    },
    {
      at: "2026-01-31T12:00:01.300Z",
      kind: "webhook_try",
      summary: `Try 1 to post message.delivered to ${ENDPOINT.id} was acknowledged after 60 ms.`,
      details: {
        event_id: EVENTS["message.delivered"].id,
        endpoint_id: ENDPOINT.id,
        url: ENDPOINT.url,
        round: 0,
        attempt: 1,
        status_code: 200,
        latency_ms: 60,
        error: null,
      },
    },
  ],
};
