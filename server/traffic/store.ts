/** The table of accepted live messages by account, hour and country. */
import { readPool, transaction } from "../core/db";
import { unnest } from "../core/unnest";
import { deleteInSteps } from "../retention/steps";

/** `country`: ISO 3166-1 alpha-2; empty: none or unknown. */
export type Traffic = { accountId: string; country: string; messages: number };

const ROWS = unnest<Traffic>({
  account_id: ["text", ({ accountId }) => accountId],
  country: ["text", ({ country }) => country],
  messages: ["int4", ({ messages }) => messages],
});

/** SQL: the present UTC hour by the database's clock, which all processes share. */
export const HOUR = "date_trunc('hour', now(), 'UTC')";

/** Days of the traffic by country. Older hours are deleted soon. */
const SHOWN_DAYS = 8;

/**
 * Adds counts to the current hour, in a fixed order so that two processes never deadlock. It does not wait for the disk, so a
 * crash of the database loses the last moments.
 */
export async function addTraffic(rows: readonly Traffic[]): Promise<void> {
  await transaction(async (tx, defer) => {
    defer(tx.query("SET LOCAL synchronous_commit TO off"));
    await tx.query({
      name: "traffic.add",
      text: `INSERT INTO traffic_hours AS t (account_id, hour, country, messages)
             SELECT r.account_id, ${HOUR}, r.country, r.messages FROM ${ROWS.as("r")} ORDER BY r.account_id, r.country
             ON CONFLICT (account_id, hour, country) DO UPDATE SET messages = t.messages + excluded.messages`,
      values: ROWS.values(rows),
    });
  });
}

/** Messages of an account in the last eight days, by country, the most first. */
export async function readTraffic(accountId: string): Promise<{ country: string; messages: number }[]> {
  const { rows } = await readPool().query<{ country: string; messages: number }>({
    name: "traffic.by_country",
    text: `SELECT country, sum(messages)::int8 AS messages FROM traffic_hours
           WHERE account_id = $1 AND hour >= ${HOUR} - interval '${SHOWN_DAYS} days'
           GROUP BY country ORDER BY messages DESC, country`,
    values: [accountId],
  });
  return rows.map(({ country, messages }) => ({ country, messages: Number(messages) }));
}

/** One day more than the days for which counts are compared. */
const KEPT_DAYS = 9;

/**
 * Deletes old counts. The oldest hour of each account stays, because it shows since when the account's traffic is known.
 */
export const deleteOldTraffic = (signal?: AbortSignal): Promise<number> =>
  deleteInSteps(
    "traffic_hours",
    `hour < now() - interval '${KEPT_DAYS} days'
     AND hour > (SELECT min(f.hour) FROM traffic_hours f WHERE f.account_id = traffic_hours.account_id)`,
    { signal },
  );
