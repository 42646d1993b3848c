/** Console: a list of numbers that is imported in parts. */
import { z } from "zod";
import { IMPORT_MAX, REFUSALS_MAX } from "./import-limits";
import { CreateSuppressionInput } from "./schema";

export const ImportSuppressionsInput = z.object({
  numbers: z.array(z.string()).min(1).max(IMPORT_MAX),
  sender_id: CreateSuppressionInput.shape.sender_id,
  note: CreateSuppressionInput.shape.note,
});
export type ImportSuppressionsInput = z.output<typeof ImportSuppressionsInput>;

/** `line`: place in the list, from 1. `number`: as it came, its beginning if it is long. */
export const ImportRefusal = z.object({
  line: z.number().int(),
  number: z.string(),
  reason: z.literal("invalid_recipient"),
});
export type ImportRefusal = z.output<typeof ImportRefusal>;

/** The counts add up to the length of the list. `existing`: suppressed by hand before. `duplicates`: repeats in the list. */
export const ImportResult = z.object({
  object: z.literal("suppression_import"),
  added: z.number().int(),
  existing: z.number().int(),
  duplicates: z.number().int(),
  refused: z.number().int(),
  refusals: z.array(ImportRefusal).max(REFUSALS_MAX),
});
export type ImportResult = z.output<typeof ImportResult>;
