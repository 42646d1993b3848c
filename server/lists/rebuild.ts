import type pg from "pg";
import { readWholeTables, transaction } from "../core/db";
import { INSERT_CHANGES } from "./store";

/** Generous, since the lists themselves are read. */
const TIMEOUT_MS = 3_600_000;

/** SQL: the id of the event of the inbound message `i`, which follows from it (server/webhooks/derived-ids.ts). */
const EVENT_ID = "'evt_' || substr(i.id, 5, 10) || '3' || right(i.id, 15)";

/**
 * One statement sees lists and totals at one moment, and concurrent changes of a list add their own rows, so the differences
 * are right while the service runs.
 */
const CORRECT_SQL = `
  WITH actual AS (
    SELECT 'deliveries' AS list, endpoint_id AS owner_id, status AS kind, count(*) AS length
    FROM webhook_deliveries GROUP BY endpoint_id, status
    UNION ALL
    SELECT 'suppressions', account_id, sender_id, count(*) FROM suppressions GROUP BY account_id, sender_id
    UNION ALL
    SELECT 'inbound', i.account_id, CASE WHEN e.id IS NULL THEN 'without_event' ELSE 'with_event' END, count(*)
    FROM inbound_messages i
    LEFT JOIN events e ON e.account_id = i.account_id AND e.type = 'message.received' AND e.id = ${EVENT_ID}
    WHERE i.account_id <> '' GROUP BY 2, 3
  ), noted AS (
    SELECT list, owner_id, kind, sum(change) AS length FROM list_totals GROUP BY list, owner_id, kind
  ), wrong AS (
    SELECT list, owner_id, kind, coalesce(a.length, 0) - coalesce(n.length, 0) AS change
    FROM actual a FULL JOIN noted n USING (list, owner_id, kind)
    WHERE coalesce(a.length, 0) <> coalesce(n.length, 0)
  ), corrected AS (
    ${INSERT_CHANGES} SELECT list, owner_id, kind, change FROM wrong
  )
  SELECT count(*)::int4 AS corrected FROM wrong`;

/**
 * Corrects the lengths of lists by counting the lists. May run at any time.
 * @returns how many lengths were wrong.
 */
export async function rebuildListTotals(): Promise<number> {
  const query: pg.QueryConfig & { query_timeout: number } = { text: CORRECT_SQL, query_timeout: TIMEOUT_MS };
  return transaction(async (tx) => {
    await readWholeTables(tx);
    // Two processes at once would add the same differences twice.
    await tx.query("SELECT pg_advisory_xact_lock(hashtext('rebuild.lists'))");
    const { rows } = await tx.query<{ corrected: number }>(query);
    return rows[0]?.corrected ?? 0;
  });
}
