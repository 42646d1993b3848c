import pg from "pg";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { pool, prisma, transaction } from "./db";

beforeAll(async () => {
  await pool().query("CREATE TABLE notes (id text PRIMARY KEY)");
});

describe("a read-only server, such as a standby before its promotion", () => {
  const database = () => new URL(process.env.DATABASE_URL ?? "").pathname.slice(1);
  /** Holds for connections made from now on; all others are ended. */
  const setReadOnly = async (isReadOnly: boolean) => {
    const other = new pg.Client({ connectionString: process.env.DATABASE_URL });
    await other.connect();
    await other.query("SET default_transaction_read_only = off");
    await other.query(`ALTER DATABASE ${database()} SET default_transaction_read_only = ${isReadOnly}`);
    const others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
    if (isReadOnly) {
      await other.query(`SELECT pg_terminate_backend(pid) ${others}`);
      await expect.poll(async () => (await other.query(`SELECT 1 ${others}`)).rowCount).toBe(0);
      // A write on a connection that is lost without notice may have been done, and is not repeated.
      await expect.poll(() => pool().totalCount).toBe(0);
    }
    await other.end();
  };

  beforeEach(() => setReadOnly(true));
  afterEach(() => setReadOnly(false));

  test.each([
    [
      "a transaction",
      "tx",
      () =>
        transaction(async (tx, defer) => {
          defer(tx.query("INSERT INTO notes VALUES ('standby-tx')"));
        }),
    ],
    ["a single write", "one", () => pool().query("INSERT INTO notes VALUES ('standby-one')")],
    ["a write by Prisma", "prisma", () => prisma().$executeRawUnsafe("INSERT INTO notes VALUES ('standby-prisma')")],
  ])("%s waits until the server can write, and is carried out once", async (_, id, write) => {
    const refused = vi.spyOn(Math, "random");
    // Prisma begins when its promise is first awaited.
    const written = write().then(() => undefined);
    // Each pause before another try takes a random number.
    await expect.poll(() => refused.mock.calls.length).toBeGreaterThan(2);
    refused.mockRestore();
    await setReadOnly(false);
    await written;
    const { rows } = await pool().query("SELECT id FROM notes WHERE id LIKE $1", [`standby-${id}%`]);
    expect(rows).toEqual([{ id: `standby-${id}` }]);
  });
});
