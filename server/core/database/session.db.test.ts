import { expect, test } from "vitest";
import { pool, prisma, readPool, transaction } from "../db";
import { env } from "../env";
import { SESSION_SETTINGS, SessionClient } from "./session";

/** The server of these tests has other values for all of them (test/database/postgres-setup.ts). */
const VALUES = `SELECT current_setting('TimeZone') AS zone, current_setting('DateStyle') AS dates,
  current_setting('transaction_isolation') AS isolation, current_setting('synchronous_commit') AS commit,
  coalesce(current_setting('idle_session_timeout', true), '0') AS idle`;
const OWN = { zone: "UTC", dates: "ISO, MDY", isolation: "read committed", commit: "on", idle: "0" };

test("statements and transactions have the service's values, whatever the server's are", async () => {
  expect((await pool().query(VALUES)).rows).toEqual([OWN]);
  expect((await transaction((tx) => tx.query(VALUES))).rows).toEqual([OWN]);
  const { rows } = await pool().query("SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit'");
  expect(rows).toEqual([{ reset_val: "off" }]);
});

test("both drivers read the same time, to the millisecond", async () => {
  const at = new Date("2026-07-01T12:34:56.789Z");
  await pool().query("INSERT INTO workers (id, seen_at) VALUES ('wrk_zone', $1)", [at]);
  const { rows } = await pool().query("SELECT seen_at FROM workers WHERE id = 'wrk_zone'");
  expect(rows).toEqual([{ seen_at: at }]);
  expect(await prisma().worker.findUniqueOrThrow({ where: { id: "wrk_zone" }, select: { seenAt: true } })).toEqual({
    seenAt: at,
  });
});

test("a stronger setting than `on` stays, and the transaction limit is lifted", async () => {
  const { rows } = await pool().query<{ name: string; hasLimit: boolean }>(
    `SELECT current_database() AS name, current_setting('transaction_timeout', true) IS NOT NULL AS "hasLimit"`,
  );
  const [{ name, hasLimit } = { name: "", hasLimit: false }] = rows;
  await pool().query(`ALTER DATABASE ${name} SET synchronous_commit = remote_apply`);
  // From PostgreSQL 17 on.
  if (hasLimit) await pool().query(`ALTER DATABASE ${name} SET transaction_timeout = '1h'`);
  const client = new SessionClient({ connectionString: env().DATABASE_URL });
  await client.connect();
  const valuesOf = async () =>
    (
      await client.query(
        "SELECT current_setting('synchronous_commit') AS commit, coalesce(current_setting('transaction_timeout', true), '0') AS busy",
      )
    ).rows;
  try {
    expect(await valuesOf()).toEqual([{ commit: "remote_apply", busy: hasLimit ? "1h" : "0" }]);
    await client.query(SESSION_SETTINGS);
    expect(await valuesOf()).toEqual([{ commit: "remote_apply", busy: "0" }]);
  } finally {
    await client.end();
  }
});

test("a named statement is planned once per connection, whatever its values; a list is planned for its filters", async () => {
  const client = await pool().connect();
  try {
    const text = "SELECT id FROM accounts WHERE id = ANY($1::text[])";
    // An array of one id looks cheaper than one of unknown length: by default the server would plan each use separately.
    for (let run = 0; run < 7; run += 1) await client.query({ name: "test.one_plan", text, values: [["acc_1"]] });
    const planned = await client.query(
      `SELECT generic_plans::int4 AS generic, custom_plans::int4 AS custom FROM pg_prepared_statements
       WHERE name = 'test.one_plan'`,
    );
    expect(planned.rows).toEqual([{ generic: 7, custom: 0 }]);
  } finally {
    client.release();
  }
  const { rows } = await readPool().query("SELECT current_setting('plan_cache_mode') AS mode");
  expect(rows).toEqual([{ mode: "auto" }]);
});
