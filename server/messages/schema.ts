import { z } from "zod";
import {
  DateTime,
  DateTimeInput,
  DateTimeQuery,
  kindOf,
  NullableDateTime,
  notTexts,
  OWN_NAME,
  ownNamed,
  untilFault,
} from "../core/wire";
import { ListQuery } from "../lists/schema";
import { FAILURE_REASONS, PROVIDERS } from "../providers/schema";
import { MetadataInput, MetadataOutput, MetadataQuery } from "./metadata";
import { E164_PATTERN } from "./phone";
import { BODY_MAX_CHARACTERS } from "./segments";
import { FINAL_RECEIPT_WITHIN_S, MESSAGE_STATUSES } from "./status";

const BODY_TOO_LONG = `must have at most ${BODY_MAX_CHARACTERS} characters`;
const NO_PHONE_NUMBER = "must be a phone number in E.164 form, such as +14155550123";
const RECIPIENTS_MAX = 1_000;
const REFERENCE_MAX = 255;
const VARIABLE_NAME_MAX = 100;
const VALIDITY_MIN_S = 60;

export const MessageError = z.object({
  code: z.string().describe("Machine-readable cause: ours are listed in the guide to errors, others are a provider's."),
  message: z.string().describe("The reason in words."),
  reason: z
    .enum(FAILURE_REASONS)
    .describe("The kind of failure, the same for all providers: the guide to errors says what to do about each."),
});
export type MessageError = z.output<typeof MessageError>;

export const Encoding = z.enum(["GSM-7", "UCS-2"]);

export const Message = z.object({
  id: z.string().describe("Message id, prefix msg_."),
  object: kindOf("message"),
  to: z.string().describe("Recipient, E.164; of a bulk entry that is no phone number, its first 64 characters."),
  from: z.string().describe("Sender ID used."),
  body: z
    .string()
    .describe("Text of the message as sent; empty once it was deleted, on request or because of its age."),
  encoding: Encoding.describe("Encoding of the text: `GSM-7`, or `UCS-2` if a character is outside GSM-7."),
  segments: z.number().int().describe("Segments of the text; each is billed."),
  reference: z.string().nullable().describe("The `reference` of the send request; null: none."),
  metadata: MetadataOutput,
  status: z
    .enum(MESSAGE_STATUSES)
    .describe("`pending` until a provider took it (`sent`), then `delivered`, `undelivered` or `failed`; never back."),
  cost: z.number().describe("Total over all segments, in units of `currency`; 0 once refunded."),
  currency: z.string().describe("ISO 4217 code."),
  provider: z.string().describe("Provider that took the message; before that, the first one to be tried; empty: none."),
  provider_message_id: z.string().describe("The provider's own id; empty until a provider took the message."),
  attempts: z.number().int().describe("Attempts at providers so far, the one under way included."),
  error: MessageError.nullable().describe("Reason why it failed or was not delivered; null: it did not fail."),
  created_at: DateTime.describe("When it was accepted, ISO 8601."),
  sent_at: NullableDateTime.describe("When a provider took it, ISO 8601; null: not yet."),
  delivered_at: NullableDateTime.describe("When the carrier confirmed delivery, ISO 8601; null: not yet."),
  failed_at: NullableDateTime.describe("When it failed for good, ISO 8601; null: it did not."),
  scheduled_at: NullableDateTime.describe(
    "When it is to be sent, or was until it ended, ISO 8601: the latest `send_at`, the end of its recipient's quiet hours, or the time at " +
      "which it was rescheduled to be sent at once. Null: it was not scheduled, or it failed when it was accepted.",
  ),
  validity_period: z
    .number()
    .int()
    .nullable()
    .describe("Seconds for which it may be sent and delivered, as requested; null: no limit of its own."),
});
export type Message = z.output<typeof Message>;

