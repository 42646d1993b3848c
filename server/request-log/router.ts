import { router, sessionProcedure } from "../core/trpc";
import {
  ListRequestsQuery,
  LoggedRequestDetail,
  LoggedRequests,
  RequestOfMessage,
  RequestOfMessagePath,
  RequestPath,
} from "./schema";
import { findRequestOf, getRequest, listRequests } from "./service";

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
  ofMessage: sessionProcedure
    .input(RequestOfMessagePath)
    .output(RequestOfMessage)
    .query(({ ctx, input }) => findRequestOf(ctx.actor, input.message_id)),
});
