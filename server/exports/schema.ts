/** Console: lists as files. */
import { z } from "zod";
import { SearchMessagesQuery } from "../messages/search-schema";
import { ListSuppressionsQuery } from "../suppressions/schema";

/** The list, with the filters that it is shown with. `part`: a part of the recipient's number. */
export const ExportInput = z.discriminatedUnion("list", [
  SearchMessagesQuery.omit({ page: true, limit: true })
    .partial({ part: true })
    .extend({ list: z.literal("messages") }),
  ListSuppressionsQuery.omit({ page: true, limit: true }).extend({ list: z.literal("suppressions") }),
]);
export type ExportInput = z.output<typeof ExportInput>;
