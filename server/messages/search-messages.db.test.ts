import { expect, test } from "vitest";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { pool } from "../core/db";
import { firstIdAt } from "../core/ids";
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

test("a part of a number finds its messages: with a plus from its beginning, otherwise anywhere", async () => {
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
