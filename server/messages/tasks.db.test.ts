import { expect, test } from "vitest";
import { pool } from "@/server/core/db";
import { explain, rowsRead, statementsOf } from "@/test/database/plans";
import { forgetCallbacks } from "./tasks";

/** More than one step deletes. */
const MANY = 25_000;

const countOf = async (table: string): Promise<number> => {
  const { rows } = await pool().query<{ count: string }>(`SELECT count(*) FROM ${table}`);
  return Number(rows[0]?.count);
};

test("old nonces go in steps; young ones stay, and those of plivo for a month", async () => {
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

test("a table that cannot be cleared does not keep the others from it, and is reported", async () => {
  await pool().query(
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not today'; END $$;
     CREATE TRIGGER refuse BEFORE DELETE ON receipt_nonces FOR EACH STATEMENT EXECUTE FUNCTION refuse();
     INSERT INTO api_key_minutes VALUES ('key_old', now() - interval '2 days', 1)`,
  );
  await expect(forgetCallbacks()).rejects.toThrow("not today");
  expect(await countOf("api_key_minutes")).toBe(0);
  await pool().query("DROP TRIGGER refuse ON receipt_nonces");
});
