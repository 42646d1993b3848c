/** Wire shapes of POST /messages/estimate. */
import { z } from "zod";
import { kindOf, NullableDateTime } from "../../core/wire";
import { BulkVariables, Encoding, MessageError, SendBulkInput, SendMessageInput, SharedInput } from "../schema";

export const EstimateInput = z
  .object({
    to: SendMessageInput.shape.to.optional().describe("Recipient, E.164, as in a single send; or give `recipients`."),
    recipients: SendBulkInput.shape.recipients
      .optional()
      .describe("1 to 1,000 recipients, E.164, as in a bulk send; or give `to`."),
    ...SharedInput,
    variables: BulkVariables,
    reference: SendMessageInput.shape.reference.describe("Your own id, as in a single send; the estimate ignores it."),
    metadata: SendMessageInput.shape.metadata.describe("As in a send; the estimate ignores it."),
  })
  .refine((input) => input.to !== undefined || input.recipients !== undefined, {
    path: ["to"],
    error: "give `to` for a single message, or `recipients` for a bulk",
  })
  .refine((input) => input.to === undefined || input.recipients === undefined, {
    path: ["recipients"],
    error: "give either `to` or `recipients`, not both",
  });
export type EstimateInput = z.output<typeof EstimateInput>;

const NonGsm = z.object({
  character: z.string().describe("The character itself."),
  code_point: z.string().describe("Its code point, such as U+201C."),
  index: z.number().int().describe("Its position in `body`, in UTF-16 code units."),
  substitute: z
    .string()
    .nullable()
    .describe("Replacement by `smart_encoding`; null: none. For a combining accent this is the whole letter."),
});

const RecipientEstimate = z.object({
  to: z.string().describe("Recipient as given; of an entry that is no phone number, its first 64 characters."),
  route_id: z
    .number()
    .int()
    .nullable()
    .describe("Route that it would take; null: it has no route, or its message would be blocked."),
  provider: z.string().nullable().describe("Provider that would be tried first; null without a route."),
  price_per_segment: z
    .number()
    .nullable()
    .describe("Price of one segment, in units of `currency`; null without a route."),
  segments: z.number().int().describe("Segments of its text, which differ between recipients with `variables`."),
  cost: z.number().describe("Price of all segments, in units of `currency`; 0 when its message would fail at once."),
  scheduled_at: NullableDateTime.describe(
    "When it would be sent, ISO 8601: `send_at`, or the end of its recipient's quiet hours; null: at once, or it would fail at once.",
  ),
  refusal: MessageError.nullable().describe(
    "The `error` with which its message would fail at once; null: it would be accepted.",
  ),
});

const Refusal = z.object({
  status: z.number().int().describe("HTTP status of the send's response."),
  code: z.string().describe("The send's `error.code`."),
  reason: z.string().describe("The more specific code, as in `error.details.reason`; otherwise the same as `code`."),
  message: z.string().describe("The reason in words."),
  param: z.string().nullable().describe("The offending parameter, if any."),
});

export const Estimate = z.object({
  object: kindOf("estimate"),
  encoding: Encoding.describe("Encoding of the text as it would be sent, with `smart_encoding` if requested."),
  segments: z
    .number()
    .int()
    .describe("Segments of each message; with `variables`, of the text before they are filled in."),
  characters: z.number().int().describe("Characters (code points) of that text."),
  units: z.number().int().describe("Its length: septets in GSM-7, 16-bit units in UCS-2."),
  non_gsm: z.array(NonGsm).describe("Characters of the given `body` that GSM-7 lacks, in order; at most 100."),
  smart: z
    .object({
      segments: z.number().int().describe("Segments of each message."),
      encoding: Encoding.describe("Encoding of the text."),
      saved_segments: z.number().int().describe("Segments saved compared with the text as given."),
    })
    .describe("The result of `smart_encoding`, whether or not it is requested."),
  cost: z.number().describe("Total over all recipients, in units of `currency`."),
  currency: z.string().describe("ISO 4217 code."),
  balance: z.number().describe("Available balance of the account, in units of `currency`."),
  sufficient: z.boolean().describe("Whether the balance covers the cost."),
  recipients: z.array(RecipientEstimate).describe("One item per recipient, in the order of the request."),
  refusals: z
    .array(Refusal)
    .describe(
      "Errors that would refuse the whole send, first the one that it would return; empty: it would be accepted.",
    ),
});
export type Estimate = z.output<typeof Estimate>;
