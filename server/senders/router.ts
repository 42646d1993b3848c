import { z } from "zod";
import { router, scoped, sessionProcedure } from "../core/trpc";
import { Deleted } from "../core/wire";
import { listPageOf } from "../lists/schema";
import { CreateSenderInput, ListSendersQuery, Sender, SenderPath, UpdateSenderInput } from "./schema";
import { createSender, deleteSender, getSender, listSenderNames, listSenders } from "./service";
import { updateSender } from "./update";

export const sendersRouter = router({
  list: scoped(null)
    .meta({
      openapi: {
        method: "GET",
        path: "/senders",
        operationId: "listSenders",
        tags: ["Senders"],
        summary: "List senders",
        description: "The account's sender IDs, newest first.",
      },
    })
    .input(ListSendersQuery)
    .output(listPageOf(Sender))
    .query(({ ctx, input }) => listSenders(ctx.actor, input)),
  names: sessionProcedure.output(z.array(z.string())).query(({ ctx }) => listSenderNames(ctx.actor)),
  create: scoped("senders:write")
    .meta({
      openapi: {
        method: "POST",
        path: "/senders/create",
        operationId: "createSender",
        tags: ["Senders"],
        summary: "Register a sender",
        description:
          "A new sender is `pending` until an operator of the installation reviews it; in test mode it is `approved` at once.",
      },
    })
    .input(CreateSenderInput)
    .output(Sender)
    .mutation(({ ctx, input }) => createSender(ctx.actor, input, ctx)),
  get: scoped(null)
    .meta({
      openapi: {
        method: "GET",
        path: "/senders/{id}",
        operationId: "getSender",
        tags: ["Senders"],
        summary: "Get a sender",
        description: "One sender ID of the account.",
      },
    })
    .input(SenderPath)
    .output(Sender)
    .query(({ ctx, input }) => getSender(ctx.actor, input.id)),
  update: scoped("senders:write")
    .meta({
      openapi: {
        method: "PATCH",
        path: "/senders/{id}",
        operationId: "updateSender",
        tags: ["Senders"],
        summary: "Change a sender",
        description:
          "Changes the ids of its registration in India (DLT) that are given; null takes one away. They go with the messages that " +
          "providers are given from then on. Its approval stays.",
      },
    })
    .input(UpdateSenderInput)
    .output(Sender)
    .mutation(({ ctx, input }) => updateSender(ctx.actor, input)),
  delete: scoped("senders:write")
    .meta({
      openapi: {
        method: "DELETE",
        path: "/senders/{id}",
        operationId: "deleteSender",
        tags: ["Senders"],
        summary: "Delete a sender",
        description:
          "No message is sent from it any more: those that no provider has taken yet fail with `sender_not_approved` and are " +
          "refunded; those under way go on, and their receipts and webhooks still come. Suppressions stay. A sender that an " +
          "operator rejected, suspended or slowed down cannot be deleted.",
      },
    })
    .input(SenderPath)
    .output(Deleted)
    .mutation(({ ctx, input }) => deleteSender(ctx.actor, input.id)),
});
