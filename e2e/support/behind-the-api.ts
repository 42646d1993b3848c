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

/** Gives the people of an account another role in it. */
export async function changeRoles({ accountId }: OwnAccount, role: "developer" | "viewer"): Promise<void> {
  await pool().query("UPDATE account_members SET role = $2 WHERE account_id = $1", [accountId, role]);
}

/** A text from a handset to one of our numbers, as a carrier reports it. @returns the carrier's id of it. */
export async function replyFromHandset(from: string, to: string, text: string): Promise<string> {
  const receivedAt = new Date().toISOString();
  const providerMessageId = newId("inbound");
  const messages = [{ providerMessageId, from, to, text, receivedAt }];
  await addJob(pool(), "apply_inbound", { provider: "sandbox", messages });
  return providerMessageId;
}

/** Whether a text from a handset is stored, for any account or for none. */
export async function isReplyStored(providerMessageId: string): Promise<boolean> {
  const { rows } = await pool().query("SELECT FROM inbound_messages WHERE provider_message_id = $1", [
    providerMessageId,
  ]);
  return rows.length > 0;
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

/**
 * Gives an account `Program 1` to `Program <count>`, more API keys than a test could create one by one. What their ids share has no `1`:
 * a search finds ids too, and one for `17` would find them all if they shared that.
 */
export async function addApiKeys({ accountId }: OwnAccount, count: number): Promise<void> {
  await pool().query(
    `INSERT INTO api_keys (id, account_id, name, key_hash, key_hint, permissions, allowed_ips)
     SELECT 'key_' || $1::text || n, $2, 'Program ' || n, $1::text || n, 'ds_live_…' || n, '{sms:send}', '{}' FROM generate_series(1, $3) n`,
    [newId("apiKey").replaceAll("1", "0"), accountId, count],
  );
}

/** Gives an account `count` sender IDs in a status, named after it. */
export async function addSenders({ accountId }: OwnAccount, status: string, count: number): Promise<void> {
  await pool().query(
    `INSERT INTO senders (id, account_id, sender_id, type, status)
     SELECT 'snd_' || $1::text || n, $2, initcap($3) || ' ' || n, 'alphanumeric', $3 FROM generate_series(1, $4) n`,
    [newId("sender"), accountId, status, count],
  );
}

/** Makes the people of an account viewers of `Shop 1` to `Shop <count>`, further accounts. */
export async function addMemberships({ accountId }: OwnAccount, count: number): Promise<void> {
  await pool().query(
    `WITH made AS (INSERT INTO accounts (id, email, name)
       SELECT 'acc_' || right($1, 9) || lpad(n::text, 3, '0'), n || '@many.example', 'Shop ' || n FROM generate_series(1, $2) n RETURNING id)
     INSERT INTO account_members (account_id, user_id, role)
     SELECT made.id, m.user_id, 'viewer' FROM made, account_members m WHERE m.account_id = $3`,
    [newId("user"), count, accountId],
  );
}
