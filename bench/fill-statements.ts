/** Fills a database with finished messages and everything that belongs to them, so that every check of the books passes. */
import type { Client } from "pg";
import { newId } from "@/server/core/ids";
import { type Customer, PRICE_MICROS } from "./kit/service";

/** Messages of one flush share their time and their ledger entries, as under load. */
const PER_FLUSH = 50;
const FLUSHES_PER_STEP = 1_000;
/** They were accepted evenly over this many days, the last one some hours ago. */
const DAYS = 90;
/** One of this many messages failed after it was sent. */
const FAILED_EACH = 50;

/** Ids carry their time as ten characters of base32 (server/core/ids.ts). */
const TIME_TEXT = `CREATE OR REPLACE FUNCTION pg_temp.time_text(at timestamptz) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', ((ms >> (5 * (9 - i))) & 31)::int + 1, 1), '' ORDER BY i)
  FROM (SELECT round(extract(epoch FROM at) * 1000)::int8 AS ms) t, generate_series(0, 9) i $$`;

/** `$1`, `$2`: the first and last flush; `$3`: the number of all flushes. */
const STEP = `CREATE TEMP TABLE filled AS
  SELECT f, n, at, 'msg_' || t1 || lpad(n::text, 16, '0') AS id, lpad(n::text, 15, '0') AS tail, t1, t2, t3,
    n % ${FAILED_EACH} = 0 AS is_failed, '+1415' || lpad((n::int8 * 7919 % 10000000)::text, 7, '0') AS recipient
  FROM (SELECT f, at, pg_temp.time_text(at) AS t1, pg_temp.time_text(at + interval '1 second') AS t2,
          pg_temp.time_text(at + interval '2 seconds') AS t3
        FROM (SELECT f, date_trunc('milliseconds', now() - interval '3 hours' - (%TOTAL% - f)::float8 / %TOTAL% * interval '${DAYS} days') AS at
              FROM generate_series(%FIRST%, %LAST%) f) s) flushes
  CROSS JOIN LATERAL generate_series((f - 1) * ${PER_FLUSH} + 1, f * ${PER_FLUSH}) n`;

