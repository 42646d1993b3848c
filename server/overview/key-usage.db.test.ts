import { expect, test } from "vitest";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { pool } from "../core/db";
import { firstIdAt } from "../core/ids";
import { usageOfKey } from "./key-usage";
import { KEY_MESSAGES_MAX } from "./store";

const DAY_MS = 86_400_000;

/** Stores messages of a key, accepted some days ago. */
async function store(
  { accountId }: TestAccount,
  keyId: string | null,
  { count = 1, daysAgo = 0, status = "delivered" }: { count?: number; daysAgo?: number; status?: string } = {},
): Promise<void> {
  const at = new Date(Date.now() - daysAgo * DAY_MS);
  await pool().query(
    `INSERT INTO messages (id, account_id, api_key_id, to_number, from_sender, body, encoding, segments, status, cost_micros,
       currency, chain, created_at)
     SELECT left($3, 20) || $4 || lpad(n::text, 8, '0'), $1, $2, '+14155550123', 'DEMO', 'Hello', 'GSM-7', 2, $5, 10000, 'USD',
       '{sandbox}', $6 FROM generate_series(1, $7) n`,
    [
      accountId,
      keyId,
      firstIdAt("message", at),
      Math.random().toString(36).slice(2, 6),
      status,
      at.toISOString(),
      count,
    ],
  );
}

const dayOf = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);

test("the messages of a key are counted by day and status, without those of others and of earlier days", async () => {
  const [account, stranger] = [await makeAccount(), await makeAccount()];
  await store(account, account.keyId, { count: 3 });
  await store(account, account.keyId, { status: "failed" });
  await store(account, account.keyId, { daysAgo: 6, status: "sent" });
  await store(account, account.keyId, { daysAgo: 8 });
  await store(account, null);
  await store(account, "key_other");
  await store(stranger, account.keyId);
  const usage = await usageOfKey(account.actor, { id: account.keyId, days: 7 });
  expect(usage).toMatchObject({ looked_at: 5, is_complete: true, currency: "USD", used_today: null });
  expect(usage.series.map(({ day }) => day)).toEqual([6, 5, 4, 3, 2, 1, 0].map(dayOf));
  const none = { messages: 0, segments: 0, cost: 0, pending: 0, sent: 0, delivered: 0, failed: 0, undelivered: 0 };
  expect(usage.series[0]).toEqual({ ...none, day: dayOf(6), messages: 1, segments: 2, cost: 0.01, sent: 1 });
  expect(usage.series[6]).toEqual({
    ...none,
    day: dayOf(0),
    messages: 4,
    segments: 8,
    cost: 0.04,
    delivered: 3,
    failed: 1,
  });
});

test("only the newest messages are counted, and it says so", async () => {
  const account = await makeAccount();
  await store(account, account.keyId, { count: KEY_MESSAGES_MAX, daysAgo: 1 });
  await store(account, account.keyId, { count: 10 });
  const usage = await usageOfKey(account.actor, { id: account.keyId, days: 7 });
  expect(usage).toMatchObject({ looked_at: KEY_MESSAGES_MAX, is_complete: false });
  expect(usage.series.slice(-2).map(({ messages }) => messages)).toEqual([KEY_MESSAGES_MAX - 10, 10]);
});

test("deleted messages of the period are missing, and it says so", async () => {
  const [account, stranger] = [await makeAccount(), await makeAccount()];
  await store(account, account.keyId, { count: 3 });
  const forget = (accountId: string, daysAgo: number, messages: number) =>
    pool().query("INSERT INTO forgotten_days (account_id, day, messages, events_sent) VALUES ($1, $2, $3, 1)", [
      accountId,
      dayOf(daysAgo),
      messages,
    ]);
  const usage = (days: 7 | 30) => usageOfKey(account.actor, { id: account.keyId, days });
  await forget(stranger.accountId, 1, 5);
  await forget(account.accountId, 5, 0);
  await forget(account.accountId, 8, 5);
  expect(await usage(7)).toMatchObject({ looked_at: 3, is_complete: true });
  expect(await usage(30)).toMatchObject({ looked_at: 3, is_complete: false });
});

test("the use of a key's limits is shown, and another account's key is not found", async () => {
  const [account, stranger] = [await makeAccount(), await makeAccount()];
  await pool().query("UPDATE api_keys SET daily_limit = 5, monthly_limit = 9 WHERE id = $1", [account.keyId]);
  await pool().query(
    "INSERT INTO api_key_quotas (key_id, period, messages) VALUES ($1, 'day:' || to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD'), 4)",
    [account.keyId],
  );
  const usage = await usageOfKey(account.actor, { id: account.keyId, days: 1 });
  expect(usage).toMatchObject({ used_today: 4, used_this_month: 0 });
  await expect(usageOfKey(stranger.actor, { id: account.keyId, days: 1 })).rejects.toMatchObject({ status: 404 });
});
