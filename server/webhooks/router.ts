import { router, scoped } from "../core/trpc";
import { Deleted, listOf, pageOf } from "../core/wire";
import { listDeliveries } from "./list-deliveries";
import { listEvents } from "./list-events";
import { recoverDeliveries } from "./recover";
import {
  CreatedWebhookEndpoint,
  CreateWebhookInput,
  Delivery,
  Event,
  ListDeliveriesQuery,
  ListEventsQuery,
  RecoverInput,
  RotatedWebhookEndpoint,
  WebhookEndpoint,
  WebhookPath,
  WebhookRecovery,
  WebhookTest,
} from "./schema";
import { sendTestEvent } from "./send-test-event";
import { createEndpoint, deleteEndpoint, enableEndpoint, getEndpoint, listEndpoints, rotateSecret } from "./service";

export const webhooksRouter = router({
  list: scoped("dlr:read")
    .meta({
      openapi: {
        method: "GET",
        path: "/webhooks",
        operationId: "listWebhooks",
        tags: ["Webhooks"],
        summary: "List webhook endpoints",
        description: "Every endpoint of the account, newest first.",
      },
    })
    .output(listOf(WebhookEndpoint))
    .query(({ ctx }) => listEndpoints(ctx.actor)),
  create: scoped("webhooks:write")
    .meta({
      openapi: {
        method: "POST",
        path: "/webhooks/create",
        operationId: "createWebhook",
        tags: ["Webhooks"],
        summary: "Create a webhook endpoint",
        description: "The answer holds the secret that requests to it are signed with, once.",
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
        description: "One endpoint, and how it has been doing.",
      },
    })
    .input(WebhookPath)
    .output(WebhookEndpoint)
    .query(({ ctx, input }) => getEndpoint(ctx.actor, input.id)),
  delete: scoped("webhooks:write")
    .meta({
      openapi: {
        method: "DELETE",
        path: "/webhooks/{id}",
        operationId: "deleteWebhook",
        tags: ["Webhooks"],
        summary: "Delete a webhook endpoint",
        description: "It gets no further event, and what is still pending for it is not sent.",
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
        description: "What happened to the account's messages, newest first: the objects that webhooks carry.",
      },
    })
    .input(ListEventsQuery)
    .output(pageOf(Event))
    .query(({ ctx, input }) => listEvents(ctx.actor, input)),
  deliveries: scoped("dlr:read")
    .meta({
      openapi: {
        method: "GET",
        path: "/webhooks/{id}/deliveries",
        operationId: "listWebhookDeliveries",
        tags: ["Webhooks"],
        summary: "List the deliveries to a webhook endpoint",
        description: "Newest first, each with every HTTP try.",
      },
    })
    .input(ListDeliveriesQuery)
    .output(pageOf(Delivery))
    .query(({ ctx, input }) => listDeliveries(ctx.actor, input)),
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
          "Posts one signed event about an invented message at once, with the header `Service-Test: true`, and tells " +
          "how it was taken. It counts neither as a failure nor as a success, and is not repeated.",
      },
    })
    .input(WebhookPath)
    .output(WebhookTest)
    .mutation(({ ctx, input }) => sendTestEvent(ctx.actor, input.id)),
  rotateSecret: scoped("webhooks:write")
    .meta({
      creates: false,
      keyed: true,
      openapi: {
        method: "POST",
        path: "/webhooks/{id}/rotate-secret",
        operationId: "rotateWebhookSecret",
        tags: ["Webhooks"],
        summary: "Rotate the signing secret",
        description:
          "Makes a new secret, shown in this answer only. The former one signs too for 24 hours, unless it is rotated " +
          "again. With an `Idempotency-Key` the secret is rotated once, and the first answer repeated.",
      },
    })
    .input(WebhookPath)
    .output(RotatedWebhookEndpoint)
    .mutation(({ ctx, input }) => rotateSecret(ctx.actor, input.id, ctx)),
  enable: scoped("webhooks:write")
    .meta({
      creates: false,
      openapi: {
        method: "POST",
        path: "/webhooks/{id}/enable",
        operationId: "enableWebhook",
        tags: ["Webhooks"],
        summary: "Enable a disabled webhook endpoint",
        description:
          "Events from now on are sent to it. Those that were held stay held until they are recovered. An active endpoint " +
          "is left as it is.",
      },
    })
    .input(WebhookPath)
    .output(WebhookEndpoint)
    .mutation(({ ctx, input }) => enableEndpoint(ctx.actor, input.id)),
  recover: scoped("webhooks:write")
    .meta({
      creates: false,
      openapi: {
        method: "POST",
        path: "/webhooks/{id}/recover",
        operationId: "recoverWebhook",
        tags: ["Webhooks"],
        summary: "Send missed events again",
        description:
          "Deliveries of events since `since` that are held or abandoned begin a new round of tries. The endpoint must " +
          "be enabled. Repeating the request does no harm: what was recovered is pending and is left alone.",
      },
    })
    .input(RecoverInput)
    .output(WebhookRecovery)
    .mutation(({ ctx, input }) => recoverDeliveries(ctx.actor, input)),
});
