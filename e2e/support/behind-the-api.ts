/** Limits that an operator sets for an account, replies from handsets, counts of traffic, and recurring work before it is due. */

import { addJob } from "@/server/core/add-jobs";
import { pool } from "@/server/core/db";
import { newId } from "@/server/core/ids";
import type { OwnAccount } from "./accounts";

type Limits = {
  allowedCountries?: string[];
  floodIdentical?: number;
  floodTotal?: number;
  /** Units of the account's currency. */
  dailySpendCap?: number;
};

/** Sets an account's own limits; omitted ones are removed. */
export async function limitAccount({ accountId }: OwnAccount, limits: Limits): Promise<void> {
  const { allowedCountries = [], floodIdentical = null, floodTotal = null, dailySpendCap } = limits;
  const capMicros = dailySpendCap === undefined ? null : Math.round(dailySpendCap * 1_000_000);
  await pool().query(
    `UPDATE accounts SET allowed_countries = $2, flood_identical = $3, flood_total = $4, daily_spend_cap_micros = $5
     WHERE id = $1`,
    [accountId, allowedCountries, floodIdentical, floodTotal, capMicros],
  );
}

/** A text from a handset to one of our numbers, as a carrier reports it. */
export async function replyFromHandset(from: string, to: string, text: string): Promise<void> {
  const receivedAt = new Date().toISOString();
  const messages = [{ providerMessageId: newId("inbound"), from, to, text, receivedAt }];
  await addJob(pool(), "apply_inbound", { provider: "sandbox", messages });
}

/** Counts messages of this hour to a country, as those of an account whose traffic has been known for three days. */
export async function countTraffic({ accountId }: OwnAccount, country: string, messages: number): Promise<void> {
  await pool().query(
    `INSERT INTO traffic_hours (account_id, hour, country, messages)
     SELECT $1, date_trunc('hour', now(), 'UTC') - days * interval '1 day', $2, CASE days WHEN 0 THEN $3::int4 ELSE 4 END
     FROM unnest('{0, 3}'::int4[]) days`,
    [accountId, country, messages],
  );
}

/** Runs the check of alerts now, which is due every minute; the teardown tests prove its schedule. */
export const checkAlerts = (): Promise<void> => addJob(pool(), "sweep_alerts", {});
