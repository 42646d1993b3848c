/** Checks scheduled messages again when they are due, since their account's limits may have changed. */
import { pool } from "../../core/db";
import type { Refusal } from "../failure";
import { type DueMessage, refuseDue } from "./due-rules";

/**
 * Finds the messages that their account may not send today: to a country that it does not send to, or beyond its lower
 * spending cap of the UTC day. Suppressions, approvals and suspensions are checked for every message (dispatch.ts).
 * @returns refusals by message id.
 */
export async function findDueRefusals(messageIds: readonly string[]): Promise<Map<string, Refusal>> {
  if (messageIds.length === 0) return new Map();
  const { rows } = await pool().query<DueMessage>({
    name: "dispatch.due_check",
    text: `SELECT m.id, m.account_id AS "accountId", m.to_number AS "toNumber", m.cost_micros AS "costMicros",
             m.created_at < today.start AS "isOfEarlierDay", a.allowed_countries AS "allowedCountries",
             a.own_country_rule AS "ownCountryRule", a.own_countries AS "ownCountries",
             a.daily_spend_cap_micros AS "dailySpendCapMicros", a.own_daily_spend_cap_micros AS "ownDailySpendCapMicros",
             COALESCE(u.cost_micros, 0) AS "spentMicros"
           FROM (SELECT date_trunc('day', now(), 'UTC') AS start) AS today
           CROSS JOIN messages m JOIN accounts a ON a.id = m.account_id
           LEFT JOIN usage_days u ON u.account_id = m.account_id AND u.day = (today.start AT TIME ZONE 'UTC')::date
           WHERE m.id = ANY($1::text[]) AND (a.daily_spend_cap_micros IS NOT NULL OR a.allowed_countries <> '{}'
             OR a.own_daily_spend_cap_micros IS NOT NULL OR a.own_country_rule IS NOT NULL)
           ORDER BY m.id`,
    values: [messageIds],
  });
  return refuseDue(rows);
}
