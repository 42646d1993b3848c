/** Pages of suppressions, in an installation where another account has added its own since. */
import { beforeAll, describe, expect, test } from "vitest";
import { rowsReadBy } from "@/test/database/plans";
import { makeAccount, personOf, type TestAccount } from "@/test/database/seed";
import { pool } from "../core/db";
import { suppressionPages } from "../exports/suppressions";
import { rebuildListTotals } from "../lists/rebuild";
import { listSuppressions } from "./service";

const OWN = 20_000;
const LATER = 1_500;
const LIMIT = 50;
/** Each page is read as ids first, and then as rows, with one row behind it. */
const PAGE_READ = 2 * (LIMIT + 1);

let own: TestAccount;

/** Adds suppressions with ids of that place among all. Every thousandth is of one sender ID. */
const add = ({ accountId }: TestAccount, place: string, count: number) =>
  pool().query(
    `INSERT INTO suppressions (id, account_id, number, sender_id, reason)
     SELECT 'sup_' || $2::text || lpad(n::text, 25, '0'), $1, '+1415' || lpad(n::text, 7, '0'),
       CASE WHEN n % 1000 = 0 THEN 'RARE' ELSE '' END, 'manual' FROM generate_series(1, $3) n`,
    [accountId, place, count],
  );

beforeAll(async () => {
  own = await makeAccount();
  await pool().query("ALTER TABLE suppressions SET (autovacuum_enabled = false)");
  await add(own, "0", 1);
  await pool().query("VACUUM ANALYZE suppressions");
  await pool().query("DELETE FROM suppressions");
  await add(own, "1", OWN);
  await add(await makeAccount(), "2", LATER);
  await rebuildListTotals();
});

const readOf = (query: Partial<Parameters<typeof listSuppressions>[1]>) =>
  rowsReadBy(() => listSuppressions(own.actor, { page: 1, limit: LIMIT, ...query }), ["suppressions"]);

describe.each(["of a time when it had one row", "of now"])("by statistics %s", (time) => {
  beforeAll(async () => {
    if (time === "of now") await pool().query("VACUUM ANALYZE suppressions");
  });

  test("the few suppressions of a sender ID, and of one that has none, are found without the rest of the list", async () => {
    const query = { sender_id: "RARE", page: 1, limit: LIMIT };
    expect((await listSuppressions(own.actor, query)).items).toHaveLength(OWN / 1_000);
    expect(await readOf({ sender_id: "RARE" })).toBeLessThanOrEqual(PAGE_READ);
    expect(await readOf({ sender_id: "NONE" })).toBe(0);
    expect(await readOf({ number: "+14150000007" })).toBeLessThanOrEqual(2);
  });

  test("an export of one sender ID reads its suppressions alone", async () => {
    const { accountId } = personOf(own);
    const { pages } = suppressionPages(accountId, { list: "suppressions", sender_id: "RARE" });
    expect(await rowsReadBy(() => pages.next(), ["suppressions"])).toBeLessThanOrEqual(2 * (OWN / 1_000));
  });
});

test("a page is read in the account's own index, not through what others have added since", async () => {
  await pool().query("VACUUM ANALYZE suppressions");
  expect(await readOf({})).toBeLessThanOrEqual(PAGE_READ);
  const { next_cursor: cursor } = await listSuppressions(own.actor, { page: 1, limit: LIMIT });
  expect(await readOf({ cursor: cursor ?? "" })).toBeLessThanOrEqual(PAGE_READ);
});