const MessageBody = z
  .string()
  .min(1, "must not be empty")
  .max(BODY_MAX_CHARACTERS, BODY_TOO_LONG)
  .describe("Text, up to 1,600 characters; split into segments of 160/153 (GSM-7) or 70/67 (UCS-2).");
const SENDER_ID_MAX = 16;
const From = z
  .string()
  .min(1)
  .max(SENDER_ID_MAX)
  .describe(
    "An approved sender ID of the account; a number with its `+` or without, and then the message has the registered spelling.",
  );
const RouteId = z
  .int()
  .min(1)
  .max(2_147_483_647)
  .nullish()
  .describe("Route to use; null or omitted: chosen by the recipient's prefix.");
const Provider = z.enum(PROVIDERS).nullish().describe("Provider to try first; the rest of the chain follows it.");

const SmartEncoding = z
  .boolean()
  .nullish()
  .describe(
    "Replaces typographic punctuation and unusual spaces by GSM-7 characters; false when null or omitted. The response's `body` is the text as sent.",
  );

const SendAt = DateTimeInput.nullish().describe(
  "When to send, ISO 8601 with an offset; in the future, at most 30 days ahead. The cost is reserved at once. Null or omitted: at once.",
);

const ValidityPeriod = z
  .int()
  .min(VALIDITY_MIN_S)
  .max(FINAL_RECEIPT_WITHIN_S)
  .nullish()
  .describe(
    "Seconds, 60 to 259,200, from `send_at` or else the acceptance: after that no provider gets it, and one that has it is " +
      "asked to stop trying. Null or omitted: no limit of its own.",
  );

const QuietHoursChoice = z
  .enum(["apply", "ignore"])
  .nullish()
  .describe(
    "`ignore` sends in quiet hours of the recipient too, for what cannot wait, such as a one-time code. Omitted, null or " +
      "`apply`: in quiet hours, if the account has any, the message waits for their end.",
  );

/** Input shared by a single send, a bulk send and their estimate. */
export const SharedInput = {
  from: From,
  body: MessageBody,
  route_id: RouteId,
  provider: Provider,
  smart_encoding: SmartEncoding,
  send_at: SendAt,
  validity_period: ValidityPeriod,
  quiet_hours: QuietHoursChoice,
};

/** Text of a query string that may begin with a `+`, which arrives as a space when it is not encoded as %2B. */
const PlusQuery = z.string().overwrite((text) => text.replace(/^ /, "+"));

export const PhoneNumber = z.string().regex(E164_PATTERN, NO_PHONE_NUMBER);

/** A phone number in a query string. */
export const PhoneNumberQuery = PlusQuery.regex(E164_PATTERN, NO_PHONE_NUMBER);

/** A sender ID in a query string. None begins with a space. */
export const SenderIdQuery = PlusQuery.min(1).max(SENDER_ID_MAX);

export const SendMessageInput = z.object({
  to: PhoneNumber.describe("Recipient, E.164."),
  ...SharedInput,
  reference: z
    .string()
    .max(REFERENCE_MAX)
    .nullish()
    .describe(
      "Your own id; returned with the message and in webhooks as it is, also an empty one, and a filter of the list. " +
        "Null or omitted: none.",
    ),
  metadata: MetadataInput,
});
export type SendMessageInput = z.output<typeof SendMessageInput>;

/** Input of a bulk send and of its estimate. */
export const BulkVariables = untilFault(
  z
    .array(ownNamed(z.record(z.string().max(VARIABLE_NAME_MAX).meta(OWN_NAME), z.string().max(BODY_MAX_CHARACTERS))))
    .max(RECIPIENTS_MAX),
  notTexts({ nameMax: VARIABLE_NAME_MAX, valueMax: BODY_MAX_CHARACTERS }),
)
  .nullish()
  .describe(
    "Values for the placeholders of `body`, such as `{{name}}`: one object per recipient, in the order of `recipients`. " +
      "Null or omitted: `body` is sent as it is.",
  );

