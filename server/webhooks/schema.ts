import { z } from "zod";
import { DateTime, NullableDateTime, PageQuery } from "../core/wire";
import { Message } from "../messages/schema";

export const EVENT_TYPES = ["message.sent", "message.delivered", "message.failed"] as const;
export type EventType = (typeof EVENT_TYPES)[number];

const URL_MAX = 2_048;

export const WebhookEndpoint = z.object({
  id: z.string().describe("Endpoint id, prefix whe_."),
  object: z.literal("webhook_endpoint"),
  url: z.string().describe("Where events are posted."),
  description: z.string().nullable(),
  events: z.array(z.enum(EVENT_TYPES)).describe("Event types that it is subscribed to."),
  is_active: z.boolean().describe("False after 25 failed tries in a row."),
  failure_count: z.number().int().describe("Failed tries in a row; any 2xx sets it back to 0."),
  last_success_at: NullableDateTime,
  last_failure_at: NullableDateTime,
  disabled_at: NullableDateTime,
  created_at: DateTime,
});
export type WebhookEndpoint = z.output<typeof WebhookEndpoint>;

export const CreatedWebhookEndpoint = WebhookEndpoint.extend({
  signing_secret: z.string().describe("HMAC SHA-256 secret, shown in this answer only."),
});
export type CreatedWebhookEndpoint = z.output<typeof CreatedWebhookEndpoint>;

export const CreateWebhookInput = z.object({
  url: z
    .url({ protocol: /^https?$/, error: "must be an http or https URL" })
    .max(URL_MAX)
    .describe("http or https; https is recommended."),
  description: z.string().max(255).nullish(),
  events: z
    .array(z.enum(["*", ...EVENT_TYPES]))
    .min(1)
    .optional()
    .describe("Omitted or `*`: all three."),
});
export type CreateWebhookInput = z.output<typeof CreateWebhookInput>;

export const WebhookPath = z.object({ id: z.string().describe("Endpoint id, prefix whe_.") });

export const Event = z.object({
  id: z.string().describe("Event id, prefix evt_; the same in every delivery of the event."),
  object: z.literal("event"),
  type: z.enum(EVENT_TYPES),
  created_at: DateTime,
  data: Message.extend({
    reference: z.string().nullable().describe("The `reference` of the send."),
  }).describe("The message as it was at the time of the event."),
});
export type Event = z.output<typeof Event>;

export const ListEventsQuery = z.object({ type: z.enum(EVENT_TYPES).optional(), ...PageQuery });
export type ListEventsQuery = z.output<typeof ListEventsQuery>;

/** Console: one event for one endpoint, with every HTTP try. */
export const Delivery = z.object({
  id: z.string(),
  event_id: z.string(),
  event_type: z.enum(EVENT_TYPES),
  message_id: z.string(),
  status: z.enum(["pending", "delivered", "abandoned", "held"]),
  attempts: z.number().int(),
  next_attempt_at: NullableDateTime,
  created_at: DateTime,
  tries: z.array(
    z.object({
      attempt: z.number().int(),
      status_code: z.number().int().nullable(),
      latency_ms: z.number().int(),
      error: z.string().nullable(),
      response_head: z.string().nullable(),
      created_at: DateTime,
    }),
  ),
});
export type Delivery = z.output<typeof Delivery>;

export const ListDeliveriesQuery = z.object({
  endpoint_id: z.string(),
  status: z.enum(["pending", "delivered", "abandoned", "held"]).optional(),
  ...PageQuery,
});
export type ListDeliveriesQuery = z.output<typeof ListDeliveriesQuery>;
