/** Checks scheduled messages again when they are due, since their account's limits may have changed. */
import { lockAdmission } from "../../accounts/store";
import { pool, type Queryable, type Tx, transaction } from "../../core/db";
import { unnest } from "../../core/unnest";
import type { Refusal } from "../failure";
import { countsWhenDue, type DueMessage, refuseDue } from "./due-rules";

type Row = DueMessage & { day: string };

/**
 * Finds the messages that their account may not send today: to a country that it does not send to, or beyond its lower
 * spending cap of the UTC day. Suppressions, approvals and suspensions are checked for every message (dispatch.ts).
 * @returns refusals by message id.
 */
export async function findDueRefusals(messageIds: readonly string[]): Promise<Map<string, Refusal>> {
  if (messageIds.length === 0) return new Map();
  const rows = await readDue(pool(), messageIds);
  return rows.some(countsWhenDue) ? transaction((tx) => letThrough(tx, messageIds, rows)) : refuseDue(rows);
}

/**
 * As {@link findDueRefusals}, under the admission locks of the accounts whose caps decide: jobs that run at once do not each use
 * what is left of a cap. Messages of earlier days are counted once, however often their dispatch is repeated.
 */
async function letThrough(tx: Tx, messageIds: readonly string[], found: readonly Row[]): Promise<Map<string, Refusal>> {
  await lockAdmission(
    tx,
    found.filter(countsWhenDue).map(({ accountId }) => accountId),
  );
  const rows = await withLetThrough(tx, await readDue(tx, messageIds));
  const refusals = refuseDue(rows);
  const counted = rows.filter((row) => countsWhenDue(row) && !refusals.has(row.id));
  await tx.query({
    name: "dispatch.count_due",
    text: `INSERT INTO due_spending (account_id, day, message_id, cost_micros) SELECT * FROM ${COUNTED.as("c")}`,
    values: COUNTED.values(counted),
  });
  return refusals;
}

const COUNTED = unnest<Row>({
  account_id: ["text", ({ accountId }) => accountId],
  day: ["date", ({ day }) => day],
  message_id: ["text", ({ id }) => id],
  cost_micros: ["int8", ({ costMicros }) => costMicros],
});

/** Messages whose account has limits, in the order of their ids. What was let through before is not read yet. */
async function readDue(db: Queryable, messageIds: readonly string[]): Promise<Row[]> {
  const { rows } = await db.query<Row>({
    name: "dispatch.due_check",
    text: `SELECT m.id, m.account_id AS "accountId", m.to_number AS "toNumber", m.cost_micros AS "costMicros",
             to_char(today.start AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day,
             m.created_at < today.start AS "isOfEarlierDay", a.allowed_countries AS "allowedCountries",
             a.own_country_rule AS "ownCountryRule", a.own_countries AS "ownCountries",
             a.daily_spend_cap_micros AS "dailySpendCapMicros", a.own_daily_spend_cap_micros AS "ownDailySpendCapMicros",
             COALESCE(u.cost_micros, 0) AS "spentMicros", 0::int8 AS "letThroughMicros", false AS "isLetThrough"
           FROM (SELECT date_trunc('day', now(), 'UTC') AS start) AS today
           CROSS JOIN messages m JOIN accounts a ON a.id = m.account_id
           LEFT JOIN usage_days u ON u.account_id = m.account_id AND u.day = (today.start AT TIME ZONE 'UTC')::date
           WHERE m.id = ANY($1::text[]) AND (a.daily_spend_cap_micros IS NOT NULL OR a.allowed_countries <> '{}'
             OR a.own_daily_spend_cap_micros IS NOT NULL OR a.own_country_rule IS NOT NULL)
           ORDER BY m.id`,
    values: [messageIds],
  });
  return rows;
}

/** Adds what was let through before on this day. */
async function withLetThrough(tx: Tx, rows: readonly Row[]): Promise<Row[]> {
  const { rows: sums } = await tx.query<{ accountId: string; micros: bigint; ids: string[] | null }>({
    name: "dispatch.let_through",
    text: `SELECT account_id AS "accountId", sum(cost_micros)::int8 AS micros,
             array_agg(message_id) FILTER (WHERE message_id = ANY($3::text[])) AS ids
           FROM due_spending WHERE account_id = ANY($1::text[]) AND day = $2 GROUP BY account_id`,
    values: [[...new Set(rows.map(({ accountId }) => accountId))], rows[0]?.day ?? null, rows.map(({ id }) => id)],
  });
  const byAccount = new Map(sums.map((sum) => [sum.accountId, sum]));
  return rows.map((row) => {
    const before = byAccount.get(row.accountId);
    return {
      ...row,
      letThroughMicros: before?.micros ?? 0n,
      isLetThrough: before?.ids?.includes(row.id) ?? false,
    };
  });
}
