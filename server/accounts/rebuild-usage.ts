import type pg from "pg";
import { readWholeTables, transaction } from "../core/db";
import { dropAllMilestones } from "../lists/milestones";

/** Generous, since all messages and events are read. */
const TIMEOUT_MS = 3_600_000;

/** Counters of a day, each with the SQL that counts it from a message `m`. */
const OF_MESSAGES = {
  messages: "count(*)",
  segments: "sum(m.segments)",
  cost_micros: "sum(m.cost_micros)",
  pending: "count(*) FILTER (WHERE m.status = 'pending')",
  sent: "count(*) FILTER (WHERE m.status = 'sent')",
  delivered: "count(*) FILTER (WHERE m.status = 'delivered')",
  failed: "count(*) FILTER (WHERE m.status = 'failed')",
  undelivered: "count(*) FILTER (WHERE m.status = 'undelivered')",
} as const;

/** The same from an event `e`, which counts on the day on which its message was accepted. */
const OF_EVENTS = {
  events_sent: "count(*) FILTER (WHERE e.type = 'message.sent')",
  events_delivered: "count(*) FILTER (WHERE e.type = 'message.delivered')",
  events_failed: "count(*) FILTER (WHERE e.type = 'message.failed')",
} as const;

/** Counters of messages that are not final, which are never deleted. */
const NEVER_FORGOTTEN: ReadonlySet<string> = new Set(["pending", "sent"]);

const COLUMNS = [...Object.keys(OF_MESSAGES), ...Object.keys(OF_EVENTS)];
const counted = (counts: Readonly<Record<string, string>>): string =>
  Object.entries(counts)
    .map(([column, sql]) => `${sql} AS ${column}`)
    .join(", ");
const DAY = "(m.created_at AT TIME ZONE 'UTC')::date";

/**
 * The differences are computed in one snapshot and added, not set, so that concurrent changes of a message add theirs and neither
 * is lost. Rows are locked in the same order as everywhere else.
 */
const CORRECT_SQL = `
  WITH of_messages AS (
    SELECT m.account_id, ${DAY} AS day, ${counted(OF_MESSAGES)} FROM messages m GROUP BY 1, 2
  ), of_events AS (
    SELECT m.account_id, ${DAY} AS day, ${counted(OF_EVENTS)} FROM events e JOIN messages m ON m.id = e.message_id GROUP BY 1, 2
  ), wrong AS MATERIALIZED (
    SELECT account_id, day, ${COLUMNS.map((column) => {
      const side = column in OF_MESSAGES ? "a" : "e";
      const forgotten = NEVER_FORGOTTEN.has(column) ? "" : ` + coalesce(f.${column}, 0)`;
      return `coalesce(${side}.${column}, 0)${forgotten} - coalesce(u.${column}, 0) AS ${column}`;
    }).join(", ")}
    FROM of_messages a FULL JOIN of_events e USING (account_id, day)
    FULL JOIN forgotten_days f USING (account_id, day) FULL JOIN usage_days u USING (account_id, day)
  ), corrected AS (
    INSERT INTO usage_days AS u (account_id, day, ${COLUMNS.join(", ")})
    SELECT account_id, day, ${COLUMNS.join(", ")} FROM wrong
    WHERE (${COLUMNS.join(", ")}) <> (${COLUMNS.map(() => "0").join(", ")})
    ORDER BY account_id, day
    ON CONFLICT (account_id, day) DO UPDATE SET ${COLUMNS.map((column) => `${column} = u.${column} + excluded.${column}`).join(", ")}
    RETURNING 1
  )
  SELECT count(*)::int4 AS corrected FROM corrected`;

/**
 * Corrects the counters of all days by counting messages and events; deleted ones stay counted. May run at any time.
 * @returns how many days of accounts were wrong.
 */
export async function rebuildUsage(): Promise<number> {
  const query: pg.QueryConfig & { query_timeout: number } = { text: CORRECT_SQL, query_timeout: TIMEOUT_MS };
  return transaction(async (tx) => {
    await readWholeTables(tx);
    // Two processes at once would add the same differences twice.
    await tx.query("SELECT pg_advisory_xact_lock(hashtext('rebuild.usage'))");
    const { rows } = await tx.query<{ corrected: number }>(query);
    const corrected = rows[0]?.corrected ?? 0;
    if (corrected > 0) await dropAllMilestones(tx);
    return corrected;
  });
}
