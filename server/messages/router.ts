import { router, scoped, sessionProcedure } from "../core/trpc";
import { pageOf } from "../core/wire";
import { estimateSend } from "./estimate";
import { Estimate, EstimateInput } from "./estimate-schema";
import { getMessage, getMessageDetail, getTimeline, listMessages, quoteMessage } from "./read";
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
import { Timeline } from "./timeline-schema";

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
  estimate: scoped("sms:send")
    .meta({
      creates: false,
      openapi: {
        method: "POST",
        path: "/messages/estimate",
        operationId: "estimateMessage",
        tags: ["Messages"],
        summary: "Estimate a send",
        description:
          "Takes the body of a single or of a bulk send and tells its segments, its cost and what would refuse it. " +
          "Charges and stores nothing.",
      },
    })
    .input(EstimateInput)
    .output(Estimate)
    .mutation(({ ctx, input }) => estimateSend(ctx.actor, input)),
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
  timeline: scoped("sms:read")
    .meta({
      openapi: {
        method: "GET",
        path: "/messages/{id}/timeline",
        operationId: "getMessageTimeline",
        tags: ["Messages"],
        summary: "Get the timeline of a message",
        description:
          "Everything that happened to a message, oldest first: its acceptance, its money, every hand-over to a provider, " +
          "every receipt, event and webhook try.",
      },
    })
    .input(MessagePath)
    .output(Timeline)
    .query(({ ctx, input }) => getTimeline(ctx.actor, input.id)),
  detail: sessionProcedure
    .input(MessagePath)
    .output(MessageDetail)
    .query(({ ctx, input }) => getMessageDetail(ctx.actor, input.id)),
  quote: sessionProcedure
    .input(QuoteInput)
    .output(Quote)
    .query(({ ctx, input }) => quoteMessage(ctx.actor, input)),
});
