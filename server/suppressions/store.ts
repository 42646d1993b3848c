/** Reads suppressions, on the hot path of every send, and writes those made by hand or by keywords from handsets. */
import type { Suppression as SuppressionRow } from "@/prisma/generated/client";
import { onCommit, type Queryable, type Tx } from "../core/db";
import { newId } from "../core/ids";
import { noteChange } from "../core/live";
import { unnest } from "../core/unnest";
import { INSERT_CHANGES } from "../lists/store";
import { otherSpellingOf } from "../messages/phone";

type Sending = { accountId: string; toNumber: string; fromSender: string };

const keyOf = (accountId: string, number: string, senderId: string): string => `${accountId} ${number} ${senderId}`;

/**
 * The sender IDs whose suppressions apply to a sender: empty (all), itself, and the other spelling of a dialable number.
 */
const suppressorsOf = (fromSender: string): string[] => ["", fromSender, otherSpellingOf(fromSender) ?? ""];

const SENDINGS = unnest<Sending>({
  account_id: ["text", (sending) => sending.accountId],
  number: ["text", (sending) => sending.toNumber],
  sender_id: ["text", (sending) => sending.fromSender],
  other_spelling: ["text", (sending) => otherSpellingOf(sending.fromSender) ?? ""],
});

/**
 * Reads the suppressions of `sendings`. When the accounts are locked, the result includes everything committed before.
 * @returns a function that returns whether a message is suppressed, for its sender or for every sender of the account.
 */
export async function findSuppressed(
  db: Queryable,
  sendings: readonly Sending[],
): Promise<(sending: Sending) => boolean> {
  if (sendings.length === 0) return () => false;
  const { rows } = await db.query<{ accountId: string; number: string; senderId: string }>({
    name: "suppressions.find",
    text: `SELECT s.account_id AS "accountId", s.number, s.sender_id AS "senderId"
           FROM ${SENDINGS.as("r")}
           JOIN suppressions s ON s.account_id = r.account_id AND s.number = r.number
             AND s.sender_id IN ('', r.sender_id, r.other_spelling)`,
    values: SENDINGS.values(sendings),
  });
  if (rows.length === 0) return () => false;
  const found = new Set(rows.map((row) => keyOf(row.accountId, row.number, row.senderId)));
  return ({ accountId, toNumber, fromSender }) =>
    suppressorsOf(fromSender).some((senderId) => found.has(keyOf(accountId, toNumber, senderId)));
}

/** SQL: {@link otherSpellingOf} a sender ID, empty if it has none. */
const otherSpellingIn = (senderId: string): string => `CASE WHEN ${senderId} ~ '^\\+[1-9][0-9]{6,14}$'
  THEN substr(${senderId}, 2) WHEN ${senderId} ~ '^[1-9][0-9]{6,14}$' THEN '+' || ${senderId} ELSE '' END`;

/** SQL: whether a message is suppressed, for its sender or for every sender. `message`: alias of `messages` in the statement. */
export const isSuppressed = (message: string): string => `EXISTS (SELECT 1 FROM suppressions suppressing
  WHERE suppressing.account_id = ${message}.account_id AND suppressing.number = ${message}.to_number
    AND suppressing.sender_id IN ('', ${message}.from_sender, ${otherSpellingIn(`${message}.from_sender`)}))`;

/** Makes open pages of the accounts reload their suppressions. */
const notifyPages = (tx: Tx, changes: ReadonlyArray<{ accountId: string }>): void =>
  onCommit(tx, () => {
    for (const { accountId } of changes) noteChange(accountId, "suppressions");
  });

/** A request to suppress a number, or to undo that, for one sender or all (empty). `at`: when it was made. */
export type SuppressionRequest = { accountId: string; number: string; senderId: string; at: Date };

/** Suppresses a number by hand. @returns the suppression, new or existing. */
export async function insertManual(tx: Tx, request: SuppressionRequest, note: string | null): Promise<SuppressionRow> {
  const { rows } = await tx.query<SuppressionRow>(
    `WITH inserted AS (
       INSERT INTO suppressions AS s (id, account_id, number, sender_id, reason, note, created_at)
       VALUES ($1, $2, $3, $4, 'manual', $5, $6)
       ON CONFLICT (account_id, number, sender_id, reason) DO UPDATE SET note = s.note
       RETURNING s.*, s.xmax = 0 AS is_new
     ), counted AS (
       ${INSERT_CHANGES} SELECT 'suppressions', account_id, sender_id, 1 FROM inserted WHERE is_new
     )
     SELECT id, account_id AS "accountId", number, sender_id AS "senderId", reason, note, created_at AS "createdAt"
     FROM inserted`,
    [newId("suppression"), request.accountId, request.number, request.senderId, note, request.at],
  );
  const [row] = rows;
  if (!row) throw new Error("The suppression was neither inserted nor found.");
  notifyPages(tx, [row]);
  return row;
}

/** Properties that all suppressions of an import share. `senderId`: empty for every sender. */
type Import = { accountId: string; senderId: string; note: string | null; at: Date };

const IMPORTED = unnest<string>({ number: ["text", (number) => number], id: ["text", () => newId("suppression")] }, 5);

/**
 * Suppresses numbers by hand, each once, ordered by number so that concurrent imports wait for each other instead of
 * deadlocking.
 * @returns how many were not suppressed by hand before; the others stay unchanged.
 */
