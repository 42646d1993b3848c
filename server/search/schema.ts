/** Console: things of the account, found by what people know of them. */
import { z } from "zod";
import { NullableDateTime } from "../core/wire";

const FOUND_KINDS = ["message", "webhook_endpoint", "event", "api_key", "sender", "account"] as const;

export const SearchQuery = z.object({ text: z.string().trim().min(2).max(100) });
export type SearchQuery = z.output<typeof SearchQuery>;

/**
 * Something found. `detail` and, of a message, `created_at` distinguish it from others of its name; `message_id`: the message of an
 * event, on whose page it is shown. Both are null for everything else.
 */
export const Found = z.object({
  kind: z.enum(FOUND_KINDS),
  id: z.string(),
  title: z.string(),
  detail: z.string(),
  message_id: z.string().nullable(),
  created_at: NullableDateTime,
});
export type Found = z.output<typeof Found>;

export const SearchResult = z.object({ items: z.array(Found) });
export type SearchResult = z.output<typeof SearchResult>;
