/**
 * A chapter is a closed range of ledger entries: about one day, closed two days later, when no transaction can still add to
 * it. Its sums are stored, so the hourly check reads only later entries. Chapters are re-read periodically, because a stored
 * sum would hide a later change.
 */
import { DAY_MS } from "../../core/clock";
import { pool, transaction } from "../../core/db";
import { firstIdAt, ID_SLACK_MS } from "../../core/ids";
import { inSnapshot, type Read } from "./check";
import { EVERYTHING, FAULTS, faultValues, type LedgerRange } from "./faults";

/** Longer than any transaction, and than the difference between the clocks of two processes. */
const CLOSED_AFTER = "interval '2 days'";
const CHAPTER_LENGTH = "interval '1 day'";
/** Maximum entries of a chapter, so that one short statement computes its sums. */
const CHAPTER_ENTRIES_MAX = 200_000;
/** Messages are settled or refunded within three days of their dispatch. */
const SETTLED_WITHIN_MS = 4 * DAY_MS;
/** Scheduled messages are dispatched up to 30 days after they were accepted, unless they were given another time since. */
const SCHEDULED_SETTLED_WITHIN_MS = 30 * DAY_MS + SETTLED_WITHIN_MS;

/** The entries from `afterId` (exclusive) to `throughId`, and the times of the first and the last. */
export type Chapter = { afterId: bigint; throughId: bigint; beganAt: Date; endedAt: Date };

const firstMessageAt = (at: Date): string => firstIdAt("message", at);

const CHAPTER_COLUMNS = `after_id AS "afterId", through_id AS "throughId", began_at AS "beganAt", ended_at AS "endedAt"`;

/**
 * Closes the next chapter, if there is one: at most a day of entries that are two days old.
 * @returns whether there was one.
 */
export const closeChapter = (): Promise<boolean> =>
  transaction(async (tx) => {
    // Two processes at once would store the same sums twice.
    await tx.query("SELECT pg_advisory_xact_lock(hashtext('ledger.close'))");
    const { rows } = await tx.query<Chapter>({
      text: `WITH last AS (
               SELECT coalesce(max(through_id), 0) AS id FROM ledger_chapters
             ), next AS (
               SELECT e.id, e.created_at, row_number() OVER (ORDER BY e.id) AS n FROM ledger_entries e, last
               WHERE e.id > last.id ORDER BY e.id LIMIT $1
             ), young AS (
               SELECT min(id) AS id FROM next
               WHERE created_at >= now() - ${CLOSED_AFTER}
                 OR created_at >= (SELECT created_at FROM next WHERE n = 1) + ${CHAPTER_LENGTH}
             ), old AS (
               SELECT next.* FROM next, young WHERE young.id IS NULL OR next.id < young.id
             )
             INSERT INTO ledger_chapters (after_id, through_id, began_at, ended_at)
             SELECT last.id, max(old.id), min(old.created_at), max(old.created_at) FROM old, last GROUP BY last.id
             HAVING count(*) = $1 OR min(old.created_at) < now() - ${CLOSED_AFTER} - ${CHAPTER_LENGTH}
             RETURNING ${CHAPTER_COLUMNS}`,
      values: [CHAPTER_ENTRIES_MAX],
    });
    const [chapter] = rows;
    if (!chapter) return false;
    await tx.query({
      text: `INSERT INTO ledger_closings (account_id, through_id, amount_micros, held_micros)
             SELECT s.account_id, $2, s.amount + coalesce(f.amount_micros, 0), s.reserved + coalesce(f.held_micros, 0)
             FROM (${SUMS}) s LEFT JOIN LATERAL (${FORMER}) f ON true`,
      values: [String(chapter.afterId), String(chapter.throughId)],
    });
    return true;
  });

/** SQL: the sums of a chapter's entries by account. `$1`, `$2`: its entries. */
const SUMS = `SELECT account_id, sum(amount_micros) AS amount, sum(held_micros) AS reserved FROM ledger_entries
  WHERE id > $1::int8 AND id <= $2::int8 GROUP BY account_id`;
/** SQL: the stored sums of the account `s` before the chapter. */
const FORMER = `SELECT amount_micros, held_micros FROM ledger_closings c
  WHERE c.account_id = s.account_id AND c.through_id <= $1::int8 ORDER BY c.through_id DESC LIMIT 1`;

/**
 * The open part: entries after the last chapter, and the messages whose reserves must be among them.
 * @param slackMs the most by which the time in a message's id may be ahead of its reserve, which the last chapter may then have.
 */
export async function openRange(slackMs = ID_SLACK_MS): Promise<LedgerRange> {
  const { rows } = await pool().query<Pick<Chapter, "throughId" | "endedAt">>(
    `SELECT through_id AS "throughId", ended_at AS "endedAt" FROM ledger_chapters ORDER BY through_id DESC LIMIT 1`,
  );
  const [last] = rows;
  if (!last) return EVERYTHING;
  return { ...EVERYTHING, after: last.throughId, first: firstMessageAt(new Date(last.endedAt.getTime() + slackMs)) };
}

/** An account whose entries in a chapter differ from the stored sums. Amounts in micro-units, those of the chapter alone. */
export type ChapterDrift = {
  accountId: string;
  keptMicros: bigint;
  ledgerMicros: bigint;
  keptReservedMicros: bigint;
  ledgerReservedMicros: bigint;
  faultyMessages: string[];
};

/** A chapter to be read again. `hasFaults`: it had some when it was last read. */
export type KnownChapter = Chapter & { hasFaults: boolean };

