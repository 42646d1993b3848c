import { router, scoped } from "../core/trpc";
import { Deleted, listOf } from "../core/wire";
import { ApiKey, ApiKeyId, CreateApiKeyInput, CreatedApiKey } from "./schema";
import { createApiKey, listApiKeys, revokeApiKey } from "./service";

export const apiKeysRouter = router({
  list: scoped(null)
    .meta({
      openapi: {
        method: "GET",
        path: "/api-keys",
        operationId: "listApiKeys",
        tags: ["API keys"],
        summary: "List API keys",
        description:
          "The keys of the account, newest first; those that were revoked or expired within 90 days too, as inactive.",
      },
    })
    .output(listOf(ApiKey))
    .query(({ ctx }) => listApiKeys(ctx.actor)),
  create: scoped("keys:write")
    .meta({
      openapi: {
        method: "POST",
        path: "/api-keys/create",
        operationId: "createApiKey",
        tags: ["API keys"],
        summary: "Create an API key",
        description:
          "The answer holds the key itself, once; only its hash is kept. A key grants neither permissions nor limits beyond its " +
          "own. An account has at most 100 keys that work.",
      },
    })
    .input(CreateApiKeyInput)
    .output(CreatedApiKey)
    .mutation(({ ctx, input }) => createApiKey(ctx.actor, input, ctx)),
  revoke: scoped("keys:write")
    .meta({
      openapi: {
        method: "DELETE",
        path: "/api-keys/{id}",
        operationId: "revokeApiKey",
        tags: ["API keys"],
        summary: "Revoke an API key",
        description:
          "Ends the key for good: it is refused everywhere within a second. A key that is revoked already is a 404.",
      },
    })
    .input(ApiKeyId)
    .output(Deleted)
    .mutation(({ ctx, input }) => revokeApiKey(ctx.actor, input.id)),
});
