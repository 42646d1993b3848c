/** The `webhooks` half of the API document: the requests that the service makes to its customers' endpoints. */
import { EVENT_TYPES, type EventType } from "../webhooks/schema";
import { EVENTS } from "./openapi-samples";

const WORDS: Record<EventType, { operationId: string; summary: string; description: string }> = {
  "message.sent": {
    operationId: "onMessageSent",
    summary: "A provider took a message",
    description: "Raised when a message moves to `sent`.",
  },
  "message.delivered": {
    operationId: "onMessageDelivered",
    summary: "A message was delivered",
    description: "Raised when the carrier confirmed delivery to the handset.",
  },
  "message.failed": {
    operationId: "onMessageFailed",
    summary: "A message failed",
    description:
      "Raised when a message moves to `failed` or to `undelivered`; `data.status` says which, `data.error` why.",
  },
};

const HEADERS = [
  {
    in: "header",
    name: "Service-Signature",
    required: true,
    description:
      "`t=<Unix seconds>,v1=<hex>`: HMAC-SHA-256 of `<t>.<raw body>`, keyed with the endpoint's signing secret. " +
      "Verify it over the bytes received, before parsing, and refuse a `t` more than 300 seconds away. " +
      "There can be several `v1`; one that matches is enough.",
    schema: { type: "string" },
    example: "t=1769860800,v1=5f0c3a7c8a2f4be1d6c9b1f0a4d2e8937b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e",
  },
  {
    in: "header",
    name: "User-Agent",
    required: true,
    description: "Names the service.",
    schema: { type: "string" },
    example: "Messaging-Service/1",
  },
];

const RESPONSES = {
  "2XX": { description: "Acknowledged. Anything in the body is ignored; it must come within 10 seconds." },
  default: {
    description:
      "A failed try, a redirect included. It is repeated after 30 s, 5 min, 30 min, 2 h and 12 h, and given up after six tries.",
  },
};

/** One entry per event type. */
export const webhookItems = () =>
  Object.fromEntries(
    EVENT_TYPES.map((type) => [
      type,
      {
        post: {
          ...WORDS[type],
          tags: ["Webhook requests"],
          // What authenticates these requests is their signature, not a key.
          security: [],
          parameters: HEADERS,
          requestBody: {
            required: true,
            description: "The event. The same event can come more than once: deduplicate on its `id`.",
            content: {
              "application/json": {
                schema: {
                  allOf: [
                    { $ref: "#/components/schemas/Event" },
                    {
                      type: "object",
                      properties: { type: { type: "string", const: type, description: "This event." } },
                    },
                  ],
                },
                examples: { example: { summary: WORDS[type].summary, value: EVENTS[type] } },
              },
            },
          },
          responses: RESPONSES,
        },
      },
    ]),
  );
