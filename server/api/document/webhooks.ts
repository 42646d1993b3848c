/** The `webhooks` part of the API document: the requests that the service makes to customers' endpoints. */
import { EVENT_TYPES, type EventType } from "../../webhooks/schema";
import { EVENTS } from "./samples";
import { WEBHOOK_SAMPLES } from "./webhook-samples";

const TEXTS: Record<EventType, { operationId: string; summary: string; description: string }> = {
  "message.sent": {
    operationId: "onMessageSent",
    summary: "A provider accepted a message",
    description: "Raised when a message moves to `sent`.",
  },
  "message.delivered": {
    operationId: "onMessageDelivered",
    summary: "A message was delivered",
    description: "Raised when the carrier confirms delivery to the handset.",
  },
  "message.failed": {
    operationId: "onMessageFailed",
    summary: "A message failed",
    description: "Raised when a message moves to `failed` or to `undelivered`; see `data.status` and `data.error`.",
  },
  "message.received": {
    operationId: "onMessageReceived",
    summary: "Somebody sent a message to one of your numbers",
    description:
      "Raised once for each inbound message, also for STOP and START. Posted only to endpoints that name this type; `*` " +
      "does not include it.",
  },
};

const header = (name: string, required: boolean, description: string, example: string) => ({
  in: "header",
  name,
  required,
  description,
  schema: { type: "string" },
  example,
});

const HEADERS = [
  header(
    "Service-Signature",
    true,
    "`t=<Unix seconds>,v1=<hex>`: HMAC-SHA-256 of `<t>.<raw body>`, keyed with the endpoint's signing secret. Verify it " +
      "over the bytes received, before parsing, and refuse a `t` more than 300 seconds away. For 24 hours after a " +
      "rotation of the secret there are two `v1`; one that matches is enough.",
    "t=1769860800,v1=5f0c3a7c8a2f4be1d6c9b1f0a4d2e8937b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e",
  ),
  header(
    "webhook-id",
    true,
    "The event's id, the same in every try. First of the three headers of the Standard Webhooks specification.",
    EVENTS["message.sent"].id,
  ),
  header("webhook-timestamp", true, "Unix seconds of this try.", "1769860800"),
  header(
    "webhook-signature",
    true,
    "`v1,<base64>`: HMAC-SHA-256 of `<webhook-id>.<webhook-timestamp>.<raw body>`, keyed with the base64-decoded part of " +
      "the signing secret after `whsec_`. Several are separated by spaces. For Standard Webhooks libraries.",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  ),
  header("Service-Test", false, "`true` for a test event about an invented message; absent otherwise.", "true"),
  header("User-Agent", true, "Names the service.", "Messaging-Service/1"),
];

const RESPONSES = {
  "2XX": { description: "Acknowledged. Must arrive within 10 seconds; the body is ignored." },
  "410": { description: "Gone: the endpoint is disabled at once." },
  default: {
    description:
      "A failed try; a redirect is one too. It is retried after 30 s, 5 min, 30 min, 2 h and 12 h, or a step later if " +
      "`Retry-After` of a 429 or 503 asks for it, and abandoned after six tries. 25 consecutive failed tries disable the endpoint.",
  },
};

/** One entry per event type. */
export const webhookItems = () =>
  Object.fromEntries(
    EVENT_TYPES.map((type) => [
      type,
      {
        post: {
          ...TEXTS[type],
          tags: ["Webhook requests"],
          // These requests are authenticated by their signature, not by a key.
          security: [],
          parameters: HEADERS,
          requestBody: {
            required: true,
            description: "The event. It may arrive more than once: deduplicate by `id`.",
            content: {
              "application/json": {
                schema: {
                  allOf: [
                    { $ref: `#/components/schemas/${type === "message.received" ? "ReceivedEvent" : "Event"}` },
                    {
                      type: "object",
                      properties: { type: { type: "string", const: type, description: "This event." } },
                    },
                  ],
                },
                examples: { example: { summary: TEXTS[type].summary, value: EVENTS[type] } },
              },
            },
          },
          responses: RESPONSES,
          "x-codeSamples": WEBHOOK_SAMPLES,
        },
      },
    ]),
  );
