import type { ApiKey as ApiKeyRow } from "@/prisma/generated/client";
import type { AccountActor } from "../core/actor";
import { nextUtcDay, secondsUntil, utcDay } from "../core/clock";
import { pool, type Tx } from "../core/db";
import { invalidRequest, notFound, rateLimited } from "../core/errors";
import { firstIdAt } from "../core/ids";
import type { KeyLimits } from "./ceiling";
import { lockEnds } from "./endings";
import type { Scope } from "./scopes";

const KEYS_MAX = 100;
const CREATED_PER_DAY_MAX = 1_000;
/** Limits on listed inactive keys: programs that create short-lived keys leave many. */
const ENDED_LISTED_MAX = 200;
const ENDED_LISTED_DAYS = 90;

/** SQL: when a key was revoked or expired; null: never. The index `api_keys_ended` has it. */
const ENDS_AT = "LEAST(revoked_at, expires_at)";

/** All active keys of an account, and the latest 200 that ended within 90 days; newest first. */
export async function readKeys(accountId: string): Promise<ApiKeyRow[]> {
  const { rows } = await pool().query<ApiKeyRow>({
    name: "api-keys.list",
    text: `SELECT id, account_id AS "accountId", name, key_hash AS "keyHash", key_hint AS "keyHint",
             coalesce(permissions, '{}') AS permissions, rate_limit AS "rateLimit", daily_limit AS "dailyLimit", monthly_limit AS "monthlyLimit",
             coalesce(allowed_ips, '{}') AS "allowedIps", expires_at AS "expiresAt", revoked_at AS "revokedAt", created_by AS "createdBy",
             counted_as AS "countedAs", last_used_at AS "lastUsedAt", created_at AS "createdAt"
           FROM (
             SELECT * FROM api_keys WHERE account_id = $1 AND (${ENDS_AT} IS NULL OR ${ENDS_AT} > now())
             UNION ALL
             (SELECT * FROM api_keys
              WHERE account_id = $1 AND ${ENDS_AT} <= now()
                AND ${ENDS_AT} > now() - interval '${ENDED_LISTED_DAYS} days'
              ORDER BY ${ENDS_AT} DESC LIMIT ${ENDED_LISTED_MAX})
           ) AS listed ORDER BY id DESC`,
    values: [accountId],
  });
  return rows;
}

/**
 * Inserts a key. The account must be locked, so that concurrent creations count one after the other.
 * @throws 400 `key_limit` when the account has 100 active keys; 429 `key_creation_limit` when it has made 1,000 on this UTC day.
 */
export async function insertKey(tx: Tx, row: ApiKeyRow): Promise<void> {
  const { rows } = await tx.query<{ working: number; today: number }>(
    `WITH counted AS (
       SELECT
         (SELECT count(*)::int4 FROM api_keys WHERE account_id = $2 AND revoked_at IS NULL
            AND (${ENDS_AT} IS NULL OR ${ENDS_AT} > now())) AS working,
         (SELECT count(*)::int4 FROM (
            SELECT FROM api_keys WHERE account_id = $2 AND id >= $14 LIMIT ${CREATED_PER_DAY_MAX}) AS made) AS today
     ), inserted AS (
       INSERT INTO api_keys (id, account_id, name, key_hash, key_hint, permissions, rate_limit, daily_limit,
         monthly_limit, allowed_ips, expires_at, created_at, created_by, counted_as)
       SELECT $1, $2, $3, $4, $5, $6::text[], $7::int4, $8::int4, $9::int4, $10::text[], $11::timestamptz,
         $12::timestamptz, $13, $15
       FROM counted WHERE working < ${KEYS_MAX} AND today < ${CREATED_PER_DAY_MAX}
     )
     SELECT working, today FROM counted`,
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
      row.createdBy,
      firstIdAt("apiKey", new Date(utcDay(row.createdAt))),
      row.countedAs,
    ],
  );
  const { working = 0, today = 0 } = rows[0] ?? {};
  if (working >= KEYS_MAX) {
    throw invalidRequest(`An account has at most ${KEYS_MAX} active API keys. Revoke one first.`, {
      reason: "key_limit",
    });
  }
  if (today >= CREATED_PER_DAY_MAX) {
    throw rateLimited(`An account makes at most ${CREATED_PER_DAY_MAX} API keys in a UTC day.`, {
      reason: "key_creation_limit",
      details: { limit: CREATED_PER_DAY_MAX },
      retryAfterS: secondsUntil(nextUtcDay(row.createdAt)),
    });
  }
}

export type LockedKey = KeyLimits & {
  keyHash: string;
  name: string;
  permissions: Scope[];
  createdBy: string | null;
  countedAs: string | null;
};

/** Reads and locks a key that works, which may then be ended. The account must be locked. @throws 404 */
export async function lockKey(tx: Tx, { accountId }: AccountActor, id: string): Promise<LockedKey> {
  await lockEnds(tx, accountId);
  const { rows } = await tx.query<LockedKey>(
    `SELECT key_hash AS "keyHash", name, permissions, rate_limit AS "rateLimit", daily_limit AS "dailyLimit",
       monthly_limit AS "monthlyLimit", allowed_ips AS "allowedIps", expires_at AS "expiresAt", created_by AS "createdBy",
       counted_as AS "countedAs"
     FROM api_keys WHERE id = $1 AND account_id = $2 AND revoked_at IS NULL
       AND (expires_at IS NULL OR expires_at > now())
     FOR NO KEY UPDATE`,
    [id, accountId],
  );
  if (!rows[0]) throw notFound("There is no such API key, or it is revoked or expired.", { param: "id" });
  return rows[0];
}
