import { expect, test } from "vitest";
import { pool } from "@/server/core/db";
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
