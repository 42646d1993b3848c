import pg from "pg";
import { describe, expect, test, vi } from "vitest";
import { pool } from "../db";
import { env } from "../env";
import { PatientPool } from "./patient-pool";

describe("a server that refuses connections for now", () => {
  test.each([
    [
      "because the database is being restored",
      "CREATE DATABASE late_database ALLOW_CONNECTIONS false",
      "ALTER DATABASE late_database ALLOW_CONNECTIONS true",
      { pathname: "/late_database" },
    ],
    [
      "because the database has another name",
      "CREATE DATABASE late_name",
      "ALTER DATABASE late_name RENAME TO late_name_2",
      { pathname: "/late_name_2" },
    ],
    [
      "because the password is being changed",
      "CREATE ROLE late_password LOGIN SUPERUSER PASSWORD 'early'",
      "ALTER ROLE late_password PASSWORD 'late'",
      { username: "late_password", password: "late" },
    ],
  ])("%s, is waited for", async (_, before, after, changed) => {
    await pool().query(before);
    const { href } = Object.assign(new URL(env().DATABASE_URL), changed);
    const refused = new PatientPool("refused", { connectionString: href });
    const tried = vi.spyOn(pg.Pool.prototype, "connect");
    const asked = refused.query<{ n: number }>("SELECT 1 AS n");
    asked.catch(() => undefined);
    try {
      await expect.poll(() => tried.mock.calls.length).toBeGreaterThan(1);
    } finally {
      tried.mockRestore();
      await pool().query(after);
    }
    expect((await asked).rows).toEqual([{ n: 1 }]);
    await refused.end();
  });
});
