/** Lists of the operator's console, in an installation with many accounts and long lists. */
import { beforeAll, describe, expect, test } from "vitest";
import { rowsReadBy } from "@/test/database/plans";
import { makeAccount, newOperator } from "@/test/database/seed";
import { pool } from "../core/db";
import { listLedger } from "./account";
import { listAccounts, listReviews } from "./service";
import { listSuppressions } from "./suppressions";

const operator = newOperator();
const MANY = 12_000;
const COUNTED_MAX = 10_000;
const TABLES = ["suppressions", "accounts", "senders"];
const PAGE = { page: 1, limit: 50 };

beforeAll(async () => {
  const { accountId } = await makeAccount();
  for (const table of TABLES) {
    await pool().query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
    await pool().query(`VACUUM ANALYZE ${table}`);
  }
  await pool().query(
    `INSERT INTO suppressions (id, account_id, number, reason)
     SELECT 'sup_' || lpad(n::text, 26, '0'), $1, '+1415' || lpad(n::text, 7, '0'), 'manual' FROM generate_series(1, $2) n`,
    [accountId, MANY],
  );
  await pool().query(
    `INSERT INTO accounts (id, email, name) SELECT 'acc_' || lpad(n::text, 12, '0'), n || '@many.example', 'Many' FROM generate_series(1, $1) n`,
    [MANY],
  );
  await pool().query(
    `INSERT INTO senders (id, account_id, sender_id, type) SELECT 'snd_' || n, 'acc_' || lpad(n::text, 12, '0'), 'MANY', 'alphanumeric'
     FROM generate_series(1, $1) n`,
    [MANY],
  );
});

const suppressionsRead = (number: string, page = 1) =>
  rowsReadBy(() => listSuppressions(operator, { ...PAGE, page, number }), ["suppressions"]);

describe.each(["of nearly empty tables", "of now"])("by statistics %s", (time) => {
  beforeAll(async () => {
    if (time === "of now") await pool().query(`VACUUM ANALYZE ${TABLES.join(", ")}`);
  });

  test("suppressions of a number are found in the index by number", async () => {
    expect(await suppressionsRead("+14150000777")).toBeLessThanOrEqual(2);
    expect(await suppressionsRead("+1999")).toBe(0);
  });

  test("a search that many numbers match counts up to a bound, and reads its first page alone", async () => {
    const { items, pagination } = await listSuppressions(operator, { ...PAGE, number: "+1415" });
    expect(pagination.total).toBe(COUNTED_MAX);
    expect(items.slice(0, 2).map(({ number }) => number)).toEqual(["+14150000001", "+14150000002"]);
    expect(await suppressionsRead("+1415")).toBeLessThanOrEqual(COUNTED_MAX + 2 * PAGE.limit);
  });

  test("senders that wait for review are counted without the rows of all accounts", async () => {
    const read = await rowsReadBy(() => listReviews(operator, { ...PAGE, status: "pending" }), ["accounts"]);
    expect(read).toBeLessThanOrEqual(PAGE.limit);
  });

  test("accounts and senders are counted up to a bound, with a search too, and the last counted page is read", async () => {
    for (const search of [undefined, "many"]) {
      for (const list of [listAccounts, listReviews]) {
        expect((await list(operator, { ...PAGE, search })).pagination.total).toBe(COUNTED_MAX);
        const last = await list(operator, { ...PAGE, search, page: COUNTED_MAX / PAGE.limit });
        expect(last.items).toHaveLength(PAGE.limit);
      }
    }
    const page = COUNTED_MAX + 2 * PAGE.limit;
    expect(await rowsReadBy(() => listAccounts(operator, PAGE), ["accounts"])).toBeLessThanOrEqual(page);
    expect(await rowsReadBy(() => listReviews(operator, PAGE), ["senders"])).toBeLessThanOrEqual(page);
  });

  test("a page of a ledger behind a cursor reads none of the entries before it", async () => {
    const { accountId } = await makeAccount();
    await pool().query(
      `INSERT INTO ledger_entries (account_id, kind, amount_micros, held_micros) SELECT $1, 'credit', 1, 0 FROM generate_series(1, $2)`,
      [accountId, MANY],
    );
    const { rows } = await pool().query<{ id: bigint }>(
      "SELECT id FROM ledger_entries WHERE account_id = $1 ORDER BY id OFFSET $2 LIMIT 1",
      [accountId, 2 * PAGE.limit],
    );
    const query = { account_id: accountId, limit: PAGE.limit, cursor: String(rows[0]?.id) };
    expect((await listLedger(operator, query)).items).toHaveLength(PAGE.limit);
    expect(await rowsReadBy(() => listLedger(operator, query), ["ledger_entries"])).toBeLessThanOrEqual(PAGE.limit + 1);
  });
});
