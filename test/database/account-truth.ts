/** Whether the rows of an account agree with each other. */
import { pool } from "@/server/core/db";

/** A rule about account `$1`; its SQL selects the rows that break it. */
const CLAIMS: Readonly<Record<string, string>> = {
  "the balance is the sum of the ledger": `
    SELECT a.balance_micros, a.held_micros, sum(l.amount_micros), sum(l.held_micros)
    FROM accounts a JOIN ledger_entries l ON l.account_id = a.id WHERE a.id = $1 GROUP BY a.id
    HAVING a.balance_micros <> sum(l.amount_micros) OR a.held_micros <> sum(l.held_micros) OR a.balance_micros < 0`,
  "the reserved money is the cost of pending messages": `
    SELECT a.held_micros FROM accounts a WHERE a.id = $1 AND a.held_micros <>
      (SELECT coalesce(sum(m.cost_micros), 0) FROM messages m WHERE m.account_id = $1 AND m.status = 'pending')`,
  "each message is reserved once, and settled or refunded once it is no longer pending": `
    SELECT m.id, m.status, array_agg(l.kind) AS kinds FROM messages m LEFT JOIN ledger_lines l ON l.message_id = m.id AND l.account_id = $1
    WHERE m.account_id = $1 GROUP BY m.id
    HAVING count(*) FILTER (WHERE l.kind = 'reserve') <> 1
      OR count(*) FILTER (WHERE l.kind = 'settle') <> (m.sent_at IS NOT NULL)::int
      OR count(*) FILTER (WHERE l.kind = 'refund') <> (m.sent_at IS NULL AND m.status <> 'pending')::int
      OR -sum(l.amount_micros) <> m.cost_micros`,
  "the counters of a day are counts of the messages accepted on it, and of their events": `
    WITH m AS (SELECT *, (created_at AT TIME ZONE 'UTC')::date AS day FROM messages WHERE account_id = $1),
    counted AS (
      SELECT day, count(*) AS messages, sum(segments) AS segments, sum(cost_micros) AS cost,
        count(*) FILTER (WHERE status = 'pending') AS pending, count(*) FILTER (WHERE status = 'sent') AS sent,
        count(*) FILTER (WHERE status = 'delivered') AS delivered, count(*) FILTER (WHERE status = 'failed') AS failed,
        count(*) FILTER (WHERE status = 'undelivered') AS undelivered FROM m GROUP BY day
    ), raised AS (
      SELECT day, count(*) FILTER (WHERE type = 'message.sent') AS events_sent,
        count(*) FILTER (WHERE type = 'message.delivered') AS events_delivered,
        count(*) FILTER (WHERE type = 'message.failed') AS events_failed
      FROM m JOIN events e ON e.account_id = $1 AND e.message_id = m.id GROUP BY day
    )
    SELECT day, row_to_json(u) AS usage, row_to_json(c) AS counted, row_to_json(r) AS raised
    FROM (SELECT * FROM usage_days WHERE account_id = $1) u FULL JOIN counted c USING (day) LEFT JOIN raised r USING (day)
    WHERE (u.messages, u.segments, u.cost_micros, u.pending, u.sent, u.delivered, u.failed, u.undelivered)
      IS DISTINCT FROM (c.messages, c.segments, c.cost, c.pending, c.sent, c.delivered, c.failed, c.undelivered)
      OR (u.events_sent, u.events_delivered, u.events_failed)
      IS DISTINCT FROM (coalesce(r.events_sent, 0), coalesce(r.events_delivered, 0), coalesce(r.events_failed, 0))`,
  "each message is in the list of its status, and in no other": `
    WITH listed AS (
      SELECT message_id AS id, 'pending' AS status, created_at, NULL AS sent_at FROM pending_messages WHERE account_id = $1
      UNION ALL SELECT message_id, 'sent', created_at, sent_at FROM sent_messages WHERE account_id = $1
      UNION ALL SELECT message_id, status, created_at, NULL FROM failed_messages WHERE account_id = $1)
    SELECT * FROM (SELECT id, status, CASE WHEN status = 'pending' THEN coalesce(scheduled_at, created_at) ELSE created_at END AS created_at, CASE WHEN status = 'sent' THEN sent_at END AS sent_at FROM messages
      WHERE account_id = $1 AND status <> 'delivered') m
    FULL JOIN listed l USING (id, status) WHERE m.created_at IS DISTINCT FROM l.created_at OR m.sent_at IS DISTINCT FROM l.sent_at`,
  "every move has its event, each once and in order": `
    SELECT m.id, m.status, e.path FROM messages m
    LEFT JOIN LATERAL (SELECT string_agg(v.status, ' ' ORDER BY v.id) AS path FROM events v WHERE v.message_id = m.id) e ON true
    WHERE m.account_id = $1 AND coalesce(e.path, 'pending') <> CASE WHEN m.status = 'pending' THEN 'pending'
      WHEN m.sent_at IS NULL OR m.status = 'sent' THEN m.status ELSE 'sent ' || m.status END`,
  "every event has one delivery for each subscribed endpoint": `
    SELECT e.id, e.type, w.id AS endpoint, count(d.id) FROM events e
    JOIN webhook_endpoints w ON w.account_id = e.account_id
    LEFT JOIN (
      SELECT id, event_id, endpoint_id FROM webhook_deliveries WHERE account_id = $1
      UNION SELECT c.id, 'evt_' || substr(c.id, 5, 26), c.endpoint_id FROM (
        SELECT json_array_elements_text(payload -> 'deliveryIds') AS id, payload ->> 'endpointId' AS endpoint_id
        FROM graphile_worker._private_jobs) c WHERE length(c.id) = 40) d ON d.event_id = e.id AND d.endpoint_id = w.id
    WHERE e.account_id = $1 GROUP BY e.id, e.type, w.id HAVING count(d.id) <> (e.type = ANY(w.events))::int`,
  "every delivery that is due has its job": `
    SELECT d.id FROM webhook_deliveries d WHERE d.account_id = $1 AND d.status = 'pending' AND NOT EXISTS (
      SELECT 1 FROM graphile_worker._private_jobs j WHERE j.payload::jsonb -> 'deliveryIds' @> to_jsonb(d.id))`,
  "attempts are numbered from one, without a gap": `
    SELECT message_id, array_agg(seq ORDER BY seq) FROM message_attempts a JOIN messages m ON m.id = a.message_id
    WHERE m.account_id = $1 GROUP BY message_id HAVING max(seq) <> count(*) OR min(seq) <> 1`,
  "no message fails without a provider while a provider may have it": `
    SELECT m.id, m.error_code, a.seq, a.outcome FROM messages m JOIN message_attempts a ON a.message_id = m.id
    WHERE m.account_id = $1 AND m.status = 'failed' AND m.sent_at IS NULL AND m.error_code <> 'provider_outcome_unknown'
      AND (a.outcome IS NULL OR a.outcome = 'unknown')`,
  "no message stays sent when its last provider reported that it failed": `
    SELECT m.id, r.id AS receipt FROM messages m
    JOIN receipts r ON r.message_id = m.id AND NOT r.applied AND r.status IN ('failed', 'undelivered')
    LEFT JOIN attempt_parts p ON p.provider = r.provider AND p.provider_message_id = r.provider_message_id
    JOIN message_attempts a ON a.message_id = m.id
      AND (a.seq = p.seq OR a.provider = r.provider AND a.provider_message_id = r.provider_message_id)
    WHERE m.account_id = $1 AND m.status = 'sent' AND p.status IS DISTINCT FROM 'delivered' AND NOT EXISTS (
      SELECT 1 FROM message_attempts b WHERE b.message_id = m.id AND b.seq > a.seq
        AND (b.outcome IS NULL OR b.outcome IN ('unknown', 'accepted')))`,
  "no attempt except the last is open": `
    SELECT a.message_id, a.seq FROM message_attempts a JOIN messages m ON m.id = a.message_id
    WHERE m.account_id = $1 AND a.outcome IS NULL AND EXISTS (
      SELECT 1 FROM message_attempts b WHERE b.message_id = a.message_id AND b.seq > a.seq)`,
};

/** The rules that are broken, with the rows that break them; empty when all hold. */
export async function contradictions(accountId: string): Promise<string[]> {
  const looks = Object.entries(CLAIMS).map(async ([claim, sql]) => {
    const { rows } = await pool().query(sql, [accountId]);
    const shown = JSON.stringify(rows.slice(0, 3), (_, value) => (typeof value === "bigint" ? String(value) : value));
    return rows.length > 0 ? [`Not so: ${claim}. ${shown}`] : [];
  });
  return (await Promise.all(looks)).flat();
}
