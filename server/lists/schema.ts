import { z } from "zod";
import { PageQuery, pageOf } from "../core/wire";

/** Longer than any cursor. */
const CURSOR_MAX = 200;

/** Query parameters of the REST API's paged lists. */
export const ListQuery = {
  ...PageQuery,
  cursor: z
    .string()
    .min(1)
    .max(CURSOR_MAX)
    .optional()
    .describe("`meta.next_cursor` of the page before, with the same filters; instead of `page`."),
};

/** One page of a list, and the cursor of the next one; the REST edge moves `next_cursor` to `meta`. */
export const listPageOf = <Item extends z.ZodType>(item: Item) =>
  pageOf(item).extend({
    next_cursor: z.string().nullable().describe("Cursor of the next page; null: this is the last."),
  });
