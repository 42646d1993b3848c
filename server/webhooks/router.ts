import { router, scoped, sessionProcedure } from "../core/trpc";
import { Deleted, listOf, pageOf } from "../core/wire";
import {
  CreatedWebhookEndpoint,
  CreateWebhookInput,
  Delivery,
  Event,
  ListDeliveriesQuery,
  ListEventsQuery,
  WebhookEndpoint,
  WebhookPath,
} from "./schema";
import {
  createEndpoint,
  deleteEndpoint,
  enableEndpoint,
  getEndpoint,
  listDeliveries,
  listEndpoints,
  listEvents,
} from "./service";

export const webhooksRouter = router({
  list: scoped("dlr:read")
    .meta({ openapi: { method: "GET", path: "/webhooks", tags: ["Webhooks"], summary: "List webhook endpoints" } })
    .output(listOf(WebhookEndpoint))
    .query(({ ctx }) => listEndpoints(ctx.actor)),
  create: scoped("webhooks:write")
    .meta({
      openapi: { method: "POST", path: "/webhooks/create", tags: ["Webhooks"], summary: "Create a webhook endpoint" },
    })
    .input(CreateWebhookInput)
    .output(CreatedWebhookEndpoint)
    .mutation(({ ctx, input }) => createEndpoint(ctx.actor, input, ctx)),
  get: scoped("dlr:read")
    .meta({ openapi: { method: "GET", path: "/webhooks/{id}", tags: ["Webhooks"], summary: "Get a webhook endpoint" } })
    .input(WebhookPath)
    .output(WebhookEndpoint)
    .query(({ ctx, input }) => getEndpoint(ctx.actor, input.id)),
  delete: scoped("webhooks:write")
    .meta({
      openapi: { method: "DELETE", path: "/webhooks/{id}", tags: ["Webhooks"], summary: "Delete a webhook endpoint" },
    })
    .input(WebhookPath)
    .output(Deleted)
    .mutation(({ ctx, input }) => deleteEndpoint(ctx.actor, input.id)),
  events: scoped("dlr:read")
    .meta({ openapi: { method: "GET", path: "/events", tags: ["Events"], summary: "List events" } })
    .input(ListEventsQuery)
    .output(pageOf(Event))
    .query(({ ctx, input }) => listEvents(ctx.actor, input)),
  deliveries: sessionProcedure
    .input(ListDeliveriesQuery)
    .output(pageOf(Delivery))
    .query(({ ctx, input }) => listDeliveries(ctx.actor, input)),
  enable: sessionProcedure
    .input(WebhookPath)
    .output(WebhookEndpoint)
    .mutation(({ ctx, input }) => enableEndpoint(ctx.actor, input.id)),
});
