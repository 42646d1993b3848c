import { z } from "zod";
import {
  DateTime,
  DateTimeInput,
  DateTimeQuery,
  ENTRIES_MAX,
  kindOf,
  LiveMode,
  NullableDateTime,
  urlUpTo,
} from "../core/wire";
import { InboundMessage } from "../inbound/schema";
import { ListQuery } from "../lists/schema";
import { Message } from "../messages/schema";

/** Status changes of a message: `*`, or naming none, means these. */
export const STATUS_EVENT_TYPES = ["message.sent", "message.delivered", "message.failed"] as const;
/** Every type. A type's position is part of the ids of its events (derived-ids.ts), so new types are appended. */
export const EVENT_TYPES = [...STATUS_EVENT_TYPES, "message.received"] as const;
export type EventType = (typeof EVENT_TYPES)[number];

const URL_MAX = 2_048;

export const WebhookEndpoint = z.object({
  id: z.string().describe("Endpoint id, prefix whe_."),
  object: kindOf("webhook_endpoint"),
  livemode: LiveMode,
  url: z.string().describe("URL that events are posted to."),
  description: z.string().nullable().describe("Your description of the endpoint; null: none."),
  events: z.array(z.enum(EVENT_TYPES)).describe("Event types that the endpoint is subscribed to."),
  is_active: z
    .boolean()
    .describe(
      "False after 25 consecutive failed tries or a response with status 410 (`disabled_reason` says which), and while the endpoint is " +
        "paused (`paused_at`).",
    ),
  failure_count: z.number().int().describe("Consecutive failed tries; any 2xx resets it to 0."),
  last_success_at: NullableDateTime.describe("Time of the last acknowledged try, ISO 8601; null: never."),
  last_failure_at: NullableDateTime.describe("Time of the last failed try, ISO 8601; null: never."),
  disabled_at: NullableDateTime.describe(
    "Time when the endpoint was disabled or paused, ISO 8601; null: it is active.",
  ),
  disabled_reason: z
    .enum(["consecutive_failures", "gone"])
    .nullable()
    // Optional because a version without it may have stored the response for an Idempotency-Key; such responses show new
    // endpoints.
    .default(null)
    .describe(
      "Why it was disabled: `consecutive_failures`, 25 failed tries in a row, or `gone`, a response with status 410. Null: it is " +
        "active or paused, or was disabled before reasons were kept.",
    ),
  paused_at: NullableDateTime.default(null).describe(
    "Time when the endpoint was paused, ISO 8601; null: it is not paused. Only `resume` or `enable` ends a pause.",
  ),
  paused_by: z
    .string()
    .nullable()
    .default(null)
    .describe("Id of the API key (prefix key_) or person (prefix usr_) that paused it; null: it is not paused."),
  created_at: DateTime.describe("Time of creation, ISO 8601."),
});
export type WebhookEndpoint = z.output<typeof WebhookEndpoint>;

export const CreatedWebhookEndpoint = WebhookEndpoint.extend({
  signing_secret: z.string().describe("HMAC SHA-256 secret, shown in this response only."),
});
export type CreatedWebhookEndpoint = z.output<typeof CreatedWebhookEndpoint>;

export const RotatedWebhookEndpoint = CreatedWebhookEndpoint.extend({
  previous_secret_expires_at: DateTime.describe(
    "Time until which requests are also signed with the previous secret, ISO 8601.",
  ),
});
export type RotatedWebhookEndpoint = z.output<typeof RotatedWebhookEndpoint>;

export const CreateWebhookInput = z.object({
  url: urlUpTo(URL_MAX, { protocol: /^https?$/, error: "must be an http:// or https:// URL" }).describe(
    "URL that events are posted to, http or https; https is recommended.",
  ),
  description: z.string().max(255).nullish().describe("Your description of the endpoint."),
  events: z
    .array(z.enum(["*", ...EVENT_TYPES]))
    .min(1)
    .max(ENTRIES_MAX)
    .optional()
    .describe("Event types to subscribe to; omitted or `*`: all but `message.received`, which has to be named."),
});
export type CreateWebhookInput = z.output<typeof CreateWebhookInput>;

export const WebhookPath = z.object({ id: z.string().describe("Endpoint id, prefix whe_.") });

export const UpdateWebhookInput = WebhookPath.extend({
  url: CreateWebhookInput.shape.url.optional().describe("New URL, http or https; omitted: unchanged."),
  description: CreateWebhookInput.shape.description.describe("New description; null: none; omitted: unchanged."),
  events: CreateWebhookInput.shape.events.describe(
    "New event types; `*`: all but `message.received`; omitted: unchanged.",
  ),
});
export type UpdateWebhookInput = z.output<typeof UpdateWebhookInput>;

/** The message of an event; a schema of its own, because clients know it by this name. */
export const EventMessage = Message.extend({});

export const Event = z.object({
  id: z.string().describe("Event id, prefix evt_; the same in every delivery of the event."),
  object: kindOf("event"),
  livemode: LiveMode,
  type: z.enum(STATUS_EVENT_TYPES).describe("Event type; `message.failed` also stands for `undelivered`."),
  created_at: DateTime.describe("Time of the event, ISO 8601."),
  data: EventMessage.describe("The message as it was at the time of the event."),
});
export type Event = z.output<typeof Event>;

/** The event of a message from a handset. */
export const ReceivedEvent = Event.extend({
  type: z.literal("message.received").describe("Event type."),
  data: InboundMessage.describe("The message that was received."),
});
export type ReceivedEvent = z.output<typeof ReceivedEvent>;

