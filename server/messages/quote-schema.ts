/** Console: the price of a draft message, and the reasons why it could not be sent. */
import { z } from "zod";
import { Estimate } from "./accept/estimate-schema";
import { SendMessageInput } from "./schema";

export const QuoteInput = SendMessageInput.pick({ from: true, to: true, body: true, quiet_hours: true });
export type QuoteInput = z.output<typeof QuoteInput>;

export const Quote = Estimate.extend({ is_in_numbering_plan: z.boolean() });
export type Quote = z.output<typeof Quote>;
