import { router, scoped, sessionProcedure } from "../core/trpc";
import { Deleted, listOf } from "../core/wire";
import { revokeApiKey } from "./revoke";
import { rotateApiKey } from "./rotate";
import {
  ApiKey,
  ApiKeyDetail,
  CreateApiKeyInput,
  CreatedApiKey,
  RevokeApiKeyInput,
  RotateApiKeyInput,
  UpdateApiKeyInput,
} from "./schema";
import { createApiKey, listApiKeyDetails, listApiKeys } from "./service";
import { updateApiKey } from "./update";

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
          "The keys of the account, newest first: all that work, and as inactive the 200 that were revoked or expired last, within " +
          "90 days. Their `daily_limit`, `monthly_limit` and `allowed_ips` are in the response to a change.",
      },
    })
    .output(listOf(ApiKey))
    .query(({ ctx }) => listApiKeys(ctx.actor)),
  create: scoped("keys:write")
    .meta({
      showsSecret: true,
      openapi: {
        method: "POST",
        path: "/api-keys/create",
        operationId: "createApiKey",
        tags: ["API keys"],
        summary: "Create an API key",
        description:
          "The response contains the key itself. It is shown only once, since only its hash is stored. A key cannot grant " +
          "permissions or limits beyond its own. An account has at most 100 active keys, and makes at most 1,000 in a UTC day.",
      },
    })
    .input(CreateApiKeyInput)
    .output(CreatedApiKey)
    .mutation(({ ctx, input }) => createApiKey(ctx.actor, input, ctx)),
  update: scoped("keys:write")
    .meta({
      openapi: {
        method: "PATCH",
        path: "/api-keys/{id}",
        operationId: "updateApiKey",
        tags: ["API keys"],
        summary: "Change an API key",
        description:
          "Changes the fields that are given; they apply everywhere within a second. The key itself and its permissions stay. A " +
          "key may narrow any key, itself too, but widen one only up to its own limits, and only if it has all its permissions. The " +
          "response has all limits, also where nothing was given to change.",
      },
    })
    .input(UpdateApiKeyInput)
    .output(ApiKey)
    .mutation(({ ctx, input }) => updateApiKey(ctx.actor, input)),
  revoke: scoped("keys:write")
    .meta({
      openapi: {
        method: "DELETE",
        path: "/api-keys/{id}",
        operationId: "revokeApiKey",
        tags: ["API keys"],
        summary: "Revoke an API key",
        description:
          "Revokes the key permanently: it is refused everywhere within a second. For a revoked key the response is 404. The " +
          "keys that it created work on, unless `cascade` is true; then they are revoked with it, or after it. A key revokes " +
          "no key with permissions beyond its own.",
      },
    })
    .input(RevokeApiKeyInput)
    .output(Deleted)
    .mutation(({ ctx, input }) => revokeApiKey(ctx.actor, input)),
  details: sessionProcedure.output(listOf(ApiKeyDetail)).query(({ ctx }) => listApiKeyDetails(ctx.actor)),
  rotate: sessionProcedure
    .input(RotateApiKeyInput)
    .output(CreatedApiKey)
    .mutation(({ ctx, input }) => rotateApiKey(ctx.actor, input, ctx)),
});
