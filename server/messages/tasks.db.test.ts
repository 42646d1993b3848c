import { afterEach, expect, test, vi } from "vitest";
import { pool } from "@/server/core/db";
import { FAULT, failStatements } from "@/test/database/intercepted-statements";
import { explain, rowsRead, rowsReadBy, statementsOf } from "@/test/database/plans";
import { dropClaims, noteClaims } from "./dispatch/claims";
import { forgetCallbacks, keepGivingBack } from "./tasks";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** More rows than one step deletes. */
const MANY = 25_000;

const countOf = async (table: string): Promise<number> => {
  const { rows } = await pool().query<{ count: string }>(`SELECT count(*) FROM ${table}`);
  return Number(rows[0]?.count);
};

test("old nonces are deleted in steps; young ones stay, and plivo's stay for a month", async () => {
  const add = (provider: string, age: string, count: number) =>
    pool().query(
      `INSERT INTO receipt_nonces (provider, nonce, seen_at)
       SELECT $1, gen_random_uuid()::text, now() - $2::interval FROM generate_series(1, $3)`,
      [provider, age, count],
    );
  await add("twilio", "26 hours", MANY);
  await add("twilio", "24 hours", 2);
  await add("plivo", "30 days", 3);
  await add("plivo", "32 days", MANY);
  await forgetCallbacks();
  expect(await countOf("receipt_nonces")).toBe(2 + 3);
});

test("nonces that are kept are not read, however many there are", async () => {
  await pool().query("TRUNCATE receipt_nonces");
  await pool().query(
    `INSERT INTO receipt_nonces (provider, nonce, seen_at)
     SELECT 'plivo', n::text, now() - interval '2 days' FROM generate_series(1, $1) n`,
    [MANY],
  );
  await pool().query("INSERT INTO receipt_nonces VALUES ('twilio', 'old', now() - interval '26 hours')");
  await pool().query("ANALYZE receipt_nonces");
  const statements = await statementsOf(() => forgetCallbacks());
  const ofNonces = statements.filter(({ text }) => text.includes("receipt_nonces"));
  expect(ofNonces).not.toEqual([]);
  for (const statement of ofNonces) {
    const { plan } = await explain(statement);
    expect(rowsRead(plan, ["receipt_nonces"]), statement.text).toBeLessThan(10);
  }
  expect(await countOf("receipt_nonces")).toBe(MANY);
});

test("counts of days that are kept are not read, however many there are", async () => {
  const today = new Date().toISOString().slice(0, 10);
  await pool().query(
    `INSERT INTO api_key_quotas (key_id, period, messages) SELECT 'key_' || n, kind || $1, 7
     FROM generate_series(1, $2) n, unnest('{day:,failed:}'::text[]) kind`,
    [today, MANY],
  );
  await pool().query("VACUUM ANALYZE api_key_quotas");
  expect(await rowsReadBy(() => forgetCallbacks(), ["api_key_quotas"])).toBe(0);
  await pool().query("TRUNCATE api_key_quotas");
});

test("counts of messages are deleted forty days after their day; counts of months and later days still limit", async () => {
  const day = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
  const month = day(0).slice(0, 7);
  const kept = [`day:${day(0)}`, `day:${day(38)}`, `failed:${day(0)}`, "month:2025-01", `month:${month}`];
  await pool().query(
    "INSERT INTO api_key_quotas (key_id, period, messages) SELECT 'key_counted', unnest($1::text[]), 7",
    [[...kept, `day:${day(42)}`, `failed:${day(42)}`]],
  );
  await forgetCallbacks();
  const { rows } = await pool().query<{ period: string }>(
    "SELECT period FROM api_key_quotas WHERE key_id = 'key_counted'",
  );
  expect(rows.map(({ period }) => period).sort()).toEqual(kept.sort());
});

test("a kind that cannot be deleted does not stop the others", async () => {
  await pool().query(
    "INSERT INTO api_key_minutes (key_id, minute, used) VALUES ('key_old', now() - interval '2 days', 1)",
  );
  failStatements("DELETE FROM receipt_nonces");
  await expect(forgetCallbacks()).rejects.toThrow(FAULT);
  expect(await countOf("api_key_minutes")).toBe(0);
});

test("only a process that has claimed something looks for lost claims", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const queried = vi.spyOn(pool(), "query");
  const looks = () => queried.mock.calls.length;
  const stop = keepGivingBack();
  /** Counts the looks within a minute, in which each of them ends. */
  const looksOfAMinute = async () => {
    const before = looks();
    for (let second = 0; second < 60; second += 1) {
      await vi.advanceTimersByTimeAsync(1_000);
      await Promise.allSettled(queried.mock.results.map(({ value }) => value));
    }
    return looks() - before;
  };
  expect(await looksOfAMinute()).toBe(1);
  const attempts = [{ claim: "c0ffee00-0000-4000-8000-000000000000" }];
  noteClaims(attempts);
  expect(await looksOfAMinute()).toBe(30);
  dropClaims(attempts);
  for (let minute = 0; minute < 5; minute += 1) expect(await looksOfAMinute()).toBe(30);
  await looksOfAMinute();
  expect(await looksOfAMinute()).toBe(0);
  await stop();
});

test("the look after an outage or a stall covers lost claims of any age", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  noteClaims([{ claim: "c0ffee00-0000-4000-8000-000000000001" }]);
  const queried = vi.spyOn(pool(), "query");
  /** The ages that the looks in these seconds cover, in milliseconds. */
  const agesWithin = async (seconds: number) => {
    queried.mock.calls.splice(0);
    for (let second = 0; second < seconds; second += 1) {
      await vi.advanceTimersByTimeAsync(1_000);
      await Promise.allSettled(queried.mock.results.map(({ value }) => value));
    }
    return queried.mock.calls.map(([config]) => (config as unknown as { values: unknown[] }).values[2]);
  };
  const stop = keepGivingBack();
  await agesWithin(4);
  const recent = 30_000;
  expect(new Set(await agesWithin(10))).toEqual(new Set([recent]));
  queried.mockRejectedValue(new Error("The database is away."));
  await agesWithin(16);
  queried.mockReset();
  const [first, ...others] = await agesWithin(6);
  expect(first).toBeGreaterThan(recent);
  expect(new Set(others)).toEqual(new Set([recent]));
  await stop();
});
