import { router, scoped } from "../core/trpc";
import { Deleted, listOf } from "../core/wire";
import { ApiKey, ApiKeyId, CreateApiKeyInput, CreatedApiKey } from "./schema";
import { createApiKey, listApiKeys, revokeApiKey } from "./service";

export const apiKeysRouter = router({
  list: scoped(null)
    .meta({ openapi: { method: "GET", path: "/api-keys", tags: ["API keys"], summary: "List API keys" } })
    .output(listOf(ApiKey))
    .query(({ ctx }) => listApiKeys(ctx.actor)),
  create: scoped("keys:write")
    .meta({ openapi: { method: "POST", path: "/api-keys/create", tags: ["API keys"], summary: "Create an API key" } })
    .input(CreateApiKeyInput)
    .output(CreatedApiKey)
    .mutation(({ ctx, input }) => createApiKey(ctx.actor, input, ctx)),
  revoke: scoped("keys:write")
    .meta({ openapi: { method: "DELETE", path: "/api-keys/{id}", tags: ["API keys"], summary: "Revoke an API key" } })
    .input(ApiKeyId)
    .output(Deleted)
    .mutation(({ ctx, input }) => revokeApiKey(ctx.actor, input.id)),
});
