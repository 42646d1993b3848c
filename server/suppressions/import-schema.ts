/** A list of numbers to suppress in one call; a longer list takes several calls. */
import { z } from "zod";
import { kindOf, notText, untilFault } from "../core/wire";
import { IMPORT_MAX, REFUSALS_MAX } from "./import-limits";
import { CreateSuppressionInput, NOTE_MAX } from "./schema";

export const ImportSuppressionsInput = z.object({
  numbers: untilFault(z.array(z.string()).min(1).max(IMPORT_MAX), notText).describe(
    "Numbers to suppress, each with its country code; `+`, `00` and separators between digits may differ.",
  ),
  sender_id: CreateSuppressionInput.shape.sender_id,
  note: z.string().max(NOTE_MAX).nullish().describe("Your note on each number that is added, up to 255 characters."),
});
export type ImportSuppressionsInput = z.output<typeof ImportSuppressionsInput>;

export const ImportRefusal = z.object({
  line: z.number().int().describe("Place in the list, from 1."),
  number: z.string().describe("The entry as it was given; the first 64 characters if it is longer."),
  reason: z.literal("invalid_recipient").describe("`invalid_recipient`: not a phone number with its country code."),
});
export type ImportRefusal = z.output<typeof ImportRefusal>;

export const ImportResult = z.object({
  object: kindOf("suppression_import"),
  added: z.number().int().describe("Numbers that are suppressed from now on."),
  existing: z.number().int().describe("Numbers that you had suppressed before; they keep their note."),
  duplicates: z.number().int().describe("Repeats within the list."),
  refused: z
    .number()
    .int()
    .describe("Entries that are not phone numbers. The four counts add up to the length of the list."),
  refusals: z.array(ImportRefusal).max(REFUSALS_MAX).describe("The first 100 refused entries."),
});
export type ImportResult = z.output<typeof ImportResult>;