/**
 * Chapters to be read again, alternately faulty ones and others, so that many faulty ones do not keep the others from being
 * read. In each group new ones come first, then those read longest ago.
 * @returns them, and how many faulty ones are not among them.
 */
export async function chaptersToVerify(limit: number): Promise<{ chapters: KnownChapter[]; faultyBeside: number }> {
  const { rows } = await pool().query<KnownChapter & { faulty: number }>(
    `SELECT ${CHAPTER_COLUMNS}, has_faults AS "hasFaults", faulty FROM (
       SELECT *, count(*) FILTER (WHERE has_faults) OVER ()::int4 AS faulty,
         row_number() OVER (PARTITION BY has_faults ORDER BY verified_at NULLS FIRST, through_id) AS turn
       FROM ledger_chapters) c
     ORDER BY turn, has_faults DESC LIMIT $1`,
    [limit],
  );
  const [{ faulty } = { faulty: 0 }] = rows;
  return { chapters: rows, faultyBeside: faulty - rows.filter(({ hasFaults }) => hasFaults).length };
}

/** Notes that a chapter was read again, and whether it has faults. */
export async function noteVerified({ throughId }: Chapter, hasFaults: boolean): Promise<void> {
  await pool().query("UPDATE ledger_chapters SET verified_at = now(), has_faults = $2 WHERE through_id = $1", [
    String(throughId),
    hasFaults,
  ]);
}

/** Reads a chapter's entries and messages again. @returns its faults by account. */
export const verifyChapter = (chapter: Chapter): Promise<ChapterDrift[]> =>
  inSnapshot(async (read) => {
    const [sums, messages] = [await findWrongSums(read, chapter), await findFaults(read, chapter)];
    const none = { keptMicros: 0n, ledgerMicros: 0n, keptReservedMicros: 0n, ledgerReservedMicros: 0n };
    const byAccount = new Map<string, ChapterDrift>(sums.map((sum) => [sum.accountId, { ...sum, faultyMessages: [] }]));
    for (const { accountId, faultyMessages } of messages) {
      byAccount.set(accountId, { ...(byAccount.get(accountId) ?? { accountId, ...none }), faultyMessages });
    }
    return [...byAccount.values()];
  });

type WrongSums = Omit<ChapterDrift, "faultyMessages">;

const findWrongSums = (read: Read, { afterId, throughId }: Chapter): Promise<WrongSums[]> =>
  read<WrongSums>(
    `WITH s AS (${SUMS}), kept AS (
             SELECT s.account_id, s.amount_micros - coalesce(f.amount_micros, 0) AS amount,
                    s.held_micros - coalesce(f.held_micros, 0) AS reserved
             FROM ledger_closings s LEFT JOIN LATERAL (${FORMER}) f ON true WHERE s.through_id = $2::int8
           )
           SELECT account_id AS "accountId", coalesce(k.amount, 0)::int8 AS "keptMicros",
             coalesce(s.amount, 0)::int8 AS "ledgerMicros", coalesce(k.reserved, 0)::int8 AS "keptReservedMicros",
             coalesce(s.reserved, 0)::int8 AS "ledgerReservedMicros"
           FROM s FULL JOIN kept k USING (account_id)
           WHERE coalesce(k.amount, 0) <> coalesce(s.amount, 0) OR coalesce(k.reserved, 0) <> coalesce(s.reserved, 0)
           ORDER BY 1`,
    [String(afterId), String(throughId)],
  );

type Faults = Pick<ChapterDrift, "accountId" | "faultyMessages">;

/** The faulty messages that were accepted in the time of a chapter. */
async function findFaults(read: Read, chapter: Chapter): Promise<Faults[]> {
  const [former] = await read<{ afterId: bigint; formerEnd: Date }>(
    `SELECT after_id AS "afterId", ended_at AS "formerEnd" FROM ledger_chapters WHERE through_id < $1
     UNION ALL SELECT 0, '1970-01-01' ORDER BY 1 DESC LIMIT 1`,
    [String(chapter.throughId)],
  );
  const { afterId: after, formerEnd } = former ?? NOTHING_BEFORE;
  const messages = { first: firstMessageAt(formerEnd), end: firstMessageAt(chapter.endedAt) };
  // The faulty message may have ended after the range that was read; then a larger range is read, and finally the whole ledger.
  for (const withinMs of [SETTLED_WITHIN_MS, SCHEDULED_SETTLED_WITHIN_MS]) {
    const through = await lastReadWithin(read, chapter, withinMs);
    const found = await readFaults(read, { ...messages, after, through });
    if (found.length === 0 || through === null) return found;
  }
  return readFaults(read, { ...EVERYTHING, ...messages, after });
}

/** The last entry of the chapter that covers the time `ms` after another's end; null when it is not closed yet. */
async function lastReadWithin(read: Read, { endedAt }: Chapter, ms: number): Promise<bigint | null> {
  const [last] = await read<{ throughId: bigint | null }>(
    `SELECT min(through_id) AS "throughId" FROM ledger_chapters WHERE ended_at >= $1`,
    [new Date(endedAt.getTime() + ms)],
  );
  return last?.throughId ?? null;
}

const NOTHING_BEFORE = { afterId: 0n, formerEnd: new Date(0) };

const readFaults = (read: Read, range: LedgerRange): Promise<Faults[]> =>
  read<Faults>(
    `WITH ${FAULTS} SELECT account_id AS "accountId", messages AS "faultyMessages" FROM named ORDER BY 1`,
    faultValues(range),
  );
