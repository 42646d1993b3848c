import { expect, test, vi } from "vitest";
import { copyMessage } from "@/test/database/messages/copies";
import { explain, rowsRead, statementsOf } from "@/test/database/plans";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { rebuildUsage } from "../accounts/rebuild-usage";
import { HOUR_MS } from "../core/clock";
import { pool, transaction } from "../core/db";
import { firstIdAt } from "../core/ids";
import { listMessages } from "../messages/lists/list-messages";
import { dropMilestones, MILESTONE_EVERY } from "./milestones";
import { markLists } from "./tasks";

const COUNT = 25_000;
const LIMIT = 20;
const TIME_END = 14;

/** Inserts messages of the account, all of them hours old, with their counters. @returns the beginning of their ids. */
async function fill({ accountId }: TestAccount): Promise<string> {
  const at = new Date(Date.now() - 3 * HOUR_MS);
  const start = firstIdAt("message", at).slice(0, TIME_END);
  await pool().query(
    `INSERT INTO messages (id, account_id, to_number, from_sender, body, encoding, segments, status, cost_micros, currency,
       chain, created_at, delivered_at)
     SELECT $1 || lpad(n::text, 16, '0'), $2, '+14155550123', 'T', 'Hi', 'GSM-7', 1, 'delivered', 0, 'USD', '{sandbox}', $3, $3
     FROM generate_series(1, $4) n`,
    [start, accountId, at, COUNT],
  );
  await pool().query(
    `INSERT INTO usage_days (account_id, day, messages, segments, delivered)
     VALUES ($1, ($2::timestamptz AT TIME ZONE 'UTC')::date, $3, $3, $3)`,
    [accountId, at, COUNT],
  );
  return start;
}

const idsOn = async (account: TestAccount, page: number): Promise<string[]> =>
  (await listMessages(account.actor, { page, limit: LIMIT })).items.map(({ id }) => id);

/** The ids on a page, by skipping all before it. */
const truthOn = async ({ accountId }: TestAccount, page: number): Promise<string[]> => {
  const { rows } = await pool().query<{ id: string }>(
    "SELECT id FROM messages WHERE account_id = $1 ORDER BY id DESC LIMIT $2 OFFSET $3",
    [accountId, LIMIT, (page - 1) * LIMIT],
  );
  return rows.map(({ id }) => id);
};

const PAGES = [1, 2, 499, 501, 502, 750, 751, 1_000, 1_200, 1_250];

/** Rows that are read for a page. */
async function rowsReadOn(account: TestAccount, page: number): Promise<number> {
  const statements = await statementsOf(() => idsOn(account, page));
  const read = statements.find(({ text }) => text.includes("FROM messages m"));
  if (!read) throw new Error("no page was read");
  return rowsRead((await explain(read)).plan, ["messages"]);
}

test("deep pages begin at a milestone: they are those of the whole list, and read no more rows than lie between two", async () => {
  const account = await makeAccount();
  await fill(account);
  await pool().query("VACUUM ANALYZE messages");
  await markLists();
  for (const page of PAGES) expect(await idsOn(account, page)).toEqual(await truthOn(account, page));
  for (const page of [751, 1_000, 1_250])
    expect(await rowsReadOn(account, page)).toBeLessThan(MILESTONE_EVERY + 2 * LIMIT);
});

/** Forgets the account's oldest messages, whose ids begin with `start`. */
const forgetOldest = ({ accountId }: TestAccount, start: string, count: number) =>
  transaction(async (tx) => {
    const last = `${start}${String(count).padStart(16, "0")}`;
    const { rows } = await tx.query<{ day: Date }>(
      "DELETE FROM messages WHERE account_id = $1 AND id <= $2 RETURNING created_at AS day",
      [accountId, last],
    );
    await tx.query(
      `INSERT INTO forgotten_days (account_id, day, messages, segments, delivered)
       VALUES ($1, ($2::timestamptz AT TIME ZONE 'UTC')::date, $3, $3, $3)`,
      [accountId, rows[0]?.day, rows.length],
    );
    await dropMilestones(tx, new Map([[accountId, last]]));
  });

