/** What an acceptance writes about its messages: the rows, and the counters of their day. */
import { utcDay } from "../../core/clock";
import type { Tx } from "../../core/db";
import type { MessageRow } from "../present";

/** Stores accepted messages; those that failed at once did so when they were created. */
export async function insertMessages(tx: Tx, rows: MessageRow[]): Promise<void> {
  await tx.query({
    name: "messages.insert",
    text: `INSERT INTO messages (id, account_id, api_key_id, to_number, from_sender, body, encoding, segments, status,
             cost_micros, currency, route_id, chain, error_code, error_message, reference, created_at, failed_at)
           SELECT id, account_id, api_key_id, to_number, from_sender, body, encoding, segments, status, cost_micros,
             currency, route_id, string_to_array(chain, ','), error_code, error_message, reference, created_at,
             CASE WHEN status = 'failed' THEN created_at END
           FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int2[],
             $9::text[], $10::int8[], $11::text[], $12::int4[], $13::text[], $14::text[], $15::text[], $16::text[],
             $17::timestamptz[])
           AS r (id, account_id, api_key_id, to_number, from_sender, body, encoding, segments, status, cost_micros,
             currency, route_id, chain, error_code, error_message, reference, created_at)`,
    values: [
      rows.map((row) => row.id),
      rows.map((row) => row.accountId),
      rows.map((row) => row.apiKeyId),
      rows.map((row) => row.toNumber),
      rows.map((row) => row.fromSender),
      rows.map((row) => row.body),
      rows.map((row) => row.encoding),
      rows.map((row) => row.segments),
      rows.map((row) => row.status),
      rows.map((row) => String(row.costMicros)),
      rows.map((row) => row.currency),
      rows.map((row) => row.routeId),
      rows.map((row) => row.chain.join(",")),
      rows.map((row) => row.errorCode),
      rows.map((row) => row.errorMessage),
      rows.map((row) => row.reference),
      rows.map((row) => row.createdAt.toISOString()),
    ],
  });
}

/** Adds new messages to their account's counters of the day. The accounts are locked, so the rows never deadlock. */
export async function countAccepted(tx: Tx, rows: MessageRow[]): Promise<void> {
  const days = new Map<string, { accountId: string; day: string; rows: MessageRow[] }>();
  for (const row of rows) {
    const day = utcDay(row.createdAt);
    const id = `${row.accountId} ${day}`;
    const entry = days.get(id) ?? { accountId: row.accountId, day, rows: [] };
    entry.rows.push(row);
    days.set(id, entry);
  }
  const entries = [...days.values()];
  const failed = entries.map((entry) => entry.rows.filter((row) => row.status === "failed").length);
  await tx.query({
    name: "messages.count_accepted",
    text: `INSERT INTO usage_days AS u (account_id, day, messages, segments, cost_micros, pending, failed, events_failed)
           SELECT account_id, day, messages, segments, cost_micros, messages - failed, failed, failed
           FROM unnest($1::text[], $2::date[], $3::int4[], $4::int4[], $5::int8[], $6::int4[])
             AS d (account_id, day, messages, segments, cost_micros, failed) ORDER BY account_id, day
           ON CONFLICT (account_id, day) DO UPDATE SET
             messages = u.messages + excluded.messages, segments = u.segments + excluded.segments,
             cost_micros = u.cost_micros + excluded.cost_micros, pending = u.pending + excluded.pending,
             failed = u.failed + excluded.failed, events_failed = u.events_failed + excluded.events_failed`,
    values: [
      entries.map((entry) => entry.accountId),
      entries.map((entry) => entry.day),
      entries.map((entry) => entry.rows.length),
      entries.map((entry) => entry.rows.reduce((sum, row) => sum + row.segments, 0)),
      entries.map((entry) => String(entry.rows.reduce((sum, row) => sum + row.costMicros, 0n))),
      failed,
    ],
  });
}
