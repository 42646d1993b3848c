import { expect, test, vi } from "vitest";
import { hashOf } from "@/test/database/passwords";
import { makeAccount } from "@/test/database/seed";
import { DAY_MS, utcDay } from "../core/clock";
import { pool } from "../core/db";
import { newId } from "../core/ids";
import { createAccountWithOwner, getAccount, getBalance, getUsage, getUsageSeries } from "./service";

vi.mock("../core/ids", async (load) => {
  const ids = await load<typeof import("../core/ids")>();
  return { ...ids, newId: vi.fn(ids.newId) };
});

const count = (accountId: string, day: Date, messages: number, costMicros: number) =>
  pool().query(
    `INSERT INTO usage_days (account_id, day, messages, segments, cost_micros, pending, sent, delivered, failed, undelivered)
     VALUES ($1, $2, $3::int, $3 * 2, $4, 1, 2, 3, 4, 5)`,
    [accountId, utcDay(day), messages, costMicros],
  );

const ONE_DAY = { pending: 1, sent: 2, delivered: 3, failed: 4, undelivered: 5 };

/** The current UTC day and the day before the current UTC month. */
function someDays() {
  const now = new Date();
  const monthStart = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
  return { now, monthStart, lastMonth: new Date(monthStart.getTime() - DAY_MS) };
}

test("an account sees itself and its balance, and nothing of another account", async () => {
  const [mine, other] = await Promise.all([makeAccount({ balanceMicros: 12_345_678n }), makeAccount()]);
  expect(await getAccount(mine.actor)).toMatchObject({
    id: mine.accountId,
    object: "account",
    status: "active",
    kyc_verified: false,
    balance: 12.345678,
    currency: "USD",
  });
  expect(await getBalance(mine.actor)).toMatchObject({ object: "balance", balance: 12.345678, currency: "USD" });
  expect((await getAccount(other.actor)).id).toBe(other.accountId);
});

test("usage of the day and the month covers the current UTC day and month", async () => {
  const { actor, accountId } = await makeAccount();
  const stranger = await makeAccount();
  const { now, monthStart, lastMonth } = someDays();
  await count(accountId, now, 15, 1_500_000);
  await count(accountId, lastMonth, 100, 9_000_000);
  await count(stranger.accountId, now, 7, 1);

  const day = await getUsage(actor, { period: "day" });
  expect(day).toMatchObject({ object: "usage", period: "day", currency: "USD", by_status: ONE_DAY });
  expect(day.totals).toEqual({ messages: 15, cost: 1.5 });
  expect(day.starts_at).toBe(`${utcDay(now)}T00:00:00.000Z`);
  expect(Date.parse(day.ends_at) - Date.parse(day.starts_at)).toBe(DAY_MS);

  const month = await getUsage(actor, { period: "month" });
  expect(month.totals).toEqual({ messages: 15, cost: 1.5 });
  expect(month.starts_at).toBe(monthStart.toISOString());
  const nextMonth = new Date(Date.UTC(monthStart.getUTCFullYear(), monthStart.getUTCMonth() + 1, 1));
  expect(month.ends_at).toBe(nextMonth.toISOString());
});

test("usage of all time runs from the creation of the account until now", async () => {
  const { actor, accountId } = await makeAccount();
  const { now, lastMonth } = someDays();
  await count(accountId, now, 15, 1_500_000);
  await count(accountId, lastMonth, 100, 9_000_000);
  const before = Date.now();
  const all = await getUsage(actor, { period: "all" });
  expect(all.totals).toEqual({ messages: 115, cost: 10.5 });
  expect(all.by_status).toEqual({ pending: 2, sent: 4, delivered: 6, failed: 8, undelivered: 10 });
  expect(all.starts_at).toBe((await getAccount(actor)).created_at);
  expect(Date.parse(all.ends_at)).toBeGreaterThanOrEqual(before);
});

test("an account that never sent has used nothing", async () => {
  const { actor } = await makeAccount();
  const usage = await getUsage(actor, { period: "month" });
  expect(usage.totals).toEqual({ messages: 0, cost: 0 });
  expect(usage.by_status).toEqual({ pending: 0, sent: 0, delivered: 0, failed: 0, undelivered: 0 });
});

test("the series has one row per day, oldest first, with zeros where nothing was sent", async () => {
  const { actor, accountId } = await makeAccount();
  const { now } = someDays();
  await count(accountId, now, 15, 1_500_000);
  await count(accountId, new Date(now.getTime() - 2 * DAY_MS), 4, 400_000);
  const series = await getUsageSeries(actor, { days: 3 });
  expect(series.map((row) => [row.day, row.messages, row.segments, row.cost])).toEqual([
    [utcDay(new Date(now.getTime() - 2 * DAY_MS)), 4, 8, 0.4],
    [utcDay(new Date(now.getTime() - DAY_MS)), 0, 0, 0],
    [utcDay(now), 15, 30, 1.5],
  ]);
});

test("a new account's opening balance is in its ledger, and its email cannot be used again", async () => {
  const email = `${newId("user")}@Example.com`;
  const passwordHash = await hashOf("correct horse battery");
  const input = { email, passwordHash, name: "Ann", companyName: "Acme" };
  const { accountId } = await createAccountWithOwner({ ...input, balanceMicros: 5_000_000n });
  const { rows } = await pool().query(
    `SELECT a.balance_micros, a.company_name, u.email, u.is_operator, l.kind, l.amount_micros
     FROM accounts a JOIN users u ON u.account_id = a.id JOIN ledger_entries l ON l.account_id = a.id WHERE a.id = $1`,
    [accountId],
  );
  expect(rows).toEqual([
    {
      balance_micros: 5_000_000n,
      company_name: "Acme",
      email: email.toLowerCase(),
      is_operator: false,
      kind: "credit",
      amount_micros: 5_000_000n,
    },
  ]);
  await expect(createAccountWithOwner({ ...input, email: email.toUpperCase() })).rejects.toMatchObject({
    status: 409,
    wire: { param: "email", details: { reason: "email_taken" } },
  });
  const { rowCount } = await pool().query("SELECT 1 FROM accounts WHERE email = $1", [email.toLowerCase()]);
  expect(rowCount).toBe(1);
});

test("an account whose id another one of the same second has gets a new one", async () => {
  const { accountId } = await makeAccount();
  vi.mocked(newId).mockReturnValueOnce(accountId);
  const email = `${newId("user")}@example.com`;
  const made = await createAccountWithOwner({
    email,
    passwordHash: await hashOf("correct horse battery"),
    name: "Ann",
    companyName: "Acme",
  });
  expect(made.accountId).not.toBe(accountId);
  expect(await getAccount({ ...(await makeAccount()).actor, accountId: made.accountId })).toMatchObject({
    id: made.accountId,
  });
});
