/**
 * The ancestry of API keys. A key shares the message limits of the key that created it, and may be revoked with it. Keys that were
 * rotated one after the other count their messages together, under the id of the first.
 */
import type { Tx } from "../core/db";
import { lockEnds } from "./endings";

/** Generations of keys that created one another; a look-up of a key reads all of its ancestors. */
export const GENERATIONS_MAX = 10;

const ANCESTRY_SQL = (key: string): string => `
  WITH RECURSIVE ancestry (id, created_by, counted_as, daily_limit, monthly_limit) AS (
    SELECT p.id, p.created_by, p.counted_as, p.daily_limit, p.monthly_limit FROM api_keys p WHERE p.id = ${key}
    UNION
    SELECT p.id, p.created_by, p.counted_as, p.daily_limit, p.monthly_limit FROM api_keys p JOIN ancestry a ON p.id = a.created_by
  )`;

/** SQL: the ancestors of the key `k` that have limits, revoked ones too, as JSON in the shape of a KeyQuota. */
export const ANCESTORS_SQL = `CASE WHEN k.created_by IS NULL THEN '[]'::json ELSE (${ANCESTRY_SQL("k.created_by")}
  SELECT coalesce(json_agg(json_build_object('id', coalesce(counted_as, id), 'daily', daily_limit, 'monthly', monthly_limit)), '[]'::json)
  FROM ancestry WHERE daily_limit IS NOT NULL OR monthly_limit IS NOT NULL) END`;

/** 1 for a key that a person made, 2 for one that it made, and so on. */
export async function generationOf(tx: Tx, keyId: string): Promise<number> {
  const { rows } = await tx.query<{ n: number }>(`${ANCESTRY_SQL("$1")} SELECT count(*)::int AS n FROM ancestry`, [
    keyId,
  ]);
  return rows[0]?.n ?? 0;
}

/** SQL: the ids of the key `$1` of the account `$2`, and of all that descend from it. */
const DESCENDANTS_SQL = `WITH RECURSIVE descendants (id) AS (
    SELECT id FROM api_keys WHERE id = $1 AND account_id = $2
    UNION
    SELECT k.id FROM api_keys k JOIN descendants d ON k.created_by = d.id
  )`;

export type DescendantKey = { id: string; keyHash: string; permissions: string[]; isRevoked: boolean };

/** A key of the account and all that descend from it, locked: they may then be ended. The account must be locked, so that no key is added. */
export async function lockWithDescendants(tx: Tx, accountId: string, keyId: string): Promise<DescendantKey[]> {
  await lockEnds(tx, accountId);
  const { rows } = await tx.query<DescendantKey>(
    `${DESCENDANTS_SQL}
     SELECT id, key_hash AS "keyHash", coalesce(permissions, '{}') AS permissions, revoked_at IS NOT NULL AS "isRevoked" FROM api_keys
     WHERE id IN (SELECT id FROM descendants) ORDER BY id FOR NO KEY UPDATE`,
    [keyId, accountId],
  );
  return rows;
}

/** The hashes of a key and of all that descend from it, whose message limits include its own. */
export async function hashesOfLineage(tx: Tx, accountId: string, keyId: string): Promise<string[]> {
  const { rows } = await tx.query<{ keyHash: string }>(
    `${DESCENDANTS_SQL} SELECT key_hash AS "keyHash" FROM api_keys WHERE id IN (SELECT id FROM descendants)`,
    [keyId, accountId],
  );
  return rows.map(({ keyHash }) => keyHash);
}

/** Revokes keys that {@link lockWithDescendants} locked. */
export async function revokeKeys(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.query("UPDATE api_keys SET revoked_at = now() WHERE id = ANY($1::text[])", [ids]);
}
