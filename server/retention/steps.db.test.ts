import { beforeAll, expect, test } from "vitest";
import { pool } from "../core/db";
import { deleteInSteps, inSteps } from "./steps";

beforeAll(async () => {
  await pool().query("CREATE TABLE leaves (n int PRIMARY KEY, is_old bool NOT NULL)");
});

const fill = (count: number) =>
  pool().query("INSERT INTO leaves SELECT n, n % 10 > 0 FROM generate_series(1, $1) n", [count]);

const countLeaves = async (): Promise<number> => {
  const { rows } = await pool().query<{ count: string }>("SELECT count(*) FROM leaves");
  return Number(rows[0]?.count);
};

test("rows go in steps, and those that somebody has locked are left", async () => {
  await fill(1_000);
  const other = await pool().connect();
  try {
    await other.query("BEGIN; SELECT * FROM leaves WHERE n = 1 FOR UPDATE");
    expect(await deleteInSteps("leaves", "is_old", { size: 100 })).toBe(899);
  } finally {
    await other.query("ROLLBACK");
    other.release();
  }
  expect(await deleteInSteps("leaves", "is_old", { size: 100 })).toBe(1);
  expect(await countLeaves()).toBe(100);
  await pool().query("TRUNCATE leaves");
});

test("a step that is cut off is repeated with fewer rows, so that a backlog never stops it", async () => {
  await fill(300);
  const limits: number[] = [];
  const { forgotten, isDone } = await inSteps("leaves", { size: 200, timeoutMs: 500 }, async (tx, limit) => {
    limits.push(limit);
    // Too many rows for the time-out.
    if (limit > 50) await tx.query("SELECT pg_sleep(30)");
    const { rowCount } = await tx.query("DELETE FROM leaves WHERE n IN (SELECT n FROM leaves LIMIT $1)", [limit]);
    return { looked: rowCount ?? 0, forgotten: rowCount ?? 0 };
  });
  expect({ forgotten, isDone }).toEqual({ forgotten: 300, isDone: true });
  expect(limits.slice(0, 2)).toEqual([200, 50]);
  expect(await countLeaves()).toBe(0);
});

test("a step of one row that is cut off is a failure, and a stop ends between steps", async () => {
  await expect(
    inSteps("leaves", { size: 4, timeoutMs: 100 }, async (tx) => {
      await tx.query("SELECT pg_sleep(30)");
      return { looked: 0, forgotten: 0 };
    }),
  ).rejects.toMatchObject({ code: "57014" });
  await fill(10);
  const stop = new AbortController();
  const { forgotten, isDone } = await inSteps("leaves", { size: 4, signal: stop.signal }, async (tx, limit) => {
    stop.abort();
    const { rowCount } = await tx.query("DELETE FROM leaves WHERE n IN (SELECT n FROM leaves LIMIT $1)", [limit]);
    return { looked: rowCount ?? 0, forgotten: rowCount ?? 0 };
  });
  expect({ forgotten, isDone }).toEqual({ forgotten: 4, isDone: false });
});