test("deep pages stay right when the oldest messages are forgotten", async () => {
  const account = await makeAccount();
  const { accountId } = account;
  const start = await fill(account);
  await markLists();
  await forgetOldest(account, start, 12_000);
  const pages = PAGES.filter((page) => page * LIMIT <= COUNT - 12_000);
  for (const page of pages) expect(await idsOn(account, page)).toEqual(await truthOn(account, page));
  // Set anew, they count what was forgotten.
  await pool().query("DELETE FROM list_milestones WHERE account_id = $1", [accountId]);
  await markLists();
  for (const page of pages) expect(await idsOn(account, page)).toEqual(await truthOn(account, page));
});

test("after a rebuild of usage, deep pages begin at milestones again, also where messages were forgotten", async () => {
  const account = await makeAccount();
  const start = await fill(account);
  await markLists();
  await forgetOldest(account, start, 12_000);
  await pool().query("UPDATE usage_days SET segments = segments + 1 WHERE account_id = $1", [account.accountId]);
  expect(await rebuildUsage()).toBe(1);
  await pool().query("VACUUM ANALYZE messages");
  await markLists();
  for (const page of [502, 600, 650]) {
    expect(await idsOn(account, page)).toEqual(await truthOn(account, page));
    expect(await rowsReadOn(account, page)).toBeLessThan(MILESTONE_EVERY + 2 * LIMIT);
  }
});

test("deep pages are right again after a clock was set back behind a milestone", async () => {
  const account = await makeAccount();
  const { accountId } = account;
  const start = await fill(account);
  await markLists();
  const milestones = async () =>
    (await pool().query("SELECT * FROM list_milestones WHERE account_id = $1 ORDER BY place", [accountId])).rows;
  const before = await milestones();
  await markLists();
  expect(await milestones()).toEqual(before);
  // Ids of the time that the clock shows, between those of messages that have a milestone behind them.
  const original = `${start}${"1".padStart(16, "0")}`;
  await copyMessage(original, 30, { id: "$3::text || lpad((5000 + n)::text, 16, '0') || 'x'" }, [start]);
  await pool().query("UPDATE usage_days SET messages = messages + 30 WHERE account_id = $1", [accountId]);
  await markLists();
  for (const page of PAGES) expect(await idsOn(account, page)).toEqual(await truthOn(account, page));
  await pool().query("VACUUM ANALYZE messages");
  expect(await rowsReadOn(account, 1_000)).toBeLessThan(MILESTONE_EVERY + 2 * LIMIT);
});

test("a run that takes too long, or whose worker stops, ends between two milestones, and the next one continues", async () => {
  const account = await makeAccount();
  await fill(account);
  const places = async () => {
    const { rows } = await pool().query<{ place: bigint }>(
      "SELECT place FROM list_milestones WHERE account_id = $1 ORDER BY place",
      [account.accountId],
    );
    return rows.map(({ place }) => Number(place));
  };
  await markLists(AbortSignal.abort());
  expect(await places()).toEqual([]);
  const { now } = performance;
  const insert = vi.spyOn(pool(), "query");
  const clock = vi.spyOn(performance, "now").mockImplementation(() => {
    const hasSetOne = insert.mock.calls.some(([query]) =>
      JSON.stringify(query).includes("INSERT INTO list_milestones"),
    );
    return now.call(performance) + (hasSetOne ? HOUR_MS : 0);
  });
  await markLists();
  clock.mockRestore();
  insert.mockRestore();
  expect(await places()).toEqual([MILESTONE_EVERY]);
  await markLists();
  expect(await places()).toEqual(Array.from({ length: 12 }, (_, at) => (at + 1) * MILESTONE_EVERY));
});

test("counters are read of a thousand accounts at a time, however many there are", async () => {
  await pool().query(
    `INSERT INTO accounts (id, email, name) SELECT 'acc_' || lpad(n::text, 12, '0'), n || '@many.example', 'Many' FROM generate_series(1, 2500) n`,
  );
  await pool().query(
    `INSERT INTO usage_days (account_id, day, messages) SELECT id, date '2026-01-01' + d, 1 FROM accounts, generate_series(1, 4) d
     WHERE email LIKE '%@many.example'`,
  );
  await pool().query("VACUUM ANALYZE usage_days, accounts");
  const reads: number[] = [];
  for (const statement of await statementsOf(() => markLists())) {
    reads.push(rowsRead((await explain(statement)).plan, ["usage_days"]));
  }
  expect(Math.max(...reads)).toBeGreaterThan(0);
  expect(Math.max(...reads)).toBeLessThanOrEqual(1_000 * 4);
});
