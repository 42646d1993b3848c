import { describe, expect, test } from "vitest";
import { pool, readPool, readPrisma, transaction } from "./db";
import { toApiError } from "./errors";

const settled = (work: Promise<unknown>) => work.then(() => null, toApiError);

describe("the pool for lists", () => {
  const sleeping = async () => {
    const { rows } = await pool().query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'
         AND query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()`,
    );
    return rows.map(({ pid }) => pid);
  };
  const cancelAll = async () => {
    for (const pid of await sleeping()) await pool().query("SELECT pg_cancel_backend($1)", [pid]);
  };

  test("when long reads use all of it, transactions still find a connection", async () => {
    const reads = Array.from({ length: 20 }, () => settled(readPool().query("SELECT pg_sleep(600)")));
    await expect.poll(async () => (await sleeping()).length).toBeGreaterThan(1);
    expect(await transaction(async (tx) => (await tx.query("SELECT 1")).rowCount)).toBe(1);
    let isOver = false;
    void Promise.all(reads).then(() => {
      isOver = true;
    });
    await expect
      .poll(async () => {
        await cancelAll();
        return isOver;
      })
      .toBe(true);
  });

  test.each([
    ["SQL", () => readPool().query("SELECT pg_sleep(600)")],
    ["Prisma", () => readPrisma().$queryRawUnsafe("SELECT pg_sleep(600)::text")],
  ])("a read that takes too long is refused with 503 (%s)", async (_, read) => {
    const refused = settled(read());
    await expect.poll(async () => (await sleeping()).length).toBe(1);
    await cancelAll();
    expect(await refused).toMatchObject({ status: 503, wire: { details: { reason: "overloaded" } } });
  });
});
