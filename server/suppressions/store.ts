/** Which sendings are suppressed (the hot path of every send), and what keywords from handsets change. */
import type { Suppression as SuppressionRow } from "@/prisma/generated/client";
import { pool, type Queryable, type Tx } from "../core/db";
import { newId } from "../core/ids";
import { INSERT_CHANGES } from "../lists/store";

type Sending = { accountId: string; toNumber: string; fromSender: string };

const keyOf = (accountId: string, number: string, senderId: string): string => `${accountId} ${number} ${senderId}`;

/**
 * Reads which of `sendings` go to a suppressed number, for their sender or for every one, and returns what tells it. Read
 * after the accounts were locked, it holds for all that was committed before.
 */
export async function findSuppressed(
  db: Queryable,
  sendings: readonly Sending[],
): Promise<(sending: Sending) => boolean> {
  if (sendings.length === 0) return () => false;
  const { rows } = await db.query<{ accountId: string; number: string; senderId: string }>({
    name: "suppressions.find",
    text: `SELECT s.account_id AS "accountId", s.number, s.sender_id AS "senderId"
           FROM unnest($1::text[], $2::text[], $3::text[]) AS r (account_id, number, sender_id)
           JOIN suppressions s ON s.account_id = r.account_id AND s.number = r.number
             AND s.sender_id IN ('', r.sender_id)`,
    values: [
      sendings.map((sending) => sending.accountId),
      sendings.map((sending) => sending.toNumber),
      sendings.map((sending) => sending.fromSender),
    ],
  });
  if (rows.length === 0) return () => false;
  const found = new Set(rows.map((row) => keyOf(row.accountId, row.number, row.senderId)));
  return ({ accountId, toNumber, fromSender }) =>
    found.has(keyOf(accountId, toNumber, "")) || found.has(keyOf(accountId, toNumber, fromSender));
}

/** What a person's keyword, or somebody by hand, asks of one sender, or of all (empty). `at` is when it came. */
export type Wish = { accountId: string; number: string; senderId: string; at: Date };

/** Suppresses a number by hand. @returns the suppression; when that was done already, the one that there is. */
export async function insertManual(tx: Tx, wish: Wish, note: string | null): Promise<SuppressionRow> {
  const { rows } = await tx.query<SuppressionRow>(
    `WITH made AS (
       INSERT INTO suppressions AS s (id, account_id, number, sender_id, reason, note, created_at)
       VALUES ($1, $2, $3, $4, 'manual', $5, $6)
       ON CONFLICT (account_id, number, sender_id, reason) DO UPDATE SET note = s.note
       RETURNING s.*, s.xmax = 0 AS is_new
     ), counted AS (
       ${INSERT_CHANGES} SELECT 'suppressions', account_id, sender_id, 1 FROM made WHERE is_new
     )
     SELECT id, account_id AS "accountId", number, sender_id AS "senderId", reason, note, created_at AS "createdAt"
     FROM made`,
    [newId("suppression"), wish.accountId, wish.number, wish.senderId, note, wish.at],
  );
  const [row] = rows;
  if (!row) throw new Error("The suppression was neither made nor found.");
  return row;
}

/**
 * Suppresses the numbers for the senders that they sent a STOP to, whether or not somebody did so by hand. A later STOP
 * moves the time of the first, so that a START from in between, which comes in last, does not take it back.
 */
export async function insertStops(tx: Tx, stops: readonly Wish[]): Promise<void> {
  if (stops.length === 0) return;
  await tx.query({
    name: "suppressions.insert_stops",
    text: `WITH inserted AS (
             INSERT INTO suppressions AS s (id, account_id, number, sender_id, reason, created_at)
             SELECT id, account_id, number, sender_id, 'stop', created_at
             FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[])
               AS w (id, account_id, number, sender_id, created_at)
             ORDER BY account_id, number, sender_id
             ON CONFLICT (account_id, number, sender_id, reason) DO UPDATE SET created_at = excluded.created_at
               WHERE s.created_at < excluded.created_at
             RETURNING s.account_id, s.sender_id, s.xmax = 0 AS is_new
           )
           ${INSERT_CHANGES}
           SELECT 'suppressions', account_id, sender_id, count(*) FROM inserted WHERE is_new GROUP BY account_id, sender_id`,
    values: [stops.map(() => newId("suppression")), ...columnsOf(stops)],
  });
}

/** Tells the totals of lists about the suppressions in `deleted`. */
const INSERT_DELETED = `${INSERT_CHANGES}
  SELECT 'suppressions', account_id, sender_id, -count(*) FROM deleted GROUP BY account_id, sender_id`;

/** Takes back what the persons' own STOPs did before; what somebody entered by hand stays. */
export async function deleteStops(tx: Tx, starts: readonly Wish[]): Promise<void> {
  if (starts.length === 0) return;
  await tx.query({
    name: "suppressions.delete_stops",
    text: `WITH deleted AS (
             DELETE FROM suppressions s
             USING unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[]) AS w (account_id, number, sender_id, at)
             WHERE s.account_id = w.account_id AND s.number = w.number AND s.sender_id = w.sender_id
               AND s.reason = 'stop' AND s.created_at <= w.at
             RETURNING s.account_id, s.sender_id
           ) ${INSERT_DELETED}`,
    values: columnsOf(starts),
  });
}

/** Deletes a suppression of the account. @returns whether there was one. */
export async function deleteOne(accountId: string, id: string): Promise<boolean> {
  const { rowCount } = await pool().query({
    name: "suppressions.delete",
    text: `WITH deleted AS (
             DELETE FROM suppressions WHERE id = $1 AND account_id = $2 RETURNING account_id, sender_id
           ) ${INSERT_DELETED}`,
    values: [id, accountId],
  });
  return rowCount === 1;
}

const columnsOf = (wishes: readonly Wish[]): string[][] => [
  wishes.map((wish) => wish.accountId),
  wishes.map((wish) => wish.number),
  wishes.map((wish) => wish.senderId),
  wishes.map((wish) => wish.at.toISOString()),
];

/** A message from a handset, as it is kept for one account; `accountId` is empty when nobody has the number. */
export type InboundRow = {
  id: string;
  provider: string;
  providerMessageId: string;
  accountId: string;
  fromNumber: string;
  toNumber: string;
  body: string;
  keyword: string | null;
  receivedAt: Date;
};

/** Stores messages from handsets. @returns the ids of those that are new: a provider may report one many times. */
export async function insertInbound(tx: Tx, rows: readonly InboundRow[]): Promise<Set<string>> {
  const inserted = await tx.query<{ id: string }>({
    name: "suppressions.insert_inbound",
    text: `INSERT INTO inbound_messages (id, provider, provider_message_id, account_id, from_number, to_number, body,
             keyword, received_at)
           SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
             $8::text[], $9::timestamptz[])
             AS r (id, provider, provider_message_id, account_id, from_number, to_number, body, keyword, received_at)
           ORDER BY provider, provider_message_id, account_id
           ON CONFLICT (provider, provider_message_id, account_id) DO NOTHING RETURNING id`,
    values: [
      rows.map((row) => row.id),
      rows.map((row) => row.provider),
      rows.map((row) => row.providerMessageId),
      rows.map((row) => row.accountId),
      rows.map((row) => row.fromNumber),
      rows.map((row) => row.toNumber),
      rows.map((row) => row.body),
      rows.map((row) => row.keyword),
      rows.map((row) => row.receivedAt.toISOString()),
    ],
  });
  return new Set(inserted.rows.map((row) => row.id));
}
