import { router, sessionProcedure } from "../core/trpc";
import { ListRequestsQuery, LoggedRequestDetail, LoggedRequests, RequestPath } from "./schema";
import { getRequest, listRequests } from "./service";

/** Console only. */
export const requestLogRouter = router({
  list: sessionProcedure
    .input(ListRequestsQuery)
    .output(LoggedRequests)
    .query(({ ctx, input }) => listRequests(ctx.actor, input)),
  get: sessionProcedure
    .input(RequestPath)
    .output(LoggedRequestDetail)
    .query(({ ctx, input }) => getRequest(ctx.actor, input.id)),
});
