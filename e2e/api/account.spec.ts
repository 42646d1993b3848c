import type { Account, Balance, Usage } from "@/server/accounts/schema";
import type { BulkResult, Message } from "@/server/messages/schema";
import { requiresKey, requiresPermission } from "../support/access";
import { expect, test } from "../support/contract-test";
import { balanceOf, ISO, messageIn } from "../support/follow";

const DAY_MS = 86_400_000;

test.describe("GET /account", () => {
  test("returns the account of the key, with its status and balance", async ({ rest, account }) => {
    expect(await rest.get<Account>("/account")).toEqual({
      id: account.accountId,
      object: "account",
      livemode: true,
      email: account.email,
      name: expect.stringMatching(/^Test /),
      company_name: "",
      country: "",
      status: "active",
      kyc_verified: false,
      balance: 100,
      currency: "USD",
      quiet_hours: null,
      text_retention_days: null,
      sending_limits: {
        ...{ countries: null, daily_spend_cap: null },
        operator: { allowed_countries: [], daily_spend_cap: null },
      },
      created_at: ISO,
    });
  });

  requiresPermission(null, () => ({ method: "GET", path: "/account" }));

  requiresKey("GET", "/account");

  test("cannot see another account", async ({ rest, account, stranger }) => {
    expect((await stranger.rest.get<Account>("/account")).id).toBe(stranger.account.accountId);
    // The key decides, not the query.
    const asked = await stranger.rest.get<Account>(`/account?id=${account.accountId}&account_id=${account.accountId}`);
    expect(asked.id).toBe(stranger.account.accountId);
    expect((await rest.get<Account>("/account")).id).toBe(account.accountId);
  });
});

test.describe("GET /balance", () => {
  test("returns the money that is left at this moment", async ({ rest, account, operator }) => {
    const balance = await rest.get<Balance>("/balance");
    expect(balance).toEqual({ object: "balance", livemode: true, balance: 100, currency: "USD", as_of: ISO });
    expect(Math.abs(Date.now() - Date.parse(balance.as_of))).toBeLessThan(60_000);
    await operator.credit(account, 0.000001);
    expect(await balanceOf(rest)).toBe(100.000001);
    await operator.credit(account, -30.5);
    expect(await balanceOf(rest)).toBe(69.500001);
  });

  test("stays exact over many small amounts", async ({ rest, account }) => {
    const recipients = Array<string>(7).fill("+15550100008");
    for (let left = 100; left > 99.5; left = Math.round((left - 0.07) * 100) / 100) {
      expect(await balanceOf(rest)).toBe(left);
      await rest.post("/messages/bulk", { recipients, from: account.sender, body: "Hello" });
    }
  });

  requiresPermission("balance:read", () => ({ method: "GET", path: "/balance" }));

  requiresKey("GET", "/balance");

  test("cannot see another account", async ({ rest, account, operator, stranger }) => {
    await operator.credit(account, 11);
    expect(await balanceOf(stranger.rest)).toBe(100);
    expect(await balanceOf(rest)).toBe(111);
  });
});

test.describe("GET /usage", () => {
  test("counts every accepted message once, under its current status, and the money that was not refunded", async ({
    rest,
    account,
  }) => {
    const none = { pending: 0, sent: 0, delivered: 0, failed: 0, undelivered: 0 };
    const before = await rest.get<Usage>("/usage");
    expect(before).toMatchObject({ totals: { messages: 0, cost: 0 }, by_status: none });

    const recipients = ["+15550100001", "+15550100003", "+15550100008", "+15550100009", "nobody"];
    const sent = await rest.post<BulkResult>("/messages/bulk", { recipients, from: account.sender, body: "Hello" });
    const ends = ["delivered", "failed", "sent", "undelivered", "failed"] as const;
    for (const [at, end] of ends.entries()) await messageIn(rest, sent.messages[at]?.id ?? "", end);
    for (const period of ["day", "month", "all"]) {
      expect(await rest.get<Usage>(`/usage?period=${period}`)).toEqual({
        object: "usage",
        period,
        starts_at: ISO,
        ends_at: ISO,
        currency: "USD",
        totals: { messages: 5, cost: 0.03 },
        by_status: { pending: 0, sent: 1, delivered: 1, failed: 2, undelivered: 1 },
      });
    }
    expect(await balanceOf(rest)).toBe(99.97);
  });

  test("a period is the current UTC day, the current UTC month (unless asked otherwise), or all time", async ({
    rest,
  }) => {
    const account = await rest.get<Account>("/account");
    const [day, month, whole, unasked] = await Promise.all(
      ["?period=day", "?period=month", "?period=all", ""].map((query) => rest.get<Usage>(`/usage${query}`)),
    );
    const start = (usage: Usage | undefined) => new Date(String(usage?.starts_at));
    const end = (usage: Usage | undefined) => new Date(String(usage?.ends_at));
    expect(start(day).toISOString()).toMatch(/T00:00:00\.000Z$/);
    expect(end(day).getTime() - start(day).getTime()).toBe(DAY_MS);
    expect(start(month).toISOString()).toMatch(/-01T00:00:00\.000Z$/);
    expect(end(month).toISOString()).toMatch(/-01T00:00:00\.000Z$/);
    expect((end(month).getTime() - start(month).getTime()) / DAY_MS).toBeGreaterThanOrEqual(28);
    expect((end(month).getTime() - start(month).getTime()) / DAY_MS).toBeLessThanOrEqual(31);
    for (const usage of [day, month, whole]) {
      const now = Date.now();
      expect(start(usage).getTime()).toBeLessThanOrEqual(now);
      // "All" may end at the moment of the response.
      expect(end(usage).getTime()).toBeGreaterThan(now - 60_000);
    }
    expect(start(whole).getTime()).toBeLessThanOrEqual(Date.parse(account.created_at));
    expect(unasked).toEqual(month);
  });

  test("refuses an unknown period", async ({ rest }) => {
    for (const period of ["year", "", "Day", "day,month"]) {
      const error = await rest.refusal(400, { method: "GET", path: `/usage?period=${period}` });
      expect(error, period).toMatchObject({ param: "period" });
    }
  });

  requiresPermission("balance:read", () => ({ method: "GET", path: "/usage" }));

  requiresKey("GET", "/usage");

  test("cannot see another account", async ({ rest, account, stranger }) => {
    await rest.post<Message>("/messages/send", { to: "+15550100008", from: account.sender, body: "Hello" });
    const totals = { messages: 0, cost: 0 };
    for (const period of ["day", "month", "all"]) {
      expect(await stranger.rest.get<Usage>(`/usage?period=${period}`)).toMatchObject({ totals });
    }
  });
});
