import { createOnce, type DeedRequest, plainRequest } from "../accounts/answers";
import { type AccountActor, requireConfirmed } from "../core/actor";
import { DAY_MS, now } from "../core/clock";
import { prisma, type Tx } from "../core/db";
import { forbidden, invalidRequest, notFound, unauthorized } from "../core/errors";
import { newId } from "../core/ids";
import { forgetKey } from "./authenticate";
import { type KeyLimits, limitsOf, type WantedLimits, widerParam } from "./ceiling";
import { presentApiKey } from "./present";
import type { ApiKey, CreateApiKeyInput, CreatedApiKey } from "./schema";
import { missingScopes, SCOPES, type Scope } from "./scopes";
import { hashKey, keyHint, newPlainKey } from "./secret";

const KEYS_MAX = 100;
/** Keys that ended longer ago are no longer listed. */
const ENDED_SHOWN_MS = 90 * DAY_MS;
const PLAIN_KEY_NOTICE = "Store this key now: it is shown this once and cannot be read again.";

/** The account's keys, newest first; those that were revoked or expired within 90 days too, as inactive. */
export async function listApiKeys(actor: AccountActor): Promise<{ object: "list"; data: ApiKey[] }> {
  const at = now();
  const since = new Date(at.getTime() - ENDED_SHOWN_MS);
  const rows = await prisma().apiKey.findMany({
    where: {
      accountId: actor.accountId,
      AND: [
        { OR: [{ revokedAt: null }, { revokedAt: { gt: since } }] },
        { OR: [{ expiresAt: null }, { expiresAt: { gt: since } }] },
      ],
    },
    orderBy: { id: "desc" },
  });
  return { object: "list", data: rows.map((row) => presentApiKey(row, at)) };
}

/** A signed-in owner holds every scope, a key its own. */
const scopesOf = (actor: AccountActor): readonly Scope[] =>
  actor.kind === "session" ? SCOPES : SCOPES.filter((scope) => actor.scopes.includes(scope));

/** The limits of the key that creates; null for a person, who has none. @throws 401 when it was revoked meanwhile. */
async function ceilingOf(tx: Tx, actor: AccountActor): Promise<KeyLimits | null> {
  if (actor.kind !== "apiKey") return null;
  const { rows } = await tx.query<KeyLimits>(
    `SELECT rate_limit AS "rateLimit", daily_limit AS "dailyLimit", monthly_limit AS "monthlyLimit",
       allowed_ips AS "allowedIps", expires_at AS "expiresAt"
     FROM api_keys WHERE id = $1 AND account_id = $2 AND revoked_at IS NULL`,
    [actor.keyId, actor.accountId],
  );
  if (!rows[0]) throw unauthorized("This API key is not valid.", { reason: "key_invalid" });
  return rows[0];
}

/** @throws 403 `limit_not_held` when a key would get more than the one that creates it has. */
async function grantLimits(tx: Tx, actor: AccountActor, wanted: WantedLimits): Promise<KeyLimits> {
  const ceiling = await ceilingOf(tx, actor);
  const limits = limitsOf(wanted, ceiling);
  const param = ceiling && widerParam(limits, ceiling);
  if (!param) return limits;
  throw forbidden(`A key cannot grant more than its own ${param}.`, { param, reason: "limit_not_held" });
}

/** @throws 403 `scope_not_held` */
function grantScopes(actor: AccountActor, wanted: readonly Scope[] | undefined): Scope[] {
  const held = scopesOf(actor);
  const missing = missingScopes(held, wanted ?? held);
  if (missing.length === 0) return SCOPES.filter((scope) => (wanted ?? held).includes(scope));
  throw forbidden(`A key cannot grant what its creator lacks: ${missing.join(", ")}.`, {
    param: "permissions",
    reason: "scope_not_held",
    details: { missing },
  });
}

/**
 * Makes a key. The answer is the only place where the key itself is ever shown. Without `permissions` it gets the
 * scopes of whoever creates it; limits that are left out are those of the key that creates it.
 * @throws 403 `confirmation_required` for a person who has not given their password lately, `scope_not_held` or
 *   `limit_not_held` for what the creating key lacks, 400 `expires_in_the_past`, and
 *   400 `key_limit` past 100 keys that work.
 */
export async function createApiKey(
  actor: AccountActor,
  input: CreateApiKeyInput,
  request: DeedRequest = plainRequest(),
): Promise<CreatedApiKey> {
  requireConfirmed(actor);
  const plainKey = newPlainKey();
  const carryOut = async (tx: Tx): Promise<CreatedApiKey> => {
    const permissions = grantScopes(actor, input.permissions);
    const at = now();
    if (input.expires_at && new Date(input.expires_at) <= at) {
      throw invalidRequest("expires_at must lie in the future.", {
        param: "expires_at",
        reason: "expires_in_the_past",
      });
    }
    const row = {
      id: newId("apiKey"),
      accountId: actor.accountId,
      name: input.name,
      keyHash: hashKey(plainKey),
      keyHint: keyHint(plainKey),
      permissions,
      ...(await grantLimits(tx, actor, input)),
      revokedAt: null,
      lastUsedAt: null,
      createdAt: at,
    };
    // createOnce holds the account's lock, so two creations count one after the other.
    const { rowCount } = await tx.query(
      `INSERT INTO api_keys (id, account_id, name, key_hash, key_hint, permissions, rate_limit, daily_limit,
         monthly_limit, allowed_ips, expires_at, created_at)
       SELECT $1, $2, $3, $4, $5, $6::text[], $7::int4, $8::int4, $9::int4, $10::text[], $11::timestamptz,
         $12::timestamptz
       WHERE (SELECT count(*) FROM api_keys WHERE account_id = $2 AND revoked_at IS NULL
                AND (expires_at IS NULL OR expires_at > now())) < $13`,
      [
        row.id,
        row.accountId,
        row.name,
        row.keyHash,
        row.keyHint,
        row.permissions,
        row.rateLimit,
        row.dailyLimit,
        row.monthlyLimit,
        row.allowedIps,
        row.expiresAt?.toISOString() ?? null,
        row.createdAt.toISOString(),
        KEYS_MAX,
      ],
    );
    if (rowCount === 0) {
      throw invalidRequest(`An account has at most ${KEYS_MAX} API keys that work. Revoke one first.`, {
        reason: "key_limit",
      });
    }
    return { ...presentApiKey(row, at), plain_key: plainKey, plain_key_notice: PLAIN_KEY_NOTICE };
  };
  return createOnce(actor, request, { showsSecret: true, carryOut });
}

/**
 * Revokes a key of the actor's account for good. This process refuses it from now on, every other one within a second.
 * @throws 404 when the account has no such key, or it is revoked already.
 */
export async function revokeApiKey(
  actor: AccountActor,
  id: string,
): Promise<{ id: string; object: string; deleted: true }> {
  // The condition decides between two that revoke at once: exactly one of them finds the key.
  const revoked = await prisma().apiKey.updateManyAndReturn({
    where: { id, accountId: actor.accountId, revokedAt: null },
    data: { revokedAt: now() },
    select: { keyHash: true },
  });
  const [key] = revoked;
  if (!key) throw notFound("There is no such API key, or it is revoked already.", { param: "id" });
  forgetKey(key.keyHash);
  return { id, object: "api_key", deleted: true };
}