export const AnyEvent = z.union([Event, ReceivedEvent]);
export type AnyEvent = z.output<typeof AnyEvent>;

export const ListEventsQuery = z.object({
  type: z
    .enum(EVENT_TYPES)
    .optional()
    .describe("Only events of this type; omitted: status changes, that is all but `message.received`."),
  message_id: z.string().min(1).max(40).optional().describe("Only events of this message, prefix msg_ or inb_."),
  created_after: DateTimeQuery.optional().describe("Only events that happened at or after this time, ISO 8601."),
  created_before: DateTimeQuery.optional().describe("Only events that happened before this time, ISO 8601."),
  ...ListQuery,
});
export type ListEventsQuery = z.output<typeof ListEventsQuery>;

const DELIVERY_STATUSES = ["pending", "delivered", "abandoned", "held"] as const;

/** One event for one endpoint, with every HTTP try. Listed when the first one has ended, or has to wait. */
export const Delivery = z.object({
  id: z.string().describe("Delivery id, prefix dlv_."),
  object: kindOf("webhook_delivery"),
  event_id: z.string().describe("Event id, prefix evt_."),
  event_type: z.enum(EVENT_TYPES).describe("Event type."),
  message_id: z.string().describe("Id of the event's message, prefix msg_, or inb_ for `message.received`."),
  status: z
    .enum(DELIVERY_STATUSES)
    .describe("`held`: the endpoint is disabled or paused. `abandoned`: all six tries failed. Both can be recovered."),
  round: z
    .number()
    .int()
    .describe(
      "Round of tries, from 0; each recovery begins the next one, and so does a last try for which the egress proxy was away.",
    ),
  attempts: z.number().int().describe("Tries made in this round."),
  next_attempt_at: NullableDateTime.describe("Time of the next try, ISO 8601; null: none is scheduled."),
  next_attempt_state: z
    .enum(["scheduled", "due", "overdue"])
    .nullable()
    .describe(
      "The next try, by the clock of the service. `due`: it is queued or being made. `overdue`: it has been due for more than " +
        "30 seconds, as in a backlog. null: none is scheduled.",
    ),
  created_at: DateTime.describe("Time of the event, ISO 8601."),
  tries: z
    .array(
      z.object({
        round: z.number().int().describe("Round of the try."),
        attempt: z.number().int().describe("Number of the try in its round, from 1."),
        status_code: z.number().int().nullable().describe("HTTP status of the response; null: no response."),
        latency_ms: z.number().int().describe("Duration in milliseconds."),
        error: z.string().nullable().describe("Reason of the failure; null: the try was acknowledged."),
        response_head: z.string().nullable().describe("First KiB of the response body; null: no complete response."),
        created_at: DateTime.describe("Time when the try ended, ISO 8601."),
      }),
    )
    .describe("All tries of all rounds, oldest first."),
});
export type Delivery = z.output<typeof Delivery>;

/** Console: a delivery with the number of its message. */
export const NumberedDelivery = Delivery.extend({
  number: z
    .string()
    .nullable()
    .describe("Recipient of the message, or for `message.received` its origin; null: the message was deleted."),
});
export type NumberedDelivery = z.output<typeof NumberedDelivery>;

export const ListDeliveriesQuery = WebhookPath.extend({
  status: z.enum(DELIVERY_STATUSES).optional().describe("Only deliveries in this status."),
  message_id: z
    .string()
    .min(1)
    .max(40)
    .optional()
    .describe("Only deliveries of events of this message, prefix msg_ or inb_."),
  ...ListQuery,
});
export type ListDeliveriesQuery = z.output<typeof ListDeliveriesQuery>;

/** Console: some deliveries of an endpoint, as many as a page has. */
export const ResendInput = WebhookPath.extend({ delivery_ids: z.array(z.string()).min(1).max(100) });
export type ResendInput = z.output<typeof ResendInput>;

/** The result of a test event. */
export const WebhookTest = z.object({
  object: kindOf("webhook_test"),
  delivered: z.boolean().describe("Whether the endpoint responded 2xx in time."),
  status_code: z.number().int().nullable().describe("HTTP status of the response; null: no response."),
  latency_ms: z.number().int().describe("Duration in milliseconds."),
  error: z.string().nullable().describe("Reason of the failure; null: the event was delivered."),
  response_head: z.string().nullable().describe("First KiB of the response body; null: no complete response."),
});
export type WebhookTest = z.output<typeof WebhookTest>;

export const RecoverInput = WebhookPath.extend({
  since: DateTimeInput.describe(
    "Start time, ISO 8601: `held` or `abandoned` deliveries of events since then are sent again.",
  ),
});
export type RecoverInput = z.output<typeof RecoverInput>;

/** Console: `left`: the chosen deliveries that a due try sends anyway. */
export const WebhookResend = z.object({
  object: kindOf("webhook_recovery"),
  recovered: z.number().int().describe("Number of deliveries that were queued again."),
  left: z.number().int().describe("Number of deliveries that were left to a try that is due."),
  tried_by: NullableDateTime.describe(
    "When those are tried at the latest, ISO 8601; null: queued for now, or being sent.",
  ),
});
export type WebhookResend = z.output<typeof WebhookResend>;

export const WebhookRecovery = z.object({
  object: kindOf("webhook_recovery"),
  recovered: z.number().int().describe("Number of deliveries that were queued again."),
});
export type WebhookRecovery = z.output<typeof WebhookRecovery>;