export async function insertImported(
  tx: Tx,
  { accountId, senderId, note, at }: Import,
  numbers: readonly string[],
): Promise<number> {
  const { rows } = await tx.query<{ added: number }>({
    name: "suppressions.insert_imported",
    text: `WITH inserted AS (
             INSERT INTO suppressions (id, account_id, number, sender_id, reason, note, created_at)
             SELECT r.id, $1::text, r.number, $2::text, 'manual', $3::text, $4::timestamptz
             FROM ${IMPORTED.as("r")}
             ORDER BY r.number
             ON CONFLICT (account_id, number, sender_id, reason) DO NOTHING
             RETURNING 1
           ), counted AS (
             ${INSERT_CHANGES}
             SELECT 'suppressions', $1::text, $2::text, count(*) FROM inserted HAVING count(*) > 0
           )
           SELECT count(*)::int4 AS added FROM inserted`,
    values: [accountId, senderId, note, at, ...IMPORTED.values(numbers)],
  });
  notifyPages(tx, [{ accountId }]);
  return rows[0]?.added ?? 0;
}

const REQUEST_COLUMNS = {
  account_id: ["text", (request: SuppressionRequest) => request.accountId],
  number: ["text", (request: SuppressionRequest) => request.number],
  sender_id: ["text", (request: SuppressionRequest) => request.senderId],
  at: ["timestamptz", (request: SuppressionRequest) => request.at.toISOString()],
  other_spelling: ["text", (request: SuppressionRequest) => otherSpellingOf(request.senderId) ?? request.senderId],
} as const;

const STOPS = unnest<SuppressionRequest>({ id: ["text", () => newId("suppression")], ...REQUEST_COLUMNS });
const STARTS = unnest<SuppressionRequest>(REQUEST_COLUMNS);

/** Number of locks, which numbers share by hash: the database has room for only a few thousand at once. */
const KEYWORD_LOCKS = 1_024;

/**
 * Serializes keywords from these numbers until the transaction ends: of two received at once, the second sees the first. Call
 * it after the messages are stored, and before {@link insertStops} and {@link deleteStops}.
 */
export async function lockKeywords(tx: Tx, requests: readonly SuppressionRequest[]): Promise<void> {
  if (requests.length === 0) return;
  await tx.query({
    name: "suppressions.lock_keywords",
    text: `SELECT pg_advisory_xact_lock(hashtext('suppressions.keywords'), n) FROM (
             SELECT DISTINCT hashtext(number) & ${KEYWORD_LOCKS - 1} AS n FROM unnest($1::text[]) AS i (number) ORDER BY n) l`,
    values: [requests.map(({ number }) => number)],
  });
}

/**
 * Suppresses numbers for the senders that they sent a STOP to, in addition to suppressions made by hand. A later STOP moves the
 * time of the first one, so that a START sent in between, but received last, does not undo it. A STOP that was sent before a
 * START, but received last, is left out.
 */
export async function insertStops(tx: Tx, stops: readonly SuppressionRequest[]): Promise<void> {
  if (stops.length === 0) return;
  notifyPages(tx, stops);
  // `to_number || ''` matches no index: the messages of one handset are few, those to one sender are not.
  await tx.query({
    name: "suppressions.insert_stops",
    text: `WITH inserted AS (
             INSERT INTO suppressions AS s (id, account_id, number, sender_id, reason, created_at)
             SELECT id, account_id, number, sender_id, 'stop', at
             FROM ${STOPS.as("r")}
             WHERE NOT EXISTS (SELECT 1 FROM inbound_messages i WHERE i.account_id = r.account_id AND i.from_number = r.number
               AND i.to_number || '' IN (r.sender_id, r.other_spelling) AND i.keyword = 'start'
               AND COALESCE(i.occurred_at, i.received_at) > r.at)
             ORDER BY account_id, number, sender_id
             ON CONFLICT (account_id, number, sender_id, reason) DO UPDATE SET created_at = excluded.created_at
               WHERE s.created_at < excluded.created_at
             RETURNING s.account_id, s.sender_id, s.xmax = 0 AS is_new
           )
           ${INSERT_CHANGES}
           SELECT 'suppressions', account_id, sender_id, count(*) FROM inserted WHERE is_new GROUP BY account_id, sender_id`,
    values: STOPS.values(stops),
  });
}

/** Subtracts the suppressions in `deleted` from the totals of lists. */
const INSERT_DELETED = `${INSERT_CHANGES}
  SELECT 'suppressions', account_id, sender_id, -count(*) FROM deleted GROUP BY account_id, sender_id`;

/** Deletes suppressions made by STOPs before the START; those made by hand stay. */
export async function deleteStops(tx: Tx, starts: readonly SuppressionRequest[]): Promise<void> {
  if (starts.length === 0) return;
  notifyPages(tx, starts);
  await tx.query({
    name: "suppressions.delete_stops",
    text: `WITH deleted AS (
             DELETE FROM suppressions s
             USING ${STARTS.as("r")}
             WHERE s.account_id = r.account_id AND s.number = r.number AND s.sender_id IN (r.sender_id, r.other_spelling)
               AND s.reason = 'stop' AND s.created_at <= r.at
             RETURNING s.account_id, s.sender_id
           ) ${INSERT_DELETED}`,
    values: STARTS.values(starts),
  });
}

type Deleted = { number: string; senderId: string; reason: string };

/** Deletes a suppression of the account. @returns the suppression; undefined if there is none. */
export async function deleteOne(tx: Tx, accountId: string, id: string): Promise<Deleted | undefined> {
  const { rows } = await tx.query<Deleted>({
    name: "suppressions.delete",
    text: `WITH deleted AS (
             DELETE FROM suppressions WHERE id = $1 AND account_id = $2
             RETURNING account_id, number, sender_id, reason
           ), counted AS (${INSERT_DELETED})
           SELECT number, sender_id AS "senderId", reason FROM deleted`,
    values: [id, accountId],
  });
  notifyPages(tx, [{ accountId }]);
  return rows[0];
}
