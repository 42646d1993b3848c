/** Stores messages from handsets, and counts them in the lengths of lists. */
import { pool, type Tx } from "../core/db";
import { unnest } from "../core/unnest";
import { INSERT_CHANGES } from "../lists/store";

/**
 * A message from a handset, as stored for one account; `accountId` is empty when no account has the number. Numbers are in
 * E.164 form where they have one.
 */
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
  /** When it was sent, as far as is known; null if an earlier version stored it. */
  occurredAt: Date | null;
};

const INBOUND = unnest<InboundRow>({
  id: ["text", (row) => row.id],
  provider: ["text", (row) => row.provider],
  provider_message_id: ["text", (row) => row.providerMessageId],
  account_id: ["text", (row) => row.accountId],
  from_number: ["text", (row) => row.fromNumber],
  to_number: ["text", (row) => row.toNumber],
  body: ["text", (row) => row.body],
  keyword: ["text", (row) => row.keyword],
  received_at: ["timestamptz", (row) => row.receivedAt.toISOString()],
  occurred_at: ["timestamptz", (row) => row.occurredAt?.toISOString() ?? null],
});

/** Inserts messages from handsets. @returns the ids of new ones: a provider may report a message many times. */
export async function insertInbound(tx: Tx, rows: readonly InboundRow[]): Promise<Set<string>> {
  const inserted = await tx.query<{ id: string }>({
    name: "inbound.insert",
    text: `WITH inserted AS (
             INSERT INTO inbound_messages (id, provider, provider_message_id, account_id, from_number, to_number, body,
               keyword, received_at, occurred_at)
             SELECT * FROM ${INBOUND.as("r")}
             ORDER BY provider, provider_message_id, account_id
             ON CONFLICT (provider, provider_message_id, account_id) DO NOTHING RETURNING id, account_id
           ), counted AS (
             ${INSERT_CHANGES} SELECT 'inbound', account_id, 'with_event', count(*) FROM inserted
             WHERE account_id <> '' GROUP BY account_id
           )
           SELECT id FROM inserted`,
    values: INBOUND.values(rows),
  });
  return new Set(inserted.rows.map((row) => row.id));
}

const INBOUND_COLUMNS = `id, provider, provider_message_id AS "providerMessageId", account_id AS "accountId",
  from_number AS "fromNumber", to_number AS "toNumber", body, keyword, received_at AS "receivedAt",
  occurred_at AS "occurredAt"`;

/** Messages from handsets, by id. The ids must be known to belong to the account in question. */
export async function findInbound(ids: readonly string[]): Promise<Map<string, InboundRow>> {
  const { rows } = await pool().query<InboundRow>({
    name: "inbound.find",
    text: `SELECT ${INBOUND_COLUMNS} FROM inbound_messages WHERE id = ANY($1::text[])`,
    values: [ids],
  });
  return new Map(rows.map((row) => [row.id, row]));
}
