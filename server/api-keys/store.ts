import type { ApiKey as ApiKeyRow } from "@/prisma/generated/client";
import type { AccountActor } from "../core/actor";
import type { Tx } from "../core/db";
import { invalidRequest, notFound } from "../core/errors";
import type { KeyLimits } from "./ceiling";
import type { Scope } from "./scopes";

const KEYS_MAX = 100;

/**
 * Inserts a key. The account must be locked, so that concurrent creations count one after the other.
 * @throws 400 `key_limit` when the account has 100 active keys.
 */
export async function insertKey(tx: Tx, row: ApiKeyRow): Promise<void> {
  const { rowCount } = await tx.query(
    `INSERT INTO api_keys (id, account_id, name, key_hash, key_hint, permissions, rate_limit, daily_limit,
       monthly_limit, allowed_ips, expires_at, created_at, created_by)
     SELECT $1, $2, $3, $4, $5, $6::text[], $7::int4, $8::int4, $9::int4, $10::text[], $11::timestamptz,
       $12::timestamptz, $14
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
      row.createdBy,
    ],
  );
  if (rowCount === 0) {
    throw invalidRequest(`An account has at most ${KEYS_MAX} active API keys. Revoke one first.`, {
      reason: "key_limit",
    });
  }
}

export type LockedKey = KeyLimits & { keyHash: string; name: string; permissions: Scope[]; createdBy: string | null };

/** Reads and locks a key that works. @throws 404 */
export async function lockKey(tx: Tx, { accountId }: AccountActor, id: string): Promise<LockedKey> {
  const { rows } = await tx.query<LockedKey>(
    `SELECT key_hash AS "keyHash", name, permissions, rate_limit AS "rateLimit", daily_limit AS "dailyLimit",
       monthly_limit AS "monthlyLimit", allowed_ips AS "allowedIps", expires_at AS "expiresAt", created_by AS "createdBy"
     FROM api_keys WHERE id = $1 AND account_id = $2 AND revoked_at IS NULL
       AND (expires_at IS NULL OR expires_at > now())
     FOR NO KEY UPDATE`,
    [id, accountId],
  );
  if (!rows[0]) throw notFound("There is no such API key, or it is revoked or expired.", { param: "id" });
  return rows[0];
}
