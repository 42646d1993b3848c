import { router, scoped } from "../core/trpc";
import { pageOf } from "../core/wire";
import { InboundMessage, InboundPath, ListInboundQuery } from "./schema";
import { getInbound, listInbound } from "./service";

export const inboundRouter = router({
  list: scoped("sms:read")
    .meta({
      openapi: {
        method: "GET",
        path: "/inbound",
        operationId: "listInbound",
        tags: ["Inbound"],
        summary: "List inbound messages",
        description: "Messages that people sent to the account's numbers, newest first, each once.",
      },
    })
    .input(ListInboundQuery)
    .output(pageOf(InboundMessage))
    .query(({ ctx, input }) => listInbound(ctx.actor, input)),
  get: scoped("sms:read")
    .meta({
      openapi: {
        method: "GET",
        path: "/inbound/{id}",
        operationId: "getInbound",
        tags: ["Inbound"],
        summary: "Get an inbound message",
        description: "One message that somebody sent to a number of the account.",
      },
    })
    .input(InboundPath)
    .output(InboundMessage)
    .query(({ ctx, input }) => getInbound(ctx.actor, input.id)),
});
