import { expect, test } from "vitest";
import { explain, rowsRead, statementsOf } from "@/test/database/plans";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { pool } from "../../core/db";
import { firstIdAt } from "../../core/ids";
import { searchMessages } from "./search-messages";

let made = 0;

/** Stores one sent message per number, a minute apart, the last one newest. */
async function store({ accountId }: TestAccount, numbers: readonly string[]): Promise<void> {
  for (const [minute, to] of numbers.entries()) {
    made += 1;
    const at = new Date(Date.UTC(2026, 0, 30, 12, minute));
    const id = firstIdAt("message", at).slice(0, -6) + String(made).padStart(6, "0");
    await pool().query(
      `INSERT INTO messages (id, account_id, to_number, from_sender, body, encoding, segments, status, cost_micros,
         currency, chain, created_at)
       VALUES ($1, $2, $3, 'DEMO', 'Hello', 'GSM-7', 1, 'sent', 10000, 'USD', '{sandbox}', $4)`,
      [id, accountId, to, at.toISOString()],
    );
  }
}

const NUMBERS = ["+14155550123", "+442071838750", "+14155550124", "+491511234567"];

test("a part of a number finds its messages: with a plus at the beginning only, otherwise anywhere", async () => {
  const account = await makeAccount();
  const stranger = await makeAccount();
  await store(account, NUMBERS);
  await store(stranger, NUMBERS);
  const find = async (part: string, more: Partial<Parameters<typeof searchMessages>[1]> = {}) => {
    const { items, pagination, searched } = await searchMessages(account.actor, { part, page: 1, limit: 50, ...more });
    expect(searched).toBeNull();
    return { to: items.map((item) => item.to), total: pagination.total };
  };
  expect(await find("+1415")).toEqual({ to: ["+14155550124", "+14155550123"], total: 2 });
  expect(await find("1511")).toEqual({ to: ["+491511234567"], total: 1 });
  expect(await find("+1511")).toEqual({ to: [], total: 0 });
  expect(await find("0123")).toEqual({ to: ["+14155550123"], total: 1 });
  expect(await find("+14155550123")).toEqual({ to: ["+14155550123"], total: 1 });
  expect(await find("155", { page: 2, limit: 1 })).toEqual({ to: ["+14155550123"], total: 2 });
  expect(await find("155", { status: "failed" })).toEqual({ to: [], total: 0 });
  expect(await find("155", { created_after: "2026-01-30T12:02:00Z" })).toEqual({ to: ["+14155550124"], total: 1 });
  expect(await find("155", { created_before: "2026-01-30T12:02:00Z" })).toEqual({ to: ["+14155550123"], total: 1 });
});

const COUNT = 60_000;

/**
 * Stores many messages: every tenth from `RARE`, every fourth with the key `key_few`, one in 20,000 with a reference, an old one
 * from `LONE`. Messages for `sandbox` have not been handed to a provider yet.
 */
async function fill({ accountId }: TestAccount): Promise<void> {
  await pool().query(
    `INSERT INTO messages (id, account_id, api_key_id, to_number, from_sender, body, encoding, segments, status, cost_micros,
       currency, chain, provider, reference, created_at)
     SELECT 'msg_' || $2 || lpad(n::text, 10, '0'), $1, CASE WHEN n % 4 = 0 THEN 'key_few' ELSE 'key_most' END,
       '+1415' || lpad((n % 10000000)::text, 7, '0'), CASE WHEN n = 7 THEN 'LONE' WHEN n % 10 = 0 THEN 'RARE' ELSE 'SHOP' END,
       'Hello', 'GSM-7', 1, CASE WHEN n = 40 THEN 'failed' ELSE 'delivered' END, 10000, 'USD', '{sandbox,twilio}',
       CASE WHEN n = 20 THEN 'twilio' END, CASE WHEN n % 20000 = 0 THEN 'order-' || n END, now()
     FROM generate_series(1, $3) n`,
    [accountId, firstIdAt("message", new Date()).slice(4, 20), COUNT],
  );
  await pool().query("ANALYZE messages");
}

test("filters find exactly their messages, alone and together, even old ones, and read only a bounded number", async () => {
  const [account, stranger] = [await makeAccount(), await makeAccount()];
  await fill(account);
  await fill(stranger);
  const cases: [filter: Partial<Parameters<typeof searchMessages>[1]>, total: number, isWhole: boolean][] = [
    [{ from: "LONE" }, 1, true],
    [{ from: "RARE" }, 6_000, true],
    [{ from: "SHOP" }, 20_000, false],
    [{ from: "NONE" }, 0, true],
    [{ from: "RARE", api_key_id: "key_most" }, 3_000, true],
    [{ from: "LONE", api_key_id: "key_most", status: "delivered" }, 1, true],
    [{ api_key_id: "key_few", provider: "twilio" }, 1, true],
    [{ api_key_id: "key_few", provider: "vonage" }, 0, true],
    [{ provider: "sandbox" }, 20_000, false],
    [{ provider: "twilio" }, 0, false],
    [{ reference: "order-20000" }, 1, true],
    [{ reference: "order-20000", part: "20000", from: "RARE", api_key_id: "key_few", provider: "sandbox" }, 1, true],
    [{ reference: "order-20000", provider: "twilio" }, 0, true],
    [{ status: "failed", provider: "sandbox" }, 1, true],
    [{ status: "failed", from: "SHOP" }, 0, true],
    [{ status: "pending", part: "415" }, 0, true],
  ];
  for (const [filter, total, isWhole] of cases) {
    const name = JSON.stringify(filter);
    const query = { page: 1, limit: 50, ...filter };
    let found: Awaited<ReturnType<typeof searchMessages>> | undefined;
    const statements = await statementsOf(async () => {
      found = await searchMessages(account.actor, query);
    });
    expect(found && { total: found.pagination.total, isWhole: found.searched === null }, name).toEqual({
      total,
      isWhole,
    });
    for (const item of found?.items ?? []) {
      if (filter.from) expect(item.from, name).toBe(filter.from);
      if (filter.provider) expect(item.provider, name).toBe(filter.provider);
      if (filter.reference) expect(item.reference, name).toBe(filter.reference);
    }
    const searches = statements.filter(({ text }) => /FROM (messages|failed_messages|pending_messages) /.test(text));
    expect(searches.length, name).toBeGreaterThan(0);
    for (const statement of searches) {
      const { plan } = await explain(statement);
      expect(rowsRead(plan, ["messages", "failed_messages", "pending_messages"]), name).toBeLessThanOrEqual(60_500);
    }
  }
});
