import { z } from "zod";
import { DateTime, kindOf, LiveMode, NullableDateTime } from "../core/wire";
import { ListQuery } from "../lists/schema";

export const SENDER_TYPES = ["alphanumeric", "numeric", "short_code", "long_code"] as const;
export const SENDER_STATUSES = ["pending", "approved", "rejected", "suspended"] as const;
const SENDER_ID_MAX = 16;

/** The kinds of templates that registrations in India know, as Plivo names them. */
const DLT_TEMPLATE_CATEGORIES = ["transactional", "promotional", "service_implicit", "service_explicit"] as const;

/** Registrations in India have 19 digits; some providers take up to 30. */
const DltId = z.string().regex(/^\d{1,30}$/, "must be up to 30 digits");

const DltInput = {
  dlt_entity_id: DltId.nullish().describe("Principal entity id of the registration in India (DLT), up to 30 digits."),
  dlt_template_id: DltId.nullish().describe(
    "Id of the registered template that texts of this sender follow, up to 30 digits; with `dlt_entity_id` only.",
  ),
  dlt_template_category: z
    .enum(DLT_TEMPLATE_CATEGORIES)
    .nullish()
    .describe("Kind of that template; with `dlt_entity_id` only."),
};

export const Sender = z.object({
  id: z.string().describe("Sender id, prefix snd_."),
  object: kindOf("sender"),
  livemode: LiveMode,
  sender_id: z.string().describe("Origin that recipients see."),
  type: z.enum(SENDER_TYPES).describe("Kind of sender ID."),
  country_code: z.string().nullable().describe("Country of registration, ISO 3166-1 alpha-2; null: none."),
  status: z.enum(SENDER_STATUSES).describe("Review status. Only an approved sender may be used in `from`."),
  status_reason: z
    .string()
    .nullable()
    .describe("Reason that the operator gave for a rejection or suspension; null: none."),
  // Responses that a version without them stored for an Idempotency-Key have no ids.
  dlt_entity_id: z
    .string()
    .nullable()
    .default(null)
    .describe("Principal entity id in India (DLT), which carriers get with messages to India; null: none."),
  dlt_template_id: z.string().nullable().default(null).describe("Template id in India (DLT); null: none."),
  dlt_template_category: z
    .enum(DLT_TEMPLATE_CATEGORIES)
    .nullable()
    .default(null)
    .describe("Kind of that template; null: none."),
  approved_at: NullableDateTime.describe("Time of approval, ISO 8601; null: not approved."),
  created_at: DateTime.describe("Time of registration, ISO 8601."),
});
export type Sender = z.output<typeof Sender>;

export const ListSendersQuery = z.object({
  status: z.enum(SENDER_STATUSES).optional().describe("Only senders in this status."),
  ...ListQuery,
});
export type ListSendersQuery = z.output<typeof ListSendersQuery>;

export const CreateSenderInput = z.object({
  sender_id: z
    .string()
    .min(1)
    .max(SENDER_ID_MAX, "must be up to 11 characters, or a number of up to 15 digits")
    .describe(
      "Up to 11 characters: letters (A to Z), digits, spaces and . _ - &, with at least one letter and no space at either end; " +
        "or a number of 3 to 15 digits, with or without a leading +.",
    ),
  type: z.enum(SENDER_TYPES).optional().describe("Kind of sender ID. Omitted: derived from `sender_id`."),
  country_code: z
    .string()
    .length(2)
    .regex(/^[A-Za-z]{2}$/, "must be two letters")
    .optional()
    .describe("Country of registration, ISO 3166-1 alpha-2."),
  ...DltInput,
});
export type CreateSenderInput = z.output<typeof CreateSenderInput>;

export const SenderPath = z.object({ id: z.string().describe("Sender id, prefix snd_.") });

export const UpdateSenderInput = SenderPath.extend(DltInput);
export type UpdateSenderInput = z.output<typeof UpdateSenderInput>;
