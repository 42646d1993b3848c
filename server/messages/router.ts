import { router, scoped, sessionProcedure } from "../core/trpc";
import { listPageOf } from "../lists/schema";
import { estimateSend } from "./accept/estimate";
import { Estimate, EstimateInput } from "./accept/estimate-schema";
import { sendBulk, sendMessage } from "./accept/send";
import { cancelMessage } from "./changes/cancel";
import { redactMessage } from "./changes/redact";
import { rescheduleMessage } from "./changes/reschedule";
import { listMessages } from "./lists/list-messages";
import { searchMessages } from "./lists/search-messages";
import { FoundMessages, SearchMessagesQuery } from "./lists/search-schema";
import { Quote, QuoteInput } from "./quote-schema";
import { getMessage, getMessageDetail, getTimeline, quoteMessage } from "./read";
import {
  BulkResult,
  ListMessagesQuery,
  Message,
  MessageDetail,
  MessagePath,
  RescheduleInput,
  SendBulkInput,
  SendMessageInput,
} from "./schema";
import { Timeline } from "./timeline-schema";

export const messagesRouter = router({
  send: scoped("sms:send")
    .meta({
      openapi: {
        method: "POST",
        path: "/messages/send",
        operationId: "sendMessage",
        tags: ["Messages"],
        summary: "Send a message",
        description:
          "Accepts one message: its cost is deducted from the balance, and it is queued for a provider. The response does not " +
          "wait for the provider, so its status is `pending`. A message without a route, or blocked by the account's " +
          "suppressions or limits, is `failed` at once, free of charge.",
        errorResponses: [402],
      },
    })
    .input(SendMessageInput)
    .output(Message)
    .mutation(({ ctx, input }) => sendMessage(ctx.actor, input, ctx)),
  bulk: scoped("sms:bulk")
    .meta({
      openapi: {
        method: "POST",
        path: "/messages/bulk",
        operationId: "sendBulk",
        tags: ["Messages"],
        summary: "Send to many recipients",
        description:
          "Accepts one message per recipient: the same text for all, or with `variables` one for each. A recipient that is not a phone number, has no route, or " +
          "is blocked by the account's suppressions or limits fails alone: check each item's `status` and `error`. A balance " +
          "that does not cover all of them is a 402, and nothing is sent.",
        errorResponses: [402],
      },
    })
    .input(SendBulkInput)
    .output(BulkResult)
    .mutation(({ ctx, input }) => sendBulk(ctx.actor, input, ctx)),
  estimate: scoped(["sms:send", "sms:bulk"])
    .meta({
      creates: false,
      repeatable: true,
      oneOf: { to: ["reference"], recipients: ["variables"] },
      openapi: {
        method: "POST",
        path: "/messages/estimate",
        operationId: "estimateMessage",
        tags: ["Messages"],
        summary: "Estimate a send",
        description:
          "Takes the body of a single (`to`) or a bulk send (`recipients`) and returns its segments, its cost and the reasons " +
          "that would refuse it. Charges and stores nothing. The key needs the permission of that send.",
      },
    })
    .input(EstimateInput)
    .output(Estimate)
    .mutation(({ ctx, input }) => estimateSend(ctx.actor, input)),
  cancel: scoped(["sms:send", "sms:bulk"])
    .meta({
      creates: false,
      repeatable: true,
      openapi: {
        method: "POST",
        path: "/messages/{id}/cancel",
        operationId: "cancelMessage",
        tags: ["Messages"],
        summary: "Cancel a message",
        description:
          "Ends a pending message that no provider was given: it is `failed` with the error `canceled`, refunded, and raises " +
          "`message.failed`. It is either canceled or sent, never both. Canceling it again returns the same. A message that " +
          "was sent, has ended, or is being handed to a provider is a 400 `not_cancelable`.",
      },
    })
    .input(MessagePath)
    .output(Message)
    .mutation(({ ctx, input }) => cancelMessage(ctx.actor, input.id)),
  reschedule: scoped(["sms:send", "sms:bulk"])
    .meta({
      creates: false,
      repeatable: true,
      openapi: {
        method: "POST",
        path: "/messages/{id}/reschedule",
        operationId: "rescheduleMessage",
        tags: ["Messages"],
        summary: "Reschedule a message",
        description:
          "Gives a message that is scheduled for later another time, or sends it at once. Its text, cost and route stay; quiet hours apply to " +
          "the new time, and its validity period counts from it. Rescheduling it to the same time again returns the same. A message " +
          "that is due, was not scheduled or has ended is a 400 `not_reschedulable`.",
      },
    })
    .input(RescheduleInput)
    .output(Message)
    .mutation(({ ctx, input: { id, ...asked } }) => rescheduleMessage(ctx.actor, id, asked)),
  redact: scoped(["sms:send", "sms:bulk"])
    .meta({
      creates: false,
      repeatable: true,
      openapi: {
        method: "POST",
        path: "/messages/{id}/redact",
        operationId: "redactMessage",
        tags: ["Messages"],
        summary: "Delete the text of a message",
        description:
          "Deletes the text of a message that has ended: `body` is empty from now on, also in its events and in webhook tries " +
          "that still wait. Everything else stays. It cannot be undone; redacting it again returns the same. A message that is " +
          "`pending` or `sent` is a 400 `not_redactable`.",
      },
    })
    .input(MessagePath)
    .output(Message)
    .mutation(({ ctx, input }) => redactMessage(ctx.actor, input.id)),
  get: scoped("sms:read")
    .meta({
      openapi: {
        method: "GET",
        path: "/messages/{id}",
        operationId: "getMessage",
        tags: ["Messages"],
        summary: "Get a message",
        description: "One message in its current state.",
      },
    })
    .input(MessagePath)
    .output(Message)
    .query(({ ctx, input }) => getMessage(ctx.actor, input.id)),
  list: scoped("sms:read")
    .meta({
      openapi: {
        method: "GET",
        path: "/messages",
        operationId: "listMessages",
        tags: ["Messages"],
        summary: "List messages",
        description: "The account's messages, newest first.",
      },
    })
    .input(ListMessagesQuery)
    .output(listPageOf(Message))
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
          "The history of a message, oldest first: its acceptance, its money, every attempt at a provider, every receipt, " +
          "event and webhook try.",
      },
    })
    .input(MessagePath)
    .output(Timeline)
    .query(({ ctx, input }) => getTimeline(ctx.actor, input.id)),
  detail: sessionProcedure
    .input(MessagePath)
    .output(MessageDetail)
    .query(({ ctx, input }) => getMessageDetail(ctx.actor, input.id)),
  search: sessionProcedure
    .input(SearchMessagesQuery)
    .output(FoundMessages)
    .query(({ ctx, input }) => searchMessages(ctx.actor, input)),
  quote: sessionProcedure
    .input(QuoteInput)
    .output(Quote)
    .query(({ ctx, input }) => quoteMessage(ctx.actor, input)),
});
