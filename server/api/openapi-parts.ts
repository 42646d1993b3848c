/** The parts of the API document that no procedure has: words, tags, shared components and the names of schemas. */
import { Account, Balance, Usage } from "../accounts/schema";
import { ApiKey, CreatedApiKey } from "../api-keys/schema";
import { Deleted, Pagination } from "../core/wire";
import { Estimate } from "../messages/accept/estimate-schema";
import { BulkResult, Message, MessageError } from "../messages/schema";
import { Timeline } from "../messages/timeline-schema";
import { Sender } from "../senders/schema";
import { Suppression } from "../suppressions/schema";
import {
  CreatedWebhookEndpoint,
  Delivery,
  Event,
  EventMessage,
  RotatedWebhookEndpoint,
  WebhookEndpoint,
  WebhookRecovery,
  WebhookTest,
} from "../webhooks/schema";
import { ENVELOPE_SCHEMAS, HEADERS, refusalResponses } from "./openapi-refusals";

export const INFO_TEXT = `Send SMS, follow each message to its final state, and be told of every change by signed webhooks.

Every answer is JSON in one envelope: \`success\`, \`data\` (or \`error\`), \`meta\`, and for paged lists \`pagination\`.
Amounts of money are decimal numbers in units of the \`currency\` beside them; times are ISO 8601 in UTC; phone numbers are
E.164, such as \`+14155550123\`.

Guides: [quick start](/docs/quick-start) · [authentication](/docs/authentication) · [sending](/docs/sending) ·
[errors](/docs/errors) · [webhooks](/docs/webhooks) · [limits](/docs/limits) · [idempotency](/docs/idempotency) ·
[scenario numbers](/docs/scenario-numbers)`;

export const TAGS = [
  { name: "Messages", description: "Send to one recipient or to many, and follow what became of it." },
  { name: "Account", description: "The account, its balance and what it used." },
  { name: "Senders", description: "Sender IDs: what recipients see as the origin. Only approved ones may be used." },
  { name: "Suppressions", description: "Numbers that get no messages: who answered with STOP, and who you add." },
  { name: "API keys", description: "Keys for programs. A key has permissions, limits and, if wanted, addresses." },
  { name: "Webhooks", description: "Endpoints of yours that events are posted to." },
  { name: "Events", description: "What happened to messages: the same objects that webhooks carry." },
  { name: "Webhook requests", description: "Requests that the service makes to your endpoints." },
];

/** Schemas that the document names once and refers to. */
export const NAMED_SCHEMAS = {
  Message,
  MessageError,
  BulkResult,
  Estimate,
  Timeline,
  Account,
  Balance,
  Usage,
  Sender,
  Suppression,
  ApiKey,
  CreatedApiKey,
  WebhookEndpoint,
  CreatedWebhookEndpoint,
  RotatedWebhookEndpoint,
  WebhookDelivery: Delivery,
  WebhookTest,
  WebhookRecovery,
  Event,
  EventMessage,
  Deleted,
  Pagination,
};

export const COMPONENTS = {
  schemas: ENVELOPE_SCHEMAS,
  parameters: {
    IdempotencyKey: {
      in: "header",
      name: "Idempotency-Key",
      required: false,
      description:
        "A key of your own, such as a UUID: within 24 hours the same request with it is carried out once, and its first " +
        "answer comes back. With another request it is a 400.",
      schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x21-\\x7e]+$" },
      example: "6f1c2d34-9a70-4b5e-8c21-0d3e4f5a6b7c",
    },
  },
  headers: HEADERS,
  responses: refusalResponses(),
  securitySchemes: {
    apiKey: {
      type: "http",
      scheme: "bearer",
      description: "An API key, `ds_live_…`, as `Authorization: Bearer <key>`.",
    },
  },
};
