import { createOnce } from "../accounts/idempotency/create-once";
import { plainRequest } from "../accounts/idempotency/request";
import { recordAudit } from "../audit/store";
import type { AccountActor } from "../core/actor";
import type { Tx } from "../core/db";
import { forbidden, notFound } from "../core/errors";
import { invalidateKey } from "./authenticate";
import { type DescendantKey, lockWithDescendants, revokeKeys } from "./lineage";
import type { RevokeApiKeyInput } from "./schema";
import { missingScopes, SCOPES } from "./scopes";
import { scopesOf } from "./service";

/** @throws 403 `scope_not_held` when the actor is a key that lacks a scope of one of the keys. */
function requireScopesOf(actor: AccountActor, keys: readonly DescendantKey[]): void {
  const theirs = SCOPES.filter((scope) => keys.some((key) => key.permissions.includes(scope)));
  const missing = missingScopes(scopesOf(actor), theirs);
  if (missing.length === 0) return;
  throw forbidden(`A key cannot revoke what may do more than itself: ${missing.join(", ")}.`, {
    param: "id",
    reason: "scope_not_held",
    details: { missing },
  });
}

/**
 * Revokes a key of the actor's account permanently; with `cascade` all its descendants too, even if the key itself was revoked
 * before. This process refuses them at once, every other one within a second.
 * @throws 404 when there is nothing to revoke: no such key in the account, or all are revoked already; 403 `scope_not_held`
 *   when the actor is a key that lacks a scope of one of them, and then none is revoked.
 */
export async function revokeApiKey(
  actor: AccountActor,
  { id, cascade }: RevokeApiKeyInput,
): Promise<{ id: string; object: string; deleted: true }> {
  const { accountId } = actor;
  const carryOut = async (tx: Tx): Promise<DescendantKey[]> => {
    const family = await lockWithDescendants(tx, accountId, id);
    const working = family.filter((key) => !key.isRevoked && (cascade || key.id === id));
    if (working.length === 0) {
      throw notFound("There is no such API key, or it is already revoked.", { param: "id" });
    }
    requireScopesOf(actor, working);
    const ids = working.map((key) => key.id);
    await revokeKeys(tx, ids);
    for (const { id: subjectId, permissions } of working) {
      await recordAudit(tx, actor, { action: "api_key.revoked", accountId, subjectId, before: { permissions } });
    }
    return working;
  };
  // The account's lock keeps one of the keys from making another meanwhile.
  const revoked = await createOnce(actor, plainRequest(), { whileSuspended: true, carryOut });
  for (const { keyHash } of revoked) invalidateKey(keyHash);
  return { id, object: "api_key", deleted: true };
}
