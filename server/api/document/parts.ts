/** Parts of the API document that do not come from procedures: texts, tags, shared components, names of schemas. */
import { Account, Balance, Usage } from "../../accounts/schema";
import { ApiKey, CreatedApiKey } from "../../api-keys/schema";
import { Deleted, Pagination } from "../../core/wire";
import { InboundMessage } from "../../inbound/schema";
import { Estimate } from "../../messages/accept/estimate-schema";
import { BulkResult, Message, MessageError } from "../../messages/schema";
import { Timeline } from "../../messages/timeline-schema";
import { Sender } from "../../senders/schema";
import { ImportResult } from "../../suppressions/import-schema";
import { Suppression } from "../../suppressions/schema";
import {
  CreatedWebhookEndpoint,
  Delivery,
  Event,
  EventMessage,
  ReceivedEvent,
  RotatedWebhookEndpoint,
  WebhookEndpoint,
  WebhookRecovery,
  WebhookTest,
} from "../../webhooks/schema";
import { GUIDES } from "./guides";
import { ENVELOPE_SCHEMAS, HEADERS, refusalResponses } from "./refusals";

const GUIDE_LINKS = GUIDES.filter(({ readers }) => readers === "callers")
  .map(({ slug, label }) => `[${label}](/docs/${slug})`)
  .join(" · ");

export const INFO_TEXT = `Send SMS, follow each message to its final state, and get signed webhooks for every change.

Every response is JSON in one envelope: \`success\`, \`data\` (or \`error\`), \`meta\`, and for paged lists \`pagination\`.
Amounts of money are decimal numbers in units of the \`currency\` beside them; times are ISO 8601 in UTC; phone numbers are
E.164, such as \`+14155550123\`. HEAD responds wherever GET does, OPTIONS on every path; a trailing slash
makes no difference. Responses from 4 KiB are compressed for callers that accept \`br\` or \`gzip\`.

New fields, operations and values of \`details.reason\` may be added at any time: ignore what you do not know. [Versioning](/docs/versioning)
says which parts are stable, and how deprecations are announced.

Guides: ${GUIDE_LINKS}

For tools: this document as [JSON](/api/v1/openapi.json) and [YAML](/api/v1/openapi.yaml), a
[Postman collection](/docs/postman.json), and an index of all guides as Markdown, [llms.txt](/llms.txt). The code samples read
your key from the environment variable \`API_KEY\`; those in Node and Python use the clients of the
[quick start](/docs/quick-start#with-typescript).`;

export const TAGS = [
  { name: "Messages", description: "Send to one recipient or to many, and follow each message." },
  { name: "Inbound", description: "Messages that people sent to the account's numbers." },
  { name: "Account", description: "The account, its balance and its usage." },
  { name: "Senders", description: "Sender IDs: the origin that recipients see. Only approved ones may be used." },
  {
    name: "Suppressions",
    description: "Numbers that get no messages, because they replied STOP or because you added them.",
  },
  {
    name: "API keys",
    description: "Keys for programs. A key has permissions, limits and, optionally, allowed addresses.",
  },
  { name: "Webhooks", description: "Your endpoints, to which events are posted." },
  {
    name: "Events",
    description: "Status changes of messages, and inbound messages: the same objects that webhooks carry.",
  },
  { name: "Webhook requests", description: "Requests that the service makes to your endpoints." },
];

/** Schemas that the document defines once, by name. */
export const NAMED_SCHEMAS = {
  Message,
  MessageError,
  BulkResult,
  Estimate,
  Timeline,
  InboundMessage,
  Account,
  Balance,
  Usage,
  Sender,
  Suppression,
  SuppressionImport: ImportResult,
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
  ReceivedEvent,
  Deleted,
  Pagination,
};

export const COMPONENTS = {
  schemas: ENVELOPE_SCHEMAS,
  parameters: {
    Prefer: {
      in: "header",
      name: "Prefer",
      required: false,
      description:
        "`handling=strict` (RFC 7240) refuses fields and query parameters that the operation does not know, and repeated fields, " +
        "with 400. Without it they are ignored, and `meta.warnings` names them.",
      schema: { type: "string" },
      example: "handling=strict",
    },
    IdempotencyKey: {
      in: "header",
      name: "Idempotency-Key",
      required: false,
      description:
        "A key that you choose, such as a UUID. Within 24 hours the same request with the same key is carried out once, " +
        "and repeats get the first response. The same key with another request is refused with 400.",
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
      description: "An API key, `ds_live_…` or in test mode `ds_test_…`, as `Authorization: Bearer <key>`.",
    },
  },
};
