import { z } from "zod";
import { DateTime, kindOf } from "../core/wire";
import { ListQuery } from "../lists/schema";
import { PhoneNumberQuery, SenderIdQuery, SendMessageInput } from "../messages/schema";
import { Sender } from "../senders/schema";

const SENDER_ID_MAX = 16;
export const NOTE_MAX = 255;

export const Suppression = z.object({
  id: z.string().describe("Suppression id, prefix sup_."),
  object: kindOf("suppression"),
  number: SendMessageInput.shape.to.describe("Suppressed number, E.164."),
  sender_id: Sender.shape.sender_id.nullable().describe("Suppressed sender ID; null: every sender of the account."),
  reason: z
    .enum(["stop", "manual"])
    .describe("`stop`: the recipient replied STOP, and can undo it with START. `manual`: you added it."),
  note: z.string().nullable().describe("Your note; null: none."),
  created_at: DateTime.describe("Time of creation, ISO 8601; for `stop`, the time of the latest STOP."),
});
export type Suppression = z.output<typeof Suppression>;

export const ListSuppressionsQuery = z.object({
  number: PhoneNumberQuery.optional().describe("Only suppressions of this number, E.164; encode its `+` as %2B."),
  sender_id: SenderIdQuery.optional().describe("Only suppressions for this sender ID, exact; encode a `+` as %2B."),
  ...ListQuery,
});
export type ListSuppressionsQuery = z.output<typeof ListSuppressionsQuery>;

export const CreateSuppressionInput = z.object({
  number: SendMessageInput.shape.to.describe("Number to suppress, E.164."),
  sender_id: z
    .string()
    .min(1)
    .max(SENDER_ID_MAX)
    .nullish()
    .describe(
      "One of the account's sender IDs, a number with its `+` or without; null or omitted: all of them, including future ones.",
    ),
  note: z.string().max(NOTE_MAX).nullish().describe("Your note, up to 255 characters."),
});
export type CreateSuppressionInput = z.output<typeof CreateSuppressionInput>;

export const SuppressionPath = z.object({ id: z.string().describe("Suppression id, prefix sup_.") });
