import { router, scoped, sessionProcedure } from "../core/trpc";
import { Deleted, listOf } from "../core/wire";
import { listPageOf } from "../lists/schema";
import { listDeliveries, listNumberedDeliveries } from "./history/list-deliveries";
import { listEvents } from "./history/list-events";
import { recoverDeliveries } from "./history/recover";
import { resendDeliveries } from "./history/resend";
import { pauseEndpoint, resumeEndpoint } from "./pause";
import {
  AnyEvent,
  CreatedWebhookEndpoint,
  CreateWebhookInput,
  Delivery,
  ListDeliveriesQuery,
  ListEventsQuery,
  NumberedDelivery,
  RecoverInput,
  ResendInput,
  RotatedWebhookEndpoint,
  UpdateWebhookInput,
  WebhookEndpoint,
  WebhookPath,
  WebhookRecovery,
  WebhookResend,
  WebhookTest,
} from "./schema";
import { sendTestEvent } from "./send-test-event";
import {
  createEndpoint,
  deleteEndpoint,
  enableEndpoint,
  getEndpoint,
  listEndpoints,
  rotateSecret,
  updateEndpoint,
} from "./service";

export const webhooksRouter = router({
  list: scoped("dlr:read")
    .meta({
      openapi: {
        method: "GET",
        path: "/webhooks",
        operationId: "listWebhooks",
        tags: ["Webhooks"],
        summary: "List webhook endpoints",
        description: "All endpoints of the account, newest first.",
      },
    })
    .output(listOf(WebhookEndpoint))
    .query(({ ctx }) => listEndpoints(ctx.actor)),
  create: scoped("webhooks:write")
    .meta({
      showsSecret: true,
      openapi: {
        method: "POST",
        path: "/webhooks/create",
        operationId: "createWebhook",
        tags: ["Webhooks"],
        summary: "Create a webhook endpoint",
        description: "The response contains the signing secret of the endpoint. It is shown only once.",
      },
    })
    .input(CreateWebhookInput)
    .output(CreatedWebhookEndpoint)
    .mutation(({ ctx, input }) => createEndpoint(ctx.actor, input, ctx)),
  get: scoped("dlr:read")
    .meta({
      openapi: {
        method: "GET",
        path: "/webhooks/{id}",
        operationId: "getWebhook",
        tags: ["Webhooks"],
        summary: "Get a webhook endpoint",
        description: "One endpoint, with its recent successes and failures.",
      },
    })
    .input(WebhookPath)
    .output(WebhookEndpoint)
    .query(({ ctx, input }) => getEndpoint(ctx.actor, input.id)),
  update: scoped("webhooks:write")
    .meta({
      openapi: {
        method: "PATCH",
        path: "/webhooks/{id}",
        operationId: "updateWebhook",
        tags: ["Webhooks"],
        summary: "Change a webhook endpoint",
        description:
          "Changes the fields that are given. Deliveries that wait are posted to a new URL; new event types apply to events " +
          "from now on. The secret and the failure count stay, and a disabled endpoint stays disabled until it is enabled.",
      },
    })
    .input(UpdateWebhookInput)
    .output(WebhookEndpoint)
    .mutation(({ ctx, input }) => updateEndpoint(ctx.actor, input)),
  delete: scoped("webhooks:write")
    .meta({
      openapi: {
        method: "DELETE",
        path: "/webhooks/{id}",
        operationId: "deleteWebhook",
        tags: ["Webhooks"],
        summary: "Delete a webhook endpoint",
        description: "The endpoint gets no more events; its pending deliveries are not sent.",
      },
    })
    .input(WebhookPath)
    .output(Deleted)
    .mutation(({ ctx, input }) => deleteEndpoint(ctx.actor, input.id)),
  events: scoped("dlr:read")
    .meta({
      openapi: {
        method: "GET",
        path: "/events",
        operationId: "listEvents",
        tags: ["Events"],
        summary: "List events",
        description:
          "Status changes of the account's messages, newest first: the same objects that webhooks carry. Inbound messages " +
          "are listed by `type=message.received`.",
      },
    })
    .input(ListEventsQuery)
    .output(listPageOf(AnyEvent))
    .query(({ ctx, input }) => listEvents(ctx.actor, input)),
  deliveries: scoped("dlr:read")
    .meta({
      openapi: {
        method: "GET",
        path: "/webhooks/{id}/deliveries",
        operationId: "listWebhookDeliveries",
        tags: ["Webhooks"],
        summary: "List the deliveries to a webhook endpoint",
        description:
          "Deliveries, newest first, each with every HTTP try. A delivery is listed when its first try has ended, or as " +
          "pending when it has waited for that for 30 seconds.",
      },
    })
    .input(ListDeliveriesQuery)
    .output(listPageOf(Delivery))
    .query(({ ctx, input }) => listDeliveries(ctx.actor, input)),
  numberedDeliveries: sessionProcedure
    .input(ListDeliveriesQuery)
    .output(listPageOf(NumberedDelivery))
    .query(({ ctx, input }) => listNumberedDeliveries(ctx.actor, input)),
  test: scoped("webhooks:write")
    .meta({
      creates: false,
      openapi: {
        method: "POST",
        path: "/webhooks/{id}/test",
        operationId: "testWebhook",
        tags: ["Webhooks"],
        summary: "Send a test event",
        description:
          "Immediately posts one signed event about an invented message, with the header `Service-Test: true`, and " +
          "returns the result. It counts neither as a failure nor as a success, and is not retried.",
      },
    })
    .input(WebhookPath)
    .output(WebhookTest)
    .mutation(({ ctx, input }) => sendTestEvent(ctx.actor, input.id)),
  rotateSecret: scoped("webhooks:write")
    .meta({
      creates: false,
      keyed: true,
      showsSecret: true,
      openapi: {
        method: "POST",
        path: "/webhooks/{id}/rotate-secret",
        operationId: "rotateWebhookSecret",
        tags: ["Webhooks"],
        summary: "Rotate the signing secret",
        description:
          "Makes a new secret, shown in this response only. The previous secret also signs for 24 hours, or until the " +
          "next rotation. With an `Idempotency-Key` the secret is rotated once, and repeats get the first response.",
      },
    })
    .input(WebhookPath)
    .output(RotatedWebhookEndpoint)
    .mutation(({ ctx, input }) => rotateSecret(ctx.actor, input.id, ctx)),
  enable: scoped("webhooks:write")
    .meta({
      creates: false,
      repeatable: true,
      openapi: {
        method: "POST",
        path: "/webhooks/{id}/enable",
        operationId: "enableWebhook",
        tags: ["Webhooks"],
        summary: "Enable a disabled webhook endpoint",
        description:
          "The endpoint gets events from now on. Deliveries that are `held` stay so until they are recovered. An active " +
          "endpoint is left unchanged. It also ends a pause; `resume` sends the waiting deliveries as well.",
      },
    })
    .input(WebhookPath)
    .output(WebhookEndpoint)
    .mutation(({ ctx, input }) => enableEndpoint(ctx.actor, input.id)),
  pause: scoped("webhooks:write")
    .meta({
      creates: false,
      repeatable: true,
      openapi: {
        method: "POST",
        path: "/webhooks/{id}/pause",
        operationId: "pauseWebhook",
        tags: ["Webhooks"],
        summary: "Pause a webhook endpoint",
        description:
          "No event is sent until the endpoint is resumed; its deliveries wait as `held`. Requests that are under way end as usual, and " +
          "others may begin within a second. No alert is sent. An endpoint that is paused or disabled is left unchanged.",
      },
    })
    .input(WebhookPath)
    .output(WebhookEndpoint)
    .mutation(({ ctx, input }) => pauseEndpoint(ctx.actor, input.id)),
  resume: scoped("webhooks:write")
    .meta({
      creates: false,
      repeatable: true,
      openapi: {
        method: "POST",
        path: "/webhooks/{id}/resume",
        operationId: "resumeWebhook",
        tags: ["Webhooks"],
        summary: "Resume a paused webhook endpoint",
        description:
          "The endpoint gets events again, and the deliveries that the pause has parked begin a new round of tries; those that were " +
          "`held` before it stay so. `failure_count` begins at 0. An active endpoint is left unchanged; for one that was disabled by failures the response is 400 " +
          "`endpoint_disabled`.",
      },
    })
    .input(WebhookPath)
    .output(WebhookEndpoint)
    .mutation(({ ctx, input }) => resumeEndpoint(ctx.actor, input.id)),
  recover: scoped("webhooks:write")
    .meta({
      creates: false,
      repeatable: true,
      openapi: {
        method: "POST",
        path: "/webhooks/{id}/recover",
        operationId: "recoverWebhook",
        tags: ["Webhooks"],
        summary: "Send missed events again",
        description:
          "Deliveries of events since `since` that are `held` or `abandoned` begin a new round of tries. The endpoint " +
          "must be enabled. The request can be repeated safely: recovered deliveries are pending and are skipped. Beyond the first " +
          "20,000 deliveries, which the response counts, the service continues in the background. A 503 " +
          "`recovery_interrupted` says that only a part was recovered: repeat the request for the rest.",
      },
    })
    .input(RecoverInput)
    .output(WebhookRecovery)
    .mutation(({ ctx, input }) => recoverDeliveries(ctx.actor, input)),
  resend: sessionProcedure
    .input(ResendInput)
    .output(WebhookResend)
    .mutation(({ ctx, input }) => resendDeliveries(ctx.actor, input)),
});
