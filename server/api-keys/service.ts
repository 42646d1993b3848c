import { createOnce } from "../accounts/idempotency/create-once";
import { type IdempotentRequest, plainRequest } from "../accounts/idempotency/request";
import type { AuditValues } from "../audit/schema";
import { recordAudit } from "../audit/store";
import { type AccountActor, requireConfirmed, type SessionActor } from "../core/actor";
import { now } from "../core/clock";
import type { Tx } from "../core/db";
import { forbidden, invalidRequest } from "../core/errors";
import { isTestAccount, newId } from "../core/ids";
import { isoOrNull } from "../core/wire";
import { exceededParam, type KeyLimits, limitsOf, type RequestedLimits } from "./ceiling";
import { keyIsInvalid } from "./endings";
import { GENERATIONS_MAX, generationOf } from "./lineage";
import { presentApiKey, presentApiKeyDetail } from "./present";
import type { ApiKey, ApiKeyDetail, CreateApiKeyInput, CreatedApiKey } from "./schema";
import { missingScopes, SCOPES, type Scope } from "./scopes";
import { hashKey, keyHint, newPlainKey } from "./secret";
import { insertKey, readKeys } from "./store";

export const PLAIN_KEY_NOTICE = "Store this key now: it is shown this once and cannot be read again.";

/** The account's active keys, newest first, and the latest 200 that were revoked or expired within 90 days. */
export async function listApiKeys(actor: AccountActor): Promise<{ object: "list"; data: ApiKey[] }> {
  const rows = await readKeys(actor.accountId);
  const at = now();
  return { object: "list", data: rows.map((row) => presentApiKey(row, at, actor.kind === "session")) };
}

/** The same keys as {@link listApiKeys}, as the console shows them. */
export async function listApiKeyDetails(actor: SessionActor): Promise<{ object: "list"; data: ApiKeyDetail[] }> {
  const rows = await readKeys(actor.accountId);
  const at = now();
  return { object: "list", data: rows.map((row) => presentApiKeyDetail(row, at)) };
}

/** A signed-in owner has every scope, a key its own. */
export const scopesOf = (actor: AccountActor): readonly Scope[] =>
  actor.kind === "session" ? SCOPES : SCOPES.filter((scope) => actor.scopes.includes(scope));

/** The limits of the acting key; null for a person, who has none. @throws 401 when the key was revoked meanwhile. */
export async function ceilingOf(tx: Tx, actor: AccountActor): Promise<KeyLimits | null> {
  if (actor.kind !== "apiKey") return null;
  const { rows } = await tx.query<KeyLimits>(
    `SELECT rate_limit AS "rateLimit", daily_limit AS "dailyLimit", monthly_limit AS "monthlyLimit",
       allowed_ips AS "allowedIps", expires_at AS "expiresAt"
     FROM api_keys WHERE id = $1 AND account_id = $2 AND revoked_at IS NULL`,
    [actor.keyId, actor.accountId],
  );
  if (!rows[0]) throw keyIsInvalid();
  return rows[0];
}

/** @throws 400 `key_generations` when the actor is a key of the last generation. */
async function requireGeneration(tx: Tx, actor: AccountActor): Promise<void> {
  if (actor.kind !== "apiKey" || (await generationOf(tx, actor.keyId)) < GENERATIONS_MAX) return;
  const text = `Keys make keys over at most ${GENERATIONS_MAX} generations. Use a key that a person made.`;
  throw invalidRequest(text, { reason: "key_generations" });
}

/** @throws 400 `expires_in_the_past` for a time that is not after `at`. */
export function requireFuture(expiresAt: string | null | undefined, at: Date): void {
  if (!expiresAt || new Date(expiresAt) > at) return;
  throw invalidRequest("expires_at must be in the future.", { param: "expires_at", reason: "expires_in_the_past" });
}

/** 403: the acting key has less itself. */
export const limitNotHeld = (param: string) =>
  forbidden(`A key cannot grant more than its own ${param}.`, { param, reason: "limit_not_held" });

/** @throws 403 `limit_not_held` when a limit exceeds that of the creating key; 400 `key_generations`. */
async function grantLimits(tx: Tx, actor: AccountActor, requested: RequestedLimits): Promise<KeyLimits> {
  const ceiling = await ceilingOf(tx, actor);
  await requireGeneration(tx, actor);
  const limits = limitsOf(requested, ceiling);
  const param = ceiling && exceededParam(limits, ceiling);
  if (!param) return limits;
  throw limitNotHeld(param);
}

/** @throws 403 `scope_not_held` when a scope is missing from the creator's. */
function grantScopes(actor: AccountActor, requested: readonly Scope[] | undefined): Scope[] {
  const own = scopesOf(actor);
  const missing = missingScopes(own, requested ?? own);
  if (missing.length === 0) return SCOPES.filter((scope) => (requested ?? own).includes(scope));
  throw forbidden(`A key cannot grant what its creator lacks: ${missing.join(", ")}.`, {
    param: "permissions",
    reason: "scope_not_held",
    details: { missing },
  });
}

/** The fields of a key that can change, in the audit log. */
export const auditOfChangeable = (row: KeyLimits & { name: string }) => ({
  name: row.name,
  rate_limit: row.rateLimit,
  daily_limit: row.dailyLimit,
  monthly_limit: row.monthlyLimit,
  allowed_ips: row.allowedIps,
  expires_at: isoOrNull(row.expiresAt),
});

/** A key in the audit log. */
export const auditOf = (row: KeyLimits & { name: string; keyHint: string; permissions: string[] }): AuditValues => ({
  ...auditOfChangeable(row),
  key_hint: row.keyHint,
  permissions: row.permissions,
});

/**
 * Creates a key. Only this response contains the key itself. Omitted `permissions` are the creator's scopes; omitted
 * limits are those of the creating key.
 * @throws 403 `confirmation_required` for a person who has not given their password lately, 403 `scope_not_held` or
 *   `limit_not_held` for more than the creating key has, 400 `expires_in_the_past`, 400 `key_limit` beyond 100 active keys, 429
 *   `key_creation_limit` beyond 1,000 new keys in a UTC day, 400 `key_generations` for a key that descends from too many; 401 when the
 *   session of a person, or the creating key, has ended meanwhile.
 */
export async function createApiKey(
  actor: AccountActor,
  input: CreateApiKeyInput,
  request: IdempotentRequest = plainRequest(),
): Promise<CreatedApiKey> {
  requireConfirmed(actor);
  const plainKey = newPlainKey(isTestAccount(actor.accountId));
  const carryOut = async (tx: Tx): Promise<CreatedApiKey> => {
    const permissions = grantScopes(actor, input.permissions);
    const at = now();
    requireFuture(input.expires_at, at);
    const row = {
      id: newId("apiKey"),
      accountId: actor.accountId,
      name: input.name,
      keyHash: hashKey(plainKey),
      keyHint: keyHint(plainKey),
      permissions,
      ...(await grantLimits(tx, actor, input)),
      createdBy: actor.kind === "apiKey" ? actor.keyId : null,
      countedAs: null,
      revokedAt: null,
      lastUsedAt: null,
      createdAt: at,
    };
    await insertKey(tx, row);
    const shown = presentApiKey(row, at);
    await recordAudit(tx, actor, {
      action: "api_key.created",
      accountId: row.accountId,
      subjectId: row.id,
      after: auditOf(row),
    });
    return { ...shown, plain_key: plainKey, plain_key_notice: PLAIN_KEY_NOTICE };
  };
  return createOnce(actor, request, { showsSecret: true, carryOut });
}
