/** Wire shapes of GET /messages/{id}/timeline. */
import { z } from "zod";
import { DateTime, kindOf, NullableDateTime } from "../core/wire";
import { MESSAGE_STATUSES } from "./status";

/** One entry; `details` depends on `kind`. */
const entry = <Kind extends string, Details extends z.ZodRawShape>(kind: Kind, details: Details) =>
  z.object({
    at: DateTime.describe("When it happened, ISO 8601."),
    kind: z.literal(kind).describe("Kind of the entry; `details` depends on it."),
    summary: z.string().describe("One sentence for people."),
    details: z.object(details).describe("The entry's data."),
  });

const TimelineEntry = z.discriminatedUnion("kind", [
  entry("accepted", {
    to: z.string().describe("Recipient, E.164."),
    from: z.string().describe("Sender ID used."),
    encoding: z.enum(["GSM-7", "UCS-2"]).describe("Encoding of the text."),
    segments: z.number().int().describe("Segments of the message."),
    scheduled_at: NullableDateTime.describe(
      "When it was to be sent then, ISO 8601; null: at once, or it failed when it was accepted.",
    ),
  }).describe("The message was accepted and stored."),
  entry("rescheduled", {
    scheduled_at: DateTime.describe("When it is to be sent since then, ISO 8601."),
    times: z.number().int().describe("How often it has been rescheduled; all of these share this entry."),
  }).describe("The message was rescheduled; `at` is when that was done last."),
  entry("money", {
    kind: z.enum(["reserve", "settle", "refund"]).describe("Reserved, charged or refunded."),
    amount: z
      .number()
      .describe("Change of the balance, in units of `currency`; 0 for `settle`, which charges what was reserved."),
    currency: z.string().describe("ISO 4217 code."),
  }).describe("Its cost was reserved, charged or refunded."),
  entry("attempt", {
    seq: z.number().int().describe("Number of the attempt, from 1."),
    provider: z.string().describe("Provider that was called."),
    outcome: z.enum(["accepted", "refused", "retryable", "unknown"]).nullable().describe("Null: not known yet."),
    code: z.string().nullable().describe("The provider's reason, unless it took the message."),
    detail: z.string().nullable().describe("The reason in words."),
    latency_ms: z.number().int().nullable().describe("Milliseconds until its response; null: none yet."),
  }).describe("An attempt to submit the message to a provider; `at` is its start."),
  entry("receipt", {
    status: z.enum(["sent", "delivered", "failed", "undelivered"]).describe("Status that the carrier reported."),
    code: z.string().nullable().describe("The carrier's reason."),
    detail: z.string().nullable().describe("The reason in words."),
    applied: z.boolean().describe("Whether it moved the message; late and repeated receipts do not."),
  }).describe("A delivery receipt was received."),
  entry("event", {
    event_id: z.string().describe("Event id, prefix evt_."),
    type: z.enum(["message.sent", "message.delivered", "message.failed"]).describe("Type of the event."),
    status: z.enum(MESSAGE_STATUSES).describe("Status that the message moved to."),
  }).describe("The status moved, which raised an event."),
  entry("webhook_try", {
    event_id: z.string().describe("Event id, prefix evt_."),
    endpoint_id: z.string().describe("Endpoint id, prefix whe_."),
    url: z.string().describe("URL that the event was posted to."),
    round: z
      .number()
      .int()
      .describe(
        "Round of tries, from 0; each recovery begins the next one, and so does a last try for which the egress proxy was away.",
      ),
    attempt: z.number().int().describe("Number of the try, from 1 in each round."),
    status_code: z.number().int().nullable().describe("HTTP status of the response; null: no response."),
    latency_ms: z.number().int().describe("Duration in milliseconds."),
    error: z.string().nullable().describe("Reason why the try failed; null: it was acknowledged."),
  }).describe("A try to post an event to a webhook endpoint; `at` is its end."),
]);
export type TimelineEntry = z.output<typeof TimelineEntry>;

export const Timeline = z.object({
  object: kindOf("timeline"),
  message_id: z.string().describe("Message id, prefix msg_."),
  entries: z.array(TimelineEntry).describe("All entries, oldest first, a cause before its effect."),
});
export type Timeline = z.output<typeof Timeline>;
