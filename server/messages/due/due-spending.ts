/** The cost of scheduled messages that are let through on a later day than that of their acceptance, by account and UTC day. */
import { filterEquals, type Tx } from "../../core/db";
import { unnest } from "../../core/unnest";
import { isDue } from "../scheduled";

/** A message that was let through. Money in micros. */
export type LetThrough = { id: string; accountId: string; day: string; costMicros: bigint };

const COUNTED = unnest<LetThrough>({
  account_id: ["text", ({ accountId }) => accountId],
  message_id: ["text", ({ id }) => id],
  day: ["date", ({ day }) => day],
  cost_micros: ["int8", ({ costMicros }) => costMicros],
});

/**
 * Counts messages towards their days, unless they are no longer pending or due: one that was refunded or rescheduled before the accounts
 * were locked would count for good. The accounts must be locked.
 */
export async function countDue(tx: Tx, messages: readonly LetThrough[]): Promise<void> {
  await tx.query({
    name: "due_spending.count",
    text: `WITH counted AS (
             INSERT INTO due_spending (account_id, message_id, day, cost_micros)
             SELECT c.* FROM ${COUNTED.as("c")} JOIN messages m ON m.id = c.message_id AND ${filterEquals("m.status", "pending")} AND ${isDue("m")}
             RETURNING account_id, day, cost_micros
           )
           INSERT INTO due_spending_days AS t (account_id, day, cost_micros)
           SELECT account_id, day, sum(cost_micros)::int8 FROM counted GROUP BY account_id, day
           ON CONFLICT (account_id, day) DO UPDATE SET cost_micros = t.cost_micros + excluded.cost_micros`,
    values: COUNTED.values(messages),
  });
}

type Uncounted = Pick<LetThrough, "id" | "accountId">;

const UNCOUNTED = unnest<Uncounted>({
  account_id: ["text", ({ accountId }) => accountId],
  message_id: ["text", ({ id }) => id],
});

/** Takes refunded or rescheduled messages out of the days towards which they count. The accounts must be locked. */
export async function uncountDue(tx: Tx, messages: readonly Uncounted[]): Promise<void> {
  await tx.query({
    name: "due_spending.uncount",
    text: `WITH gone AS (
             DELETE FROM due_spending d USING ${UNCOUNTED.as("r")} WHERE d.account_id = r.account_id AND d.message_id = r.message_id
             RETURNING d.account_id, d.day, d.cost_micros
           )
           UPDATE due_spending_days t SET cost_micros = t.cost_micros - g.cost_micros
           FROM (SELECT account_id, day, sum(cost_micros)::int8 AS cost_micros FROM gone GROUP BY account_id, day) g
           WHERE t.account_id = g.account_id AND t.day = g.day`,
    values: UNCOUNTED.values(messages),
  });
}