export const SendBulkInput = z.object({
  recipients: z
    .array(z.string())
    .min(1)
    .max(RECIPIENTS_MAX)
    .describe("1 to 1,000 recipients, E.164; each gets a message of its own. An invalid one fails alone."),
  ...SharedInput,
  metadata: MetadataInput,
  variables: BulkVariables,
});
export type SendBulkInput = z.output<typeof SendBulkInput>;

export const BulkResult = z.object({
  object: kindOf("bulk_result"),
  total: z.number().int().describe("Recipients in the request."),
  sent: z.number().int().describe("Messages accepted."),
  failed: z.number().int().describe("Recipients that failed at once; see each item's `error`."),
  messages: z.array(Message).describe("One item per recipient, in the order of the request."),
});
export type BulkResult = z.output<typeof BulkResult>;

export const ListMessagesQuery = z.object({
  status: z.enum(MESSAGE_STATUSES).optional().describe("Only messages in this status."),
  to: PhoneNumberQuery.optional().describe("Only messages to this recipient, E.164; encode its `+` as %2B."),
  from: SenderIdQuery.optional().describe(
    "Only messages from this sender ID, a number as it is registered; encode its `+` as %2B.",
  ),
  reference: z
    .string()
    .max(REFERENCE_MAX)
    .optional()
    .describe("Only messages with exactly this `reference`; empty: with the empty one."),
  metadata: MetadataQuery,
  api_key_id: z
    .string()
    .min(1)
    .max(40)
    .optional()
    .describe("Only messages sent with this API key, prefix key_; those sent in the console have none."),
  created_after: DateTimeQuery.optional().describe("Only messages created at or after this time, ISO 8601."),
  created_before: DateTimeQuery.optional().describe("Only messages created before this time, ISO 8601."),
  ...ListQuery,
});
export type ListMessagesQuery = z.output<typeof ListMessagesQuery>;

export const MessagePath = z.object({ id: z.string().describe("Message id, prefix msg_.") });

export const RescheduleInput = MessagePath.extend({
  send_at: DateTimeInput.nullable().describe(
    "When to send instead, ISO 8601 with an offset; in the future, at most 30 days ahead. Null: at once.",
  ),
  quiet_hours: QuietHoursChoice,
});
export type RescheduleInput = z.output<typeof RescheduleInput>;

/** Console: one message with its attempts, receipts, money and deliveries. Money in units of its currency. */
export const MessageDetail = z.object({
  message: Message,
  reference: z.string().nullable(),
  /** The key that it was sent with; null: it was sent in the console. */
  api_key: z.object({ id: z.string(), name: z.string() }).nullable(),
  encoding: Encoding,
  segments: z.number().int(),
  /** When it was rescheduled last, and how often; null: never, or by a version that did not store it. */
  rescheduled: z.object({ at: DateTime, times: z.number().int() }).nullable(),
  attempts: z.array(
    z.object({
      seq: z.number().int(),
      provider: z.string(),
      outcome: z.enum(["accepted", "refused", "retryable", "unknown"]).nullable(),
      code: z.string().nullable(),
      detail: z.string().nullable(),
      latency_ms: z.number().int().nullable(),
      started_at: DateTime,
    }),
  ),
  receipts: z.array(
    z.object({
      status: z.string(),
      code: z.string().nullable(),
      detail: z.string().nullable(),
      applied: z.boolean(),
      received_at: DateTime,
    }),
  ),
  ledger: z.array(z.object({ kind: z.string(), amount: z.number(), created_at: DateTime })),
  deliveries: z.array(
    z.object({
      id: z.string(),
      endpoint_id: z.string(),
      url: z.string(),
      event_type: z.string(),
      status: z.string(),
      attempts: z.number().int(),
      created_at: DateTime,
    }),
  ),
});
export type MessageDetail = z.output<typeof MessageDetail>;
