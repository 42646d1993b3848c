import { router, scoped } from "../core/trpc";
import { pageOf } from "../core/wire";
import { CreateSenderInput, ListSendersQuery, Sender, SenderPath } from "./schema";
import { createSender, getSender, listSenders } from "./service";

export const sendersRouter = router({
  list: scoped(null)
    .meta({ openapi: { method: "GET", path: "/senders", tags: ["Senders"], summary: "List senders" } })
    .input(ListSendersQuery)
    .output(pageOf(Sender))
    .query(({ ctx, input }) => listSenders(ctx.actor, input)),
  create: scoped("senders:write")
    .meta({ openapi: { method: "POST", path: "/senders/create", tags: ["Senders"], summary: "Register a sender" } })
    .input(CreateSenderInput)
    .output(Sender)
    .mutation(({ ctx, input }) => createSender(ctx.actor, input, ctx)),
  get: scoped(null)
    .meta({ openapi: { method: "GET", path: "/senders/{id}", tags: ["Senders"], summary: "Get a sender" } })
    .input(SenderPath)
    .output(Sender)
    .query(({ ctx, input }) => getSender(ctx.actor, input.id)),
});
