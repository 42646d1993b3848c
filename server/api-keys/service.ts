import { createOnce, type DeedRequest, plainRequest } from "../accounts/answers";
import type { AccountActor } from "../core/actor";
import { now } from "../core/clock";
import { prisma, type Tx } from "../core/db";
import { forbidden, invalidRequest, notFound } from "../core/errors";
import { newId } from "../core/ids";
import { forgetKey } from "./authenticate";
import { parseAllowedIp } from "./ip-allowlist";
import { presentApiKey } from "./present";
import type { ApiKey, CreateApiKeyInput, CreatedApiKey } from "./schema";
import { missingScopes, SCOPES, type Scope } from "./scopes";
import { hashKey, keyHint, newPlainKey } from "./secret";

const PLAIN_KEY_NOTICE = "Store this key now: it is shown this once and cannot be read again.";

/** Every key of the account, newest first; revoked and expired ones too, as inactive. */
export async function listApiKeys(actor: AccountActor): Promise<{ object: "list"; data: ApiKey[] }> {
  const at = now();
  const rows = await prisma().apiKey.findMany({ where: { accountId: actor.accountId }, orderBy: { id: "desc" } });
  return { object: "list", data: rows.map((row) => presentApiKey(row, at)) };
}

/** A signed-in owner holds every scope, a key its own. */
const scopesOf = (actor: AccountActor): readonly Scope[] =>
  actor.kind === "session" ? SCOPES : SCOPES.filter((scope) => actor.scopes.includes(scope));

/** One spelling per network, each once; the schema has refused what is no IPv4 address or network. */
const canonicalIps = (allowed: readonly string[]): string[] => [
  ...new Set(
    allowed.map((text) => {
      const parsed = parseAllowedIp(text);
      return parsed.ok ? parsed.value : text;
    }),
  ),
];

/**
 * Makes a key. The answer is the only place where the key itself is ever shown. Without `permissions` it gets the
 * scopes of whoever creates it.
 * @throws 403 `scope_not_held` for a scope that the creator lacks, 400 `expires_in_the_past`.
 */
export async function createApiKey(
  actor: AccountActor,
  input: CreateApiKeyInput,
  request: DeedRequest = plainRequest(),
): Promise<CreatedApiKey> {
  const plainKey = newPlainKey();
  const carryOut = async (tx: Tx): Promise<CreatedApiKey> => {
    const held = scopesOf(actor);
    const wanted = input.permissions ?? held;
    const missing = missingScopes(held, wanted);
    if (missing.length > 0) {
      throw forbidden(`A key cannot grant what its creator lacks: ${missing.join(", ")}.`, {
        param: "permissions",
        reason: "scope_not_held",
        details: { missing },
      });
    }
    const at = now();
    const expiresAt = input.expires_at ? new Date(input.expires_at) : null;
    if (expiresAt && expiresAt <= at) {
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
      permissions: SCOPES.filter((scope) => wanted.includes(scope)),
      rateLimit: input.rate_limit,
      dailyLimit: input.daily_limit ?? null,
      monthlyLimit: input.monthly_limit ?? null,
      allowedIps: canonicalIps(input.allowed_ips ?? []),
      expiresAt,
      revokedAt: null,
      lastUsedAt: null,
      createdAt: at,
    };
    await tx.query(
      `INSERT INTO api_keys (id, account_id, name, key_hash, key_hint, permissions, rate_limit, daily_limit,
         monthly_limit, allowed_ips, expires_at, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
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
        row.expiresAt,
        row.createdAt,
      ],
    );
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