/** The INSERT of a step. `%ACCOUNT%` and the like are replaced by literals. */
const INSERTS = [
  `INSERT INTO messages (id, account_id, api_key_id, to_number, from_sender, body, encoding, segments, status, cost_micros,
     currency, chain, provider, provider_message_id, attempts, error_code, error_message, created_at, sent_at, delivered_at, failed_at)
   SELECT id, %ACCOUNT%, %KEY%, recipient, %SENDER%, 'Your code is ' || n || '. It expires in ten minutes.', 'GSM-7', 1,
     CASE WHEN is_failed THEN 'failed' ELSE 'delivered' END, ${PRICE_MICROS}, 'USD', '{sandbox}', 'sandbox', 'sbx_' || id, 1,
     CASE WHEN is_failed THEN '7' END, CASE WHEN is_failed THEN 'Refused by the carrier.' END,
     at, at + interval '1 second', CASE WHEN NOT is_failed THEN at + interval '2 seconds' END,
     CASE WHEN is_failed THEN at + interval '2 seconds' END FROM filled`,
  `INSERT INTO message_attempts (message_id, seq, provider, outcome, provider_message_id, latency_ms, worker_id, started_at, begun_at, finished_at)
   SELECT id, 1, 'sandbox', 'accepted', 'sbx_' || id, 3, 'bench', at + interval '1 second', at + interval '1 second', at + interval '1 second' FROM filled`,
  `INSERT INTO receipts (id, provider, provider_message_id, message_id, status, applied, occurred_at, received_at)
   SELECT 'rcp_' || t3 || lpad(n::text, 16, '0'), 'sandbox', 'sbx_' || id, id, CASE WHEN is_failed THEN 'failed' ELSE 'delivered' END,
     true, at + interval '2 seconds', at + interval '2 seconds' FROM filled`,
  `INSERT INTO ledger_entries (account_id, kind, amount_micros, held_micros, created_at, message_ids, message_micros)
   SELECT %ACCOUNT%, k.kind, k.amount * count(*), k.held * count(*), at, array_agg(id), array_agg(${PRICE_MICROS}::int8)
   FROM filled CROSS JOIN (VALUES ('reserve', -${PRICE_MICROS}, ${PRICE_MICROS}), ('settle', 0, -${PRICE_MICROS})) k (kind, amount, held)
   GROUP BY f, at, k.kind, k.amount, k.held ORDER BY f, k.kind`,
  `UPDATE accounts SET balance_micros = balance_micros - (SELECT count(*) FROM filled) * ${PRICE_MICROS} WHERE id = %ACCOUNT%`,
  `INSERT INTO usage_days AS u (account_id, day, messages, segments, cost_micros, delivered, failed, events_sent, events_delivered, events_failed)
   SELECT %ACCOUNT%, (at AT TIME ZONE 'UTC')::date, count(*), count(*), count(*) * ${PRICE_MICROS}, count(*) FILTER (WHERE NOT is_failed),
     count(*) FILTER (WHERE is_failed), count(*), count(*) FILTER (WHERE NOT is_failed), count(*) FILTER (WHERE is_failed)
   FROM filled GROUP BY 2
   ON CONFLICT (account_id, day) DO UPDATE SET messages = u.messages + excluded.messages, segments = u.segments + excluded.segments,
     cost_micros = u.cost_micros + excluded.cost_micros, delivered = u.delivered + excluded.delivered, failed = u.failed + excluded.failed,
     events_sent = u.events_sent + excluded.events_sent, events_delivered = u.events_delivered + excluded.events_delivered,
     events_failed = u.events_failed + excluded.events_failed`,
  `CREATE TEMP TABLE raised AS
   SELECT 'evt_' || t2 || '0' || tail AS id, 'message.sent' AS type, id AS message_id, 'sent' AS status, at + interval '1 second' AS at FROM filled
   UNION ALL
   SELECT 'evt_' || t3 || CASE WHEN is_failed THEN '2' ELSE '1' END || tail, CASE WHEN is_failed THEN 'message.failed' ELSE 'message.delivered' END,
     id, CASE WHEN is_failed THEN 'failed' ELSE 'delivered' END, at + interval '2 seconds' FROM filled`,
  `INSERT INTO events (id, account_id, type, message_id, status, created_at) SELECT id, %ACCOUNT%, type, message_id, status, at FROM raised`,
  `INSERT INTO webhook_deliveries (id, account_id, endpoint_id, event_id, status, attempts, created_at, finished_at, status_code, latency_ms)
   SELECT 'dlv_' || substr(id, 5) || right(%ENDPOINT%, 10), %ACCOUNT%, %ENDPOINT%, id, 'delivered', 1, at, at, 200, 5 FROM raised`,
  `INSERT INTO list_totals (list, owner_id, kind, change) SELECT 'deliveries', %ENDPOINT%, 'delivered', count(*) FROM raised`,
  "DROP TABLE filled, raised",
];

/**
 * Inserts at least `count` messages of the customer, with attempts, receipts, ledger, usage, events and deliveries to an
 * endpoint that it creates. The customer must have no messages yet.
 * @param note called with the number of messages so far.
 * @returns the endpoint's id, and the number of messages.
 */
export async function fillMessages(
  client: Client,
  { accountId, keys, sender }: Customer,
  count: number,
  note: (messages: number) => void,
): Promise<{ endpointId: string; messages: number }> {
  const endpointId = newId("endpoint");
  await client.query(
    `INSERT INTO webhook_endpoints (id, account_id, url, events, secret_sealed)
     VALUES ($1, $2, 'https://93.184.215.14/hook', '{message.sent,message.delivered,message.failed}', 'none')`,
    [endpointId, accountId],
  );
  await client.query(TIME_TEXT);
  await client.query("SET synchronous_commit = off");
  const total = Math.ceil(count / PER_FLUSH);
  const literals: Record<string, string> = {
    ACCOUNT: client.escapeLiteral(accountId),
    KEY: client.escapeLiteral(keys[0]?.id ?? ""),
    SENDER: client.escapeLiteral(sender),
    ENDPOINT: client.escapeLiteral(endpointId),
    TOTAL: String(total),
  };
  for (let first = 1; first <= total; first += FLUSHES_PER_STEP) {
    const last = Math.min(total, first + FLUSHES_PER_STEP - 1);
    const step: Record<string, string> = { ...literals, FIRST: String(first), LAST: String(last) };
    const sql = ["BEGIN", STEP, ...INSERTS, "COMMIT"].join(";\n").replace(/%([A-Z]+)%/g, (_, name) => step[name] ?? "");
    await client.query(sql);
    note(last * PER_FLUSH);
  }
  await client.query("VACUUM ANALYZE");
  return { endpointId, messages: total * PER_FLUSH };
}
