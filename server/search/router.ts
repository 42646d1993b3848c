import { router, sessionProcedure } from "../core/trpc";
import { SearchQuery, SearchResult } from "./schema";
import { search } from "./service";

export const searchRouter = router({
  find: sessionProcedure
    .input(SearchQuery)
    .output(SearchResult)
    .query(({ ctx, input }) => search(ctx.actor, input)),
});
