/** Console: messages found by filters that no index serves, or several at once. */
import { z } from "zod";
import { pageOf } from "../../core/wire";
import { PROVIDERS } from "../../providers/schema";
import { NUMBER_PART_PATTERN } from "../phone";
import { ListMessagesQuery, Message } from "../schema";

/** `part`: a part of the recipient's number. `provider`: as the message shows it. */
export const SearchMessagesQuery = ListMessagesQuery.omit({ to: true, metadata: true, cursor: true }).extend({
  part: z.string().regex(NUMBER_PART_PATTERN, "must have 3 to 15 digits, with or without a leading +").optional(),
  provider: z.enum(PROVIDERS).optional(),
});
export type SearchMessagesQuery = z.output<typeof SearchMessagesQuery>;

/** `searched`: how many messages were scanned, newest first; null: all. */
export const FoundMessages = pageOf(Message).extend({ searched: z.number().int().nullable() });
export type FoundMessages = z.output<typeof FoundMessages>;
