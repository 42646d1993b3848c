import { createOnce } from "../accounts/idempotency/create-once";
import { plainRequest } from "../accounts/idempotency/request";
import { recordAudit } from "../audit/store";
import { type AccountActor, requireConfirmed } from "../core/actor";
import { now } from "../core/clock";
import { prisma, type Tx } from "../core/db";
import { forbidden } from "../core/errors";
import { invalidateKey } from "./authenticate";
import { changedLimits, exceededParams, type KeyLimits } from "./ceiling";
import { hashesOfLineage } from "./lineage";
import { presentApiKey } from "./present";
import type { ApiKey, UpdateApiKeyInput } from "./schema";
import { missingScopes } from "./scopes";
import { auditOfChangeable, ceilingOf, limitNotHeld, requireFuture, scopesOf } from "./service";
import { type LockedKey, lockKey } from "./store";

/**
 * A key may narrow any key of its account. It may widen one only up to its own limits, and only if that key has no permission
 * that it lacks itself: otherwise it would raise the limits of a key that it could never have created.
 * @throws 403 `scope_not_held`, `limit_not_held`
 */
async function requireGrant(tx: Tx, actor: AccountActor, current: LockedKey, limits: KeyLimits): Promise<void> {
  const ceiling = await ceilingOf(tx, actor);
  const [widened, ...more] = exceededParams(limits, current);
  if (!ceiling || !widened) return;
  const missing = missingScopes(scopesOf(actor), current.permissions);
  if (missing.length > 0) {
    throw forbidden(`This key cannot widen a key with permissions that it lacks: ${missing.join(", ")}.`, {
      param: widened,
      reason: "scope_not_held",
      details: { missing },
    });
  }
  const beyond = exceededParams(limits, ceiling).find((param) => param === widened || more.includes(param));
  if (beyond) throw limitNotHeld(beyond);
}

/**
 * Changes name and limits of a key that works; its secret and permissions stay. This process applies the change at once,
 * every other one within a second, also to the keys that share its message limits. Without fields it changes and records
 * nothing, and shows the limits.
 * @throws 404; 400 `expires_in_the_past`; 403 `confirmation_required` for a person who has not given their password lately,
 *   403 `scope_not_held` or `limit_not_held` for a change that the acting key could not have granted.
 */
export async function updateApiKey(actor: AccountActor, { id, ...input }: UpdateApiKeyInput): Promise<ApiKey> {
  requireConfirmed(actor);
  const at = now();
  const { accountId } = actor;
  /** Returns the hashes of the keys that this process must look up again. */
  const carryOut = async (tx: Tx): Promise<string[]> => {
    const current = await lockKey(tx, actor, id);
    // Asks for the limits alone.
    if (Object.values(input).every((value) => value === undefined)) return [];
    requireFuture(input.expires_at, at);
    const limits = changedLimits(input, current);
    await requireGrant(tx, actor, current, limits);
    await tx.query(
      `UPDATE api_keys SET name = $2, rate_limit = $3::int4, daily_limit = $4::int4, monthly_limit = $5::int4,
         allowed_ips = $6::text[], expires_at = $7::timestamptz WHERE id = $1`,
      [
        id,
        input.name ?? current.name,
        limits.rateLimit,
        limits.dailyLimit,
        limits.monthlyLimit,
        limits.allowedIps,
        limits.expiresAt?.toISOString() ?? null,
      ],
    );
    const changed = { ...limits, name: input.name ?? current.name };
    const [before, after] = [auditOfChangeable(current), auditOfChangeable(changed)];
    await recordAudit(tx, actor, { action: "api_key.updated", accountId, subjectId: id, before, after });
    const isShared = input.daily_limit !== undefined || input.monthly_limit !== undefined;
    return isShared ? await hashesOfLineage(tx, accountId, id) : [current.keyHash];
  };
  const hashes = await createOnce(actor, plainRequest(), { whileSuspended: true, carryOut });
  for (const keyHash of hashes) invalidateKey(keyHash);
  return presentApiKey(await prisma().apiKey.findUniqueOrThrow({ where: { id } }), at, true);
}
