/**
 * The hash chain over the audit log. Each digest covers entries of one UTC day, and the digest before it, as the digest files of AWS CloudTrail
 * do. An entry that is altered, deleted or added to a digest afterwards no longer matches it, and a digest that is altered no longer matches
 * those that follow. A writer of the database can compute the whole chain anew; that it differs from a digest which was noted
 * elsewhere, for example in the log, tells. Digests are made after the commits of entries: no change waits for another.
 */
import { createHash } from "node:crypto";
import { pool, type Tx, transaction } from "../core/db";
import { log } from "../core/log";

/** Entries per digest. */
export const ENTRIES_MAX = 1_000;
/** Digests per run: an older installation has many entries at first. */
const DIGESTS_PER_RUN = 20;

/** `day` as `2026-01-31`; `entries`: how many; hashes in hexadecimal. */
export type Digest = { number: bigint; day: string; entries: number; entriesSha256: string; sha256: string };

/** SQL: a UTC day as text, whatever the session's DateStyle. */
export const dayText = (day: string): string => `to_char(${day}, 'YYYY-MM-DD')`;

/** SQL: the columns of {@link Digest} in `audit_digests`. */
const DIGEST_COLUMNS = `number, ${dayText("day")} AS day, entries, entries_sha256 AS "entriesSha256", sha256`;

/**
 * SQL: an entry `e` as one line of JSON; everything but the number of its digest. Never change it, not even for a new column: digests that were
 * made would no longer match.
 */
const LINE = `json_build_array(e.id, e.account_id, e.actor_kind, e.actor_id, e.action, e.subject_id, e.address, e.user_agent,
  e.before::text, e.after::text, e.is_test, to_char(e.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text`;

/** SQL: the hash of the entries `e` of a group. */
export const ENTRIES_SHA256 = `encode(sha256(convert_to(string_agg(${LINE}, E'\\n' ORDER BY e.id COLLATE "C"), 'UTF8')), 'hex')`;

/** The hash of a digest. @param previous that of the digest before it; empty for the first. */
export const sha256Of = ({ number, day, entries, entriesSha256 }: Omit<Digest, "sha256">, previous: string): string =>
  createHash("sha256").update([number, day, entries, entriesSha256, previous].join("\n")).digest("hex");

/** The newest digest; null: there is none yet. */
async function lastDigest(tx: Tx): Promise<Digest | null> {
  const { rows } = await tx.query<Digest>(`SELECT ${DIGEST_COLUMNS} FROM audit_digests ORDER BY number DESC LIMIT 1`);
  return rows[0] ?? null;
}

/**
 * Gives the number of a digest to the oldest entries without one that are of the same day. The order is that of the index, whatever the
 * statistics say: at first all entries are without a digest, later hardly any.
 */
async function takeEntries(tx: Tx, number: bigint): Promise<Omit<Digest, "sha256"> | null> {
  const { rows } = await tx.query<Omit<Digest, "number" | "sha256">>(
    `WITH open AS (
       SELECT id, (created_at AT TIME ZONE 'UTC')::date AS day FROM audit_entries
       WHERE digest_number IS NULL ORDER BY digest_number, id LIMIT $2
     ), e AS (
       UPDATE audit_entries SET digest_number = $1
       WHERE id = ANY(ARRAY(SELECT id FROM open WHERE day = (SELECT day FROM open ORDER BY id LIMIT 1)))
         AND digest_number IS NULL
       RETURNING *
     )
     SELECT ${dayText("min(e.created_at AT TIME ZONE 'UTC')")} AS day, count(*)::int AS entries, ${ENTRIES_SHA256} AS "entriesSha256"
     FROM e HAVING count(*) > 0`,
    [number, ENTRIES_MAX],
  );
  return rows[0] ? { number, ...rows[0] } : null;
}

/** Makes the next digest. @returns null when every entry has one. */
const makeDigest = (): Promise<Digest | null> =>
  transaction(async (tx) => {
    const last = await lastDigest(tx);
    const taken = await takeEntries(tx, last ? last.number + 1n : 1n);
    if (!taken) return null;
    const digest = { ...taken, sha256: sha256Of(taken, last?.sha256 ?? "") };
    await tx.query(
      "INSERT INTO audit_digests (number, day, entries, entries_sha256, sha256) VALUES ($1, $2::date, $3, $4, $5)",
      [digest.number, digest.day, digest.entries, digest.entriesSha256, digest.sha256],
    );
    return digest;
  });

/** Makes the digests of all entries that have none, or of the oldest ones. Each digest is logged, so that it is known outside of the database. */
export async function digestAudit(stop?: AbortSignal): Promise<void> {
  for (let made = 0; made < DIGESTS_PER_RUN && !stop?.aborted; made += 1) {
    const digest = await makeDigest();
    if (!digest) return;
    const { number, day, entries, sha256 } = digest;
    log("info", "audit.digest", { number: String(number), day, entries, sha256 });
  }
}

/** The digests that follow the one with this number, at most `limit`, in order. */
export async function digestsAfter(number: bigint, limit: number): Promise<Digest[]> {
  const { rows } = await pool().query<Digest>(
    `SELECT ${DIGEST_COLUMNS} FROM audit_digests WHERE number > $1 ORDER BY number LIMIT $2`,
    [number, limit],
  );
  return rows;
}
