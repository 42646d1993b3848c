import type { KeyQuota } from "../core/actor";
import { createBatcher } from "../core/batcher";
import { MINUTE_MS } from "../core/clock";
import { pool } from "../core/db";
import { unauthorized } from "../core/errors";
import { errorFields, log } from "../core/log";
import { defineProcessValue } from "../core/process";
import { keyHasExpired, keyIsInvalid } from "./endings";
import { ANCESTORS_SQL } from "./lineage";
import { hashKey, looksLikeKey } from "./secret";

/** A key that was not revoked when it was read from the database. */
export type KnownKey = {
  id: string;
  accountId: string;
  /** The key under whose id its messages are counted: itself, or the first of those that were rotated into it. */
  countedAs: string;
  permissions: string[];
  rateLimit: number;
  dailyLimit: number | null;
  monthlyLimit: number | null;
  allowedIps: string[];
  /** The keys that it descends from and that have limits. */
  ancestors: KeyQuota[];
  /** Expiry by the database's clock, as milliseconds of this process's monotonic clock; null: never. */
  expiresAtMs: number | null;
};

/** A revocation in another process applies here within this time; callers are promised one second. */
const FRESH_MS = 500;
const CACHE_MAX = 20_000;
const LOOKUPS_MAX = 500;
/** Queue limit of look-ups and uses. One statement takes hundreds, so only an unavailable database fills the queue. */
const WAITING_MAX = 20_000;

/** `readAt`: milliseconds of the process's monotonic clock. */
type Cached = { key: KnownKey | null; readAt: number };

/** `revocations` counts those in this process, so that a read that overlaps with one is not cached. */
const cache = defineProcessValue("api-keys.cache", () => ({ keys: new Map<string, Cached>(), revocations: 0 }));

/** Drops a key from this process's cache. The process that revokes a key must refuse it at once. */
export function invalidateKey(keyHash: string): void {
  cache().keys.delete(keyHash);
  cache().revocations += 1;
}

/**
 * The API key of an `Authorization: Bearer …` header.
 * @throws 401 `key_missing`, `key_invalid` when it is unknown or revoked, or `key_expired`.
 */
export async function authenticate(authorization: string | undefined): Promise<KnownKey> {
  const plain = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
  if (!plain) throw unauthorized("Send your API key as `Authorization: Bearer <key>`.", { reason: "key_missing" });
  const key = looksLikeKey(plain) ? await findKey(hashKey(plain)) : null;
  if (!key) throw keyIsInvalid();
  if (key.expiresAtMs !== null && key.expiresAtMs <= performance.now()) throw keyHasExpired();
  return key;
}

async function findKey(keyHash: string): Promise<KnownKey | null> {
  const { keys, revocations } = cache();
  const cached = keys.get(keyHash);
  if (cached && performance.now() - cached.readAt < FRESH_MS) return cached.key;
  const readAt = performance.now();
  const key = await lookUp(keyHash);
  if (cache().revocations !== revocations) return findKey(keyHash);
  if (keys.size >= CACHE_MAX) keys.clear();
  keys.set(keyHash, { key, readAt });
  return key;
}

type KeyRow = Omit<KnownKey, "expiresAtMs"> & { keyHash: string; expiresInMs: number | null };

const lookUpQueue = defineProcessValue("api-keys.lookup", () =>
  createBatcher<string, KnownKey | null>(
    async (hashes) => {
      const { rows } = await pool().query<KeyRow>({
        name: "api-keys.lookup",
        text: `SELECT key_hash AS "keyHash", id, account_id AS "accountId",
                 coalesce(counted_as, id) AS "countedAs", permissions, rate_limit AS "rateLimit",
                 daily_limit AS "dailyLimit", monthly_limit AS "monthlyLimit", allowed_ips AS "allowedIps",
                 ${ANCESTORS_SQL} AS ancestors,
                 (extract(epoch FROM expires_at - now()) * 1000)::float8 AS "expiresInMs"
               FROM api_keys k WHERE key_hash = ANY($1::text[]) AND revoked_at IS NULL`,
        values: [hashes],
      });
      const at = performance.now();
      const found = new Map(
        rows.map(({ keyHash: hash, expiresInMs, ...key }): [string, KnownKey] => [
          hash,
          { ...key, expiresAtMs: expiresInMs === null ? null : at + expiresInMs },
        ]),
      );
      return hashes.map((hash) => ({ ok: true, value: found.get(hash) ?? null }));
    },
    { name: "key_lookups", maxWeight: LOOKUPS_MAX, maxWaiting: WAITING_MAX },
  ),
);

/** Reads a key; concurrent look-ups share one query. */
const lookUp = (keyHash: string): Promise<KnownKey | null> => lookUpQueue()(keyHash);

/** Time of the last written use, by key, as known to this process; milliseconds of its monotonic clock. */
export const notedAt = defineProcessValue("api-keys.noted", () => new Map<string, number>());

const noteUseQueue = defineProcessValue("api-keys.note_use", () =>
  createBatcher<string, void>(noteUses, { maxWeight: LOOKUPS_MAX, maxWaiting: WAITING_MAX }),
);

/**
 * Writes `last_used_at` in the background, at most once a minute per key over all processes. To be called once the caller
 * is admitted: a refused request does not use the key.
 */
export function noteUse(keyId: string): void {
  const at = performance.now();
  if (at - (notedAt().get(keyId) ?? Number.NEGATIVE_INFINITY) < MINUTE_MS) return;
  if (notedAt().size >= CACHE_MAX) notedAt().clear();
  notedAt().set(keyId, at);
  noteUseQueue()(keyId).catch((thrown) => log("warn", "api_key.last_used_not_written", errorFields(thrown)));
}

async function noteUses(ids: string[]) {
  const { rows } = await pool().query<{ id: string; ageMs: number }>({
    name: "api-keys.note_use",
    text: `WITH used AS (
             SELECT id, last_used_at FROM api_keys WHERE id = ANY($1::text[]) ORDER BY id FOR NO KEY UPDATE
           ), noted AS (
             UPDATE api_keys k SET last_used_at = now() FROM used
             WHERE k.id = used.id AND (used.last_used_at IS NULL OR used.last_used_at <= now() - interval '1 minute')
           )
           SELECT id, (extract(epoch FROM now() - last_used_at) * 1000)::float8 AS "ageMs"
           FROM used WHERE last_used_at > now() - interval '1 minute'`,
    values: [ids],
  });
  // Written by another process: the next write is due a minute after that one, not a minute from now.
  for (const { id, ageMs } of rows) notedAt().set(id, performance.now() - Math.max(0, ageMs));
  return ids.map(() => ({ ok: true as const, value: undefined }));
}
