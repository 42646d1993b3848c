/** Wire shapes of POST /messages/estimate. */
import { z } from "zod";
import { kindOf } from "../../core/wire";
import { MessageError, SendBulkInput, SendMessageInput, SharedInput } from "../schema";

export const EstimateInput = z
  .object({
    to: SendMessageInput.shape.to.optional().describe("Recipient, E.164, as of a single send; or give `recipients`."),
    recipients: SendBulkInput.shape.recipients
      .optional()
      .describe("1 to 1,000 recipients, E.164, as of a bulk send; or give `to`."),
    ...SharedInput,
    reference: SendMessageInput.shape.reference.describe("Your own id, as of a single send; the estimate ignores it."),
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

const Encoding = z.enum(["GSM-7", "UCS-2"]);

const NonGsm = z.object({
  character: z.string().describe("The character itself."),
  code_point: z.string().describe("Its code point, such as U+201C."),
  index: z.number().int().describe("Where it stands in `body`, in UTF-16 code units."),
  substitute: z
    .string()
    .nullable()
    .describe("What `smart_encoding` writes for it; null: it stays. For a combining accent this is the whole letter."),
});

const RecipientEstimate = z.object({
  to: z.string().describe("Recipient as given."),
  route_id: z
    .number()
    .int()
    .nullable()
    .describe("Route that it would take; null when none leads there, or its message is held back."),
  provider: z.string().nullable().describe("Provider that would be tried first; null without a route."),
  price_per_segment: z
    .number()
    .nullable()
    .describe("Price of one segment, in units of `currency`; null without a route."),
  cost: z.number().describe("Price of all segments, in units of `currency`; 0 when its message would fail at once."),
  refusal: MessageError.nullable().describe("The `error` that its message would fail with at once; null: it would go."),
});

const Refusal = z.object({
  status: z.number().int().describe("HTTP status of the send's answer."),
  code: z.string().describe("The send's `error.code`."),
  reason: z.string().describe("The finer code, as in `error.details.reason`; `code` again when there is none."),
  message: z.string().describe("The reason in words."),
  param: z.string().nullable().describe("The offending parameter, if it is one."),
});

export const Estimate = z.object({
  object: kindOf("estimate"),
  encoding: Encoding.describe("Alphabet of the text as it would be sent, that is with `smart_encoding` if asked for."),
  segments: z.number().int().describe("Segments of each message."),
  characters: z.number().int().describe("Characters (code points) of that text."),
  units: z.number().int().describe("Room that it takes: septets in GSM-7, 16-bit units in UCS-2."),
  non_gsm: z.array(NonGsm).describe("Characters of the given `body` that GSM-7 lacks, in order; at most 100."),
  smart: z
    .object({
      segments: z.number().int().describe("Segments of each message."),
      encoding: Encoding.describe("Alphabet of the text."),
      saved_segments: z.number().int().describe("How many fewer segments that is than without."),
    })
    .describe("What `smart_encoding` gives, asked for or not."),
  cost: z.number().describe("Total over all recipients, in units of `currency`."),
  currency: z.string().describe("ISO 4217 code."),
  balance: z.number().describe("Money left on the account, in units of `currency`."),
  sufficient: z.boolean().describe("Whether the balance covers the cost."),
  recipients: z.array(RecipientEstimate).describe("One item per recipient, in the order of the request."),
  refusals: z
    .array(Refusal)
    .describe("Why the send as a whole would be refused, its own answer first; empty: it would be accepted."),
});
export type Estimate = z.output<typeof Estimate>;
