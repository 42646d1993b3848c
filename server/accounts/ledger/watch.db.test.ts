import { afterEach, expect, test, vi } from "vitest";
import { FAULT, failStatements } from "@/test/database/intercepted-statements";
import { statementsOf } from "@/test/database/plans";
import { makeAccount } from "@/test/database/seed";
import { pool } from "../../core/db";
import { metrics } from "../../core/metrics";
import { watchLedger } from "../tasks";
import { chaptersToVerify, noteVerified, openRange } from "./chapters";
import { findDrift } from "./check";

afterEach(() => vi.restoreAllMocks());

/** An account whose entries are in a closed chapter. */
async function makeClosed(): Promise<string> {
  const { accountId } = await makeAccount({ balanceMicros: 1_000_000n });
  await pool().query("UPDATE ledger_entries SET created_at = created_at - interval '5 days'");
  await watchLedger();
  return accountId;
}

/** Changes a balance, without an entry or with that of the closed chapter. */
const changeBalance = (accountId: string, by: number, withEntry = false) =>
  pool().query(
    `WITH entry AS (UPDATE ledger_entries SET amount_micros = amount_micros + $2 WHERE account_id = $1 AND $3)
     UPDATE accounts SET balance_micros = balance_micros + $2 WHERE id = $1`,
    [accountId, by, withEntry],
  );

const gauges = async () => {
  const [drifted, checkedAt] = [await metrics().ledgerDrifted.get(), await metrics().ledgerCheckedAt.get()];
  return { drifted: drifted.values[0]?.value, isChecked: (checkedAt.values[0]?.value ?? 0) > 0 };
};

const forgetGauges = () => {
  metrics().ledgerDrifted.set(0);
  metrics().ledgerCheckedAt.set(0);
};

test("the whole comparison, and one that began before the last chapter was closed, count no chapter twice", async () => {
  await makeClosed();
  const range = await openRange(0);
  await makeClosed();
  const { rows } = await pool().query("SELECT FROM ledger_chapters");
  expect(rows.length).toBeGreaterThanOrEqual(2);
  expect((await findDrift(range)).drifted).toEqual([]);
  expect((await findDrift()).drifted).toEqual([]);
});

test.each([
  ["closing a chapter", "INTO ledger_chapters"],
  ["choosing the chapters to be read", "ORDER BY turn"],
  ["reading a chapter", '"keptMicros"'],
  ["noting that a chapter was read", "UPDATE ledger_chapters"],
])("drift is reported although %s fails, and the check fails in the end", async (_, part) => {
  const accountId = await makeClosed();
  await changeBalance(accountId, 7);
  forgetGauges();
  failStatements(part);
  await expect(watchLedger()).rejects.toThrow(FAULT);
  expect(await gauges()).toEqual({ drifted: 1, isChecked: true });
  await changeBalance(accountId, -7);
});

test("drift in a closed chapter is reported although open entries cannot be read, and until the chapter is read again", async () => {
  const accountId = await makeClosed();
  await pool().query(
    "UPDATE ledger_chapters SET verified_at = NULL WHERE through_id = (SELECT max(through_id) FROM ledger_chapters)",
  );
  await changeBalance(accountId, -1, true);
  forgetGauges();
  failStatements('"ledgerForgottenMicros"');
  await expect(watchLedger()).rejects.toThrow(FAULT);
  expect(await gauges()).toEqual({ drifted: 1, isChecked: true });

  // The next check is done by another process, which cannot read the chapter.
  vi.restoreAllMocks();
  await changeBalance(accountId, 1, true);
  forgetGauges();
  failStatements('"keptMicros"');
  await expect(watchLedger()).rejects.toThrow(FAULT);
  expect(await gauges()).toEqual({ drifted: 1, isChecked: true });

  vi.restoreAllMocks();
  await watchLedger();
  expect(await gauges()).toEqual({ drifted: 0, isChecked: true });
});

test("a check that compared nothing and found nothing does not count as one", async () => {
  forgetGauges();
  failStatements('"ledgerForgottenMicros"');
  await expect(watchLedger()).rejects.toThrow(FAULT);
  expect(await gauges()).toEqual({ drifted: 0, isChecked: false });
});

test("chapters with faults that nobody mends keep no other one from being read again", async () => {
  await pool().query(
    `INSERT INTO ledger_chapters (after_id, through_id, began_at, ended_at, has_faults)
     SELECT -n - 1, -n, now() - interval '9 days', now() - interval '8 days', n <= 5 FROM generate_series(1, 7) AS n`,
  );
  const read = new Set<bigint>();
  for (let run = 0; run < 20; run += 1) {
    const { chapters, faultyBeside } = await chaptersToVerify(3);
    expect(chapters.filter(({ hasFaults }) => hasFaults).length + faultyBeside).toBe(5);
    for (const chapter of chapters) {
      read.add(chapter.throughId);
      await noteVerified(chapter, chapter.hasFaults);
    }
  }
  expect([-1n, -2n, -3n, -4n, -5n, -6n, -7n].filter((id) => !read.has(id))).toEqual([]);
  await pool().query("DELETE FROM ledger_chapters WHERE through_id < 0");
});

test("chapters are read to their end, however long that takes", async () => {
  await makeClosed();
  // Stands for the time-out of other statements, which cuts off what reads for longer.
  await pool().query(`
    CREATE FUNCTION has_time() RETURNS boolean LANGUAGE plpgsql STABLE AS $$ BEGIN
      IF current_setting('statement_timeout') <> '0' THEN RAISE 'cut off' USING ERRCODE = '57014'; END IF;
      RETURN true;
    END $$`);
  const { rows } = await pool().query<{ text: string }>("SELECT pg_get_viewdef('ledger_lines') AS text");
  const define = (text: string) => pool().query(`CREATE OR REPLACE VIEW ledger_lines AS ${text}`);
  const former = (rows[0]?.text ?? "").replace(/;$/, "");
  await define(`SELECT * FROM (${former}) lines WHERE has_time()`);
  try {
    const statements = await statementsOf(watchLedger);
    const readers = statements.filter(({ text }) => text.includes("ledger_lines"));
    expect(readers.length).toBeGreaterThanOrEqual(2);
    for (const reader of readers) expect(reader).toMatchObject({ query_timeout: 3_600_000 });
  } finally {
    await define(former);
  }
});
