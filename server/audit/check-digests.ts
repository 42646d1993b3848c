/** Checks the audit log against its digests. */
import { DAY_MS, nextUtcDay, utcDay } from "../core/clock";
import { pool } from "../core/db";
import { env } from "../core/env";
import { daysBefore, safeNow } from "../retention/age";
import { type Digest, dayText, digestsAfter, ENTRIES_SHA256, sha256Of } from "./digests";

const DIGESTS_PER_STEP = 500;
/** Entries get their digest within minutes. */
const UNDIGESTED_AFTER = "interval '10 minutes'";

/**
 * - `digest_missing`: there is no digest of this number, though there are later ones, or entries that have it.
 * - `digest_altered`: it does not match its hash, or that of the digest before it.
 * - `entries_differ`: its entries are not those that it was made of: some were altered, deleted or added.
 */
type Problem = "digest_missing" | "digest_altered" | "entries_differ";

/** `day` and `entries` are those of the digest; null: it is missing. `found`: how many entries have its number now. */
type AuditFault = {
  number: bigint;
  problem: Problem;
  day: string | null;
  entries: number | null;
  found: number;
};

/**
 * `since`: first UTC day (`2026-01-31`) whose entries were checked; `digests`: all of them; `entries`: how many were checked; `newest`: null: there is
 * no digest; `isNoted`: whether a digest has the hash that was asked for; `waiting`: entries older than ten minutes without a digest.
 */
export type AuditCheck = {
  since: string;
  digests: number;
  entries: number;
  newest: Digest | null;
  isNoted: boolean | null;
  waiting: number;
  faults: AuditFault[];
};

/** The first day of which AUDIT_KEPT_DAYS has deleted nothing. */
async function firstKeptDay(): Promise<string> {
  const kept = daysBefore(await safeNow(), env().AUDIT_KEPT_DAYS);
  return utcDay(kept.getTime() % DAY_MS === 0 ? kept : nextUtcDay(kept));
}

/** `lastDay`: UTC day of the newest entry. */
type Found = { number: bigint; entries: number; lastDay: string; sha256: string };

/** The entries that have the numbers of digests from `first` to `last`, by number. */
async function entriesOf(first: bigint, last: bigint): Promise<Map<bigint, Found>> {
  const { rows } = await pool().query<Found>(
    `SELECT e.digest_number AS number, count(*)::int AS entries, ${dayText("max(e.created_at AT TIME ZONE 'UTC')")} AS "lastDay",
       ${ENTRIES_SHA256} AS sha256
     FROM audit_entries e WHERE e.digest_number BETWEEN $1 AND $2 GROUP BY e.digest_number`,
    [first, last],
  );
  return new Map(rows.map((row) => [row.number, row]));
}

/** A digest that has no row, of which `found` entries have the number. */
const missing = (number: bigint, found: number): AuditFault => ({
  ...{ number, problem: "digest_missing", day: null, entries: null, found },
});

/** Entries with a number beyond the newest digest, or below the first, but of no digest that was made since. */
async function strayEntries(newest: bigint): Promise<AuditFault[]> {
  const { rows } = await pool().query<{ number: bigint; found: number }>(
    `SELECT digest_number AS number, count(*)::int AS found FROM audit_entries e
     WHERE (digest_number > $1 OR digest_number < 1) AND NOT EXISTS (SELECT FROM audit_digests d WHERE d.number = e.digest_number)
     GROUP BY digest_number ORDER BY digest_number`,
    [newest],
  );
  return rows.map(({ number, found }) => missing(number, found));
}

async function countWaiting(): Promise<number> {
  const { rows } = await pool().query<{ n: number }>(
    `SELECT count(*)::int AS n FROM audit_entries WHERE digest_number IS NULL AND created_at < now() - ${UNDIGESTED_AFTER}`,
  );
  return rows[0]?.n ?? 0;
}

/**
 * Compares every digest with the one before it, and with its entries as far as they are kept. Reads the whole log, in steps.
 * @param options `since`: first UTC day (`2026-01-31`) whose entries are checked; by default the first of which AUDIT_KEPT_DAYS has deleted
 *   nothing. `noted`: hash of a digest that was noted elsewhere, and must be among them.
 */
export async function checkAudit(
  options: { since?: string | undefined; noted?: string | undefined } = {},
): Promise<AuditCheck> {
  const since = options.since ?? (await firstKeptDay());
  const check: AuditCheck = {
    ...{ since, digests: 0, entries: 0, newest: null, waiting: 0, faults: [] },
    isNoted: options.noted === undefined ? null : false,
  };
  for (;;) {
    const digests = await digestsAfter(check.newest?.number ?? 0n, DIGESTS_PER_STEP);
    const last = digests.at(-1);
    if (!last) break;
    const found = await entriesOf((check.newest?.number ?? 0n) + 1n, last.number);
    for (const digest of digests) compare(check, digest, found, options.noted);
  }
  check.faults.push(...(await strayEntries(check.newest?.number ?? 0n)));
  check.waiting = await countWaiting();
  return check;
}

/** Adds a digest to the check; `check.newest` is the one before it. */
function compare(
  check: AuditCheck,
  digest: Digest,
  found: ReadonlyMap<bigint, Found>,
  noted: string | undefined,
): void {
  const { number, day, entries } = digest;
  const before = check.newest;
  const next = (before?.number ?? 0n) + 1n;
  const own = found.get(number);
  const fault = (problem: Problem) => check.faults.push({ number, problem, day, entries, found: own?.entries ?? 0 });
  if (number !== next) check.faults.push(missing(next, found.get(next)?.entries ?? 0));
  // After a gap there is no digest before it to compare with.
  else if (digest.sha256 !== sha256Of(digest, before?.sha256 ?? "")) fault("digest_altered");
  if (day >= check.since) {
    check.entries += own?.entries ?? 0;
    if (own?.entries !== entries || own.sha256 !== digest.entriesSha256) fault("entries_differ");
  } else if (own && own.lastDay > day) {
    // Some of its own may have been deleted by now, but it never had one of a later day.
    fault("entries_differ");
  }
  if (digest.sha256 === noted) check.isNoted = true;
  check.digests += 1;
  check.newest = digest;
}
