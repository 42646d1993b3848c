/** Checks scheduled messages again when they are due, since their account's limits may have changed. */
import { lockAccounts, lockAdmission } from "../../accounts/store";
import { now } from "../../core/clock";
import { pool, type Queryable, type Tx, transaction } from "../../core/db";
import { failUndispatched } from "../dispatch/fail-undispatched";
import type { Refusal } from "../failure";
import { countsWhenDue, type DueMessage, freesWhenRefused, refuseDue } from "./due-rules";
import { countDue } from "./due-spending";

type Row = DueMessage & { day: string };

/**
 * Finds the messages that their account may not send today: to a country that it does not send to, or beyond its lower
 * spending cap of the UTC day. Suppressions, approvals and suspensions are checked for every message (dispatch.ts).
 * @param stopped refusals by these checks, whose refunds leave room for other messages.
 * @returns refusals by message id. Some of these messages have failed already.
 */
export async function findDueRefusals(
  messageIds: readonly string[],
  stopped: ReadonlyMap<string, Refusal> = new Map(),
): Promise<Map<string, Refusal>> {
  if (messageIds.length === 0) return new Map();
  const rows = await readDue(pool(), messageIds);
  const refusals = refuseDue(rows, stopped);
  const changing = rows.filter((row) => countsWhenDue(row) || freesWhenRefused(row, refusals));
  if (changing.length === 0) return refusals;
  const accountIds = new Set(changing.map(({ accountId }) => accountId));
  return transaction((tx) => letThrough(tx, { messageIds, accountIds, stopped }));
}

/** `accountIds`: those whose caps decide. */
type Deciding = {
  messageIds: readonly string[];
  accountIds: ReadonlySet<string>;
  stopped: ReadonlyMap<string, Refusal>;
};

/**
 * As {@link findDueRefusals}, under the admission locks of the accounts whose caps decide, so that jobs that run at once neither each
 * use what is left of a cap, nor each fail messages until it is kept. Messages of earlier days are counted once, however often their
 * dispatch is repeated; refused ones of this day fail at once.
 */
async function letThrough(tx: Tx, { messageIds, accountIds, stopped }: Deciding): Promise<Map<string, Refusal>> {
  await lockAdmission(tx, accountIds);
  const rows = await readDue(tx, messageIds);
  const refusals = refuseDue(rows, stopped);
  const freeing = rows.filter((row) => accountIds.has(row.accountId) && freesWhenRefused(row, refusals));
  // Messages are locked before accounts.
  await failUndispatched(
    tx,
    freeing.flatMap(({ id: messageId }) => {
      const error = refusals.get(messageId);
      return error ? [{ messageId, error }] : [];
    }),
    now(),
  );
  const counted = rows.filter((row) => countsWhenDue(row) && !refusals.has(row.id));
  if (counted.length > 0) {
    await lockAccounts(tx, accountIds);
    await countDue(tx, counted);
  }
  return refusals;
}

/** Messages whose account has limits, in the order of their ids. */
async function readDue(db: Queryable, messageIds: readonly string[]): Promise<Row[]> {
  const { rows } = await db.query<Row>({
    name: "dispatch.due_check",
    text: `SELECT m.id, m.account_id AS "accountId", m.to_number AS "toNumber", m.cost_micros AS "costMicros",
             to_char(today.day, 'YYYY-MM-DD') AS day, m.created_at < today.start AS "isOfEarlierDay",
             a.allowed_countries AS "allowedCountries", a.own_country_rule AS "ownCountryRule", a.own_countries AS "ownCountries",
             a.daily_spend_cap_micros AS "dailySpendCapMicros", a.own_daily_spend_cap_micros AS "ownDailySpendCapMicros",
             COALESCE(u.cost_micros, 0) AS "spentMicros", COALESCE(t.cost_micros, 0) AS "letThroughMicros",
             (SELECT count(*) FROM due_spending d WHERE d.account_id = m.account_id AND d.message_id = m.id AND d.day = today.day) > 0
               AS "isLetThrough"
           FROM (SELECT start, (start AT TIME ZONE 'UTC')::date AS day FROM (SELECT date_trunc('day', now(), 'UTC') AS start) s) AS today
           CROSS JOIN messages m JOIN accounts a ON a.id = m.account_id
           LEFT JOIN usage_days u ON u.account_id = m.account_id AND u.day = today.day
           LEFT JOIN due_spending_days t ON t.account_id = m.account_id AND t.day = today.day
           WHERE m.id = ANY($1::text[]) AND (a.daily_spend_cap_micros IS NOT NULL OR a.allowed_countries <> '{}'
             OR a.own_daily_spend_cap_micros IS NOT NULL OR a.own_country_rule IS NOT NULL)
           ORDER BY m.id`,
    values: [messageIds],
  });
  return rows;
}
