/** Console: lists as files. */
import { z } from "zod";
import { SearchMessagesQuery } from "../messages/lists/search-schema";
import { ListSuppressionsQuery } from "../suppressions/schema";

/** The list, with the filters that it is shown with. */
export const ExportInput = z.discriminatedUnion("list", [
  SearchMessagesQuery.omit({ page: true, limit: true }).extend({ list: z.literal("messages") }),
  ListSuppressionsQuery.omit({ page: true, limit: true }).extend({ list: z.literal("suppressions") }),
]);
export type ExportInput = z.output<typeof ExportInput>;
