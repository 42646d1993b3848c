import { router, scoped, sessionProcedure } from "../core/trpc";
import { pageOf } from "../core/wire";
import { getMessage, getMessageDetail, listMessages, quoteMessage } from "./read";
import {
  BulkResult,
  ListMessagesQuery,
  Message,
  MessageDetail,
  MessagePath,
  Quote,
  QuoteInput,
  SendBulkInput,
  SendMessageInput,
} from "./schema";
import { sendBulk, sendMessage } from "./send";

export const messagesRouter = router({
  send: scoped("sms:send")
    .meta({ openapi: { method: "POST", path: "/messages/send", tags: ["Messages"], summary: "Send a message" } })
    .input(SendMessageInput)
    .output(Message)
    .mutation(({ ctx, input }) => sendMessage(ctx.actor, input, ctx)),
  bulk: scoped("sms:bulk")
    .meta({
      openapi: { method: "POST", path: "/messages/bulk", tags: ["Messages"], summary: "Send to many recipients" },
    })
    .input(SendBulkInput)
    .output(BulkResult)
    .mutation(({ ctx, input }) => sendBulk(ctx.actor, input, ctx)),
  get: scoped("sms:read")
    .meta({ openapi: { method: "GET", path: "/messages/{id}", tags: ["Messages"], summary: "Get a message" } })
    .input(MessagePath)
    .output(Message)
    .query(({ ctx, input }) => getMessage(ctx.actor, input.id)),
  list: scoped("sms:read")
    .meta({ openapi: { method: "GET", path: "/messages", tags: ["Messages"], summary: "List messages" } })
    .input(ListMessagesQuery)
    .output(pageOf(Message))
    .query(({ ctx, input }) => listMessages(ctx.actor, input)),
  detail: sessionProcedure
    .input(MessagePath)
    .output(MessageDetail)
    .query(({ ctx, input }) => getMessageDetail(ctx.actor, input.id)),
  quote: sessionProcedure
    .input(QuoteInput)
    .output(Quote)
    .query(({ ctx, input }) => quoteMessage(ctx.actor, input)),
});
