import { z } from "zod";
import { DateTime, DateTimeQuery, kindOf } from "../core/wire";
import { ListQuery } from "../lists/schema";

const NUMBER_MAX = 64;

/** A number in a query string, where a `+` that is not encoded as %2B arrives as a space. */
const NumberQuery = z
  .string()
  .min(1)
  .max(NUMBER_MAX)
  .overwrite((text) => text.replace(/^ /, "+"));

export const InboundMessage = z.object({
  id: z.string().describe("Inbound message id, prefix inb_."),
  object: kindOf("inbound_message"),
  from: z.string().describe("The sender: E.164, or as the provider reported it if it is not a phone number."),
  to: z.string().describe("Your number, in E.164 form, or your short code or name."),
  body: z.string().describe("Text as received; may be empty."),
  action: z
    .enum(["opt_out", "opt_in"])
    .nullable()
    .describe(
      "`opt_out`: it was a STOP, and suppressed `from` for `to`. `opt_in`: it was a START, and undid that. Null: neither.",
    ),
  provider: z.string().describe("Provider that reported the message."),
  provider_message_id: z.string().describe("The provider's own id of the message."),
  received_at: DateTime.describe("When the provider reported it, ISO 8601."),
  created_at: DateTime.describe("When it was stored, ISO 8601; the time of the list's order and filters."),
});
export type InboundMessage = z.output<typeof InboundMessage>;

export const ListInboundQuery = z.object({
  from: NumberQuery.optional().describe("Only messages from this number, E.164; encode its `+` as %2B."),
  to: NumberQuery.optional().describe(
    "Only messages to this number (E.164; encode its `+` as %2B), short code or name.",
  ),
  created_after: DateTimeQuery.optional().describe("Only messages stored at or after this time, ISO 8601."),
  created_before: DateTimeQuery.optional().describe("Only messages stored before this time, ISO 8601."),
  ...ListQuery,
});
export type ListInboundQuery = z.output<typeof ListInboundQuery>;

export const InboundPath = z.object({ id: z.string().describe("Inbound message id, prefix inb_.") });
