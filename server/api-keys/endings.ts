/**
 * Ends of keys, as their requests under way see them. A key ends (it is revoked, or given an earlier expiry) under the admission lock of
 * its account and under the lock of this file. So a transaction that holds either of the two may rely on what it reads here until it
 * ends itself.
 */
import type { Tx } from "../core/db";
import { type ApiError, unauthorized } from "../core/errors";

/** The text and the number of locks are those of the admission locks (accounts/store.ts), for the same reason. */
const LOCK = "hashtext('api_keys.ends'), hashtext($1) & 2047";

/** 401: there is no such key, or it is revoked. */
export const keyIsInvalid = () => unauthorized("This API key is not valid.", { reason: "key_invalid" });

/** 401 */
export const keyHasExpired = () => unauthorized("This API key has expired.", { reason: "key_expired" });

/**
 * Keeps the account's keys from being ended until the transaction ends. Any number of transactions hold this lock together, and those
 * that come after an end that waits for them wait behind it: a row's lock would let them pass, and a key in constant use could not be
 * revoked. It is taken before all locks but the admission lock, and is not needed under that.
 */
export const holdKeys = (tx: Tx, accountId: string): Promise<unknown> =>
  tx.query({ name: "api-keys.hold", text: `SELECT pg_advisory_xact_lock_shared(${LOCK})`, values: [accountId] });

/** Waits for the transactions that hold the account's keys. The admission lock is taken before. */
export const lockEnds = (tx: Tx, accountId: string): Promise<unknown> =>
  tx.query(`SELECT pg_advisory_xact_lock(${LOCK})`, [accountId]);

/** The refusals of those keys that have ended: 401 `key_invalid` or `key_expired`, as before the request was admitted. */
export async function readEnded(tx: Tx, ids: Iterable<string>): Promise<Map<string, ApiError>> {
  const unique = [...new Set(ids)];
  const { rows } = await tx.query<{ id: string; isRevoked: boolean; isExpired: boolean }>({
    name: "api-keys.read_ends",
    // With a condition on `revoked_at` it might walk the index of all working keys.
    text: `SELECT id, revoked_at IS NOT NULL AS "isRevoked", coalesce(expires_at <= clock_timestamp(), false) AS "isExpired"
           FROM api_keys WHERE id = ANY($1::text[])`,
    values: [unique],
  });
  const known = new Map(rows.map((row) => [row.id, row]));
  return new Map(
    unique.flatMap((id): [string, ApiError][] => {
      const { isRevoked = true, isExpired = false } = known.get(id) ?? {};
      return isRevoked ? [[id, keyIsInvalid()]] : isExpired ? [[id, keyHasExpired()]] : [];
    }),
  );
}
