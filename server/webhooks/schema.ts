import { z } from "zod";
import { DateTime, kindOf, NullableDateTime, PageQuery, urlUpTo } from "../core/wire";
import { Message } from "../messages/schema";

export const EVENT_TYPES = ["message.sent", "message.delivered", "message.failed"] as const;
export type EventType = (typeof EVENT_TYPES)[number];

const URL_MAX = 2_048;

export const WebhookEndpoint = z.object({
  id: z.string().describe("Endpoint id, prefix whe_."),
  object: kindOf("webhook_endpoint"),
  url: z.string().describe("Where events are posted."),
  description: z.string().nullable().describe("What it is for, as you named it; null: nothing was given."),
  events: z.array(z.enum(EVENT_TYPES)).describe("Event types that it is subscribed to."),
  is_active: z.boolean().describe("False after 25 failed tries in a row, or an answer of 410."),
  failure_count: z.number().int().describe("Failed tries in a row; any 2xx sets it back to 0."),
  last_success_at: NullableDateTime.describe("When it last acknowledged an event, ISO 8601; null: never."),
  last_failure_at: NullableDateTime.describe("When a try last failed, ISO 8601; null: never."),
  disabled_at: NullableDateTime.describe("When it was disabled, ISO 8601; null: it is active."),
  created_at: DateTime.describe("When it was created, ISO 8601."),
});
export type WebhookEndpoint = z.output<typeof WebhookEndpoint>;

export const CreatedWebhookEndpoint = WebhookEndpoint.extend({
  signing_secret: z.string().describe("HMAC SHA-256 secret, shown in this answer only."),
});
export type CreatedWebhookEndpoint = z.output<typeof CreatedWebhookEndpoint>;

export const RotatedWebhookEndpoint = CreatedWebhookEndpoint.extend({
  previous_secret_expires_at: DateTime.describe(
    "Until then, ISO 8601, requests are signed with the former secret too.",
  ),
});
export type RotatedWebhookEndpoint = z.output<typeof RotatedWebhookEndpoint>;

export const CreateWebhookInput = z.object({
  url: urlUpTo(URL_MAX, { protocol: /^https?$/, error: "must be an http or https URL" }).describe(
    "http or https; https is recommended.",
  ),
  description: z.string().max(255).nullish().describe("What it is for, in your words."),
  events: z
    .array(z.enum(["*", ...EVENT_TYPES]))
    .min(1)
    .optional()
    .describe("Event types to subscribe to; omitted or `*`: all three."),
});
export type CreateWebhookInput = z.output<typeof CreateWebhookInput>;

export const WebhookPath = z.object({ id: z.string().describe("Endpoint id, prefix whe_.") });

export const EventMessage = Message.extend({
  reference: z.string().nullable().describe("The `reference` of the send; null: none was given."),
});

export const Event = z.object({
  id: z.string().describe("Event id, prefix evt_; the same in every delivery of the event."),
  object: kindOf("event"),
  type: z.enum(EVENT_TYPES).describe("What happened; `message.failed` also stands for `undelivered`."),
  created_at: DateTime.describe("When it happened, ISO 8601."),
  data: EventMessage.describe("The message as it was at the time of the event."),
});
export type Event = z.output<typeof Event>;

export const ListEventsQuery = z.object({
  type: z.enum(EVENT_TYPES).optional().describe("Only events of this type."),
  ...PageQuery,
});
export type ListEventsQuery = z.output<typeof ListEventsQuery>;

const DELIVERY_STATUSES = ["pending", "delivered", "abandoned", "held"] as const;

/** One event for one endpoint, with every HTTP try. */
export const Delivery = z.object({
  id: z.string().describe("Delivery id, prefix dlv_."),
  object: kindOf("webhook_delivery"),
  event_id: z.string().describe("Event id, prefix evt_."),
  event_type: z.enum(EVENT_TYPES).describe("What happened."),
  message_id: z.string().describe("Id of the message that it happened to, prefix msg_."),
  status: z
    .enum(DELIVERY_STATUSES)
    .describe("`held`: the endpoint is disabled. `abandoned`: all six tries failed. Both can be recovered."),
  round: z.number().int().describe("0; each recovery begins the next round of tries."),
  attempts: z.number().int().describe("Tries made in this round."),
  next_attempt_at: NullableDateTime.describe("When it is tried next, ISO 8601; null: not at all."),
  created_at: DateTime.describe("When the event happened, ISO 8601."),
  tries: z
    .array(
      z.object({
        round: z.number().int().describe("Round that it belongs to."),
        attempt: z.number().int().describe("Counts from 1 in each round."),
        status_code: z.number().int().nullable().describe("HTTP status of the answer; null: there was none."),
        latency_ms: z.number().int().describe("Milliseconds that it took."),
        error: z.string().nullable().describe("Why it failed, in words; null: it was acknowledged."),
        response_head: z.string().nullable().describe("The first KiB of the answer's body."),
        created_at: DateTime.describe("When it ended, ISO 8601."),
      }),
    )
    .describe("All tries of all rounds, oldest first."),
});
export type Delivery = z.output<typeof Delivery>;

export const ListDeliveriesQuery = WebhookPath.extend({
  status: z.enum(DELIVERY_STATUSES).optional().describe("Only deliveries in this status."),
  ...PageQuery,
});
export type ListDeliveriesQuery = z.output<typeof ListDeliveriesQuery>;

/** How a test event was taken. */
export const WebhookTest = z.object({
  object: kindOf("webhook_test"),
  delivered: z.boolean().describe("Whether the endpoint answered 2xx in time."),
  status_code: z.number().int().nullable().describe("HTTP status of the answer; null: there was none."),
  latency_ms: z.number().int().describe("Milliseconds that it took."),
  error: z.string().nullable().describe("Why it failed, in words; null: it was delivered."),
  response_head: z.string().nullable().describe("The first KiB of the answer's body."),
});
export type WebhookTest = z.output<typeof WebhookTest>;

export const RecoverInput = WebhookPath.extend({
  since: DateTime.describe("Events from then on, ISO 8601; those that are `held` or `abandoned` are sent again."),
});
export type RecoverInput = z.output<typeof RecoverInput>;

export const WebhookRecovery = z.object({
  object: kindOf("webhook_recovery"),
  recovered: z.number().int().describe("Deliveries that were queued again."),
});
export type WebhookRecovery = z.output<typeof WebhookRecovery>;
