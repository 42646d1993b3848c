import { expect, test } from "vitest";
import { rowsReadBy } from "@/test/database/plans";
import { pool } from "../core/db";
import { newId } from "../core/ids";
import { foldTotals, INSERT_CHANGES, readTotal } from "./store";

const change = (ownerId: string, kind: string, by: number) =>
  pool().query(`${INSERT_CHANGES} VALUES ('suppressions', $1, $2, $3)`, [ownerId, kind, by]);

const rowsOf = async (ownerId: string) => {
  const { rows } = await pool().query<{ kind: string; change: number }>(
    "SELECT kind, change FROM list_totals WHERE owner_id = $1 ORDER BY kind, id",
    [ownerId],
  );
  return rows.map(({ kind, change: by }) => [kind, by]);
};

test("a total is the sum of the changes of one kind or all, without other lists and owners", async () => {
  const [owner, other] = [newId("account"), newId("account")];
  await Promise.all([change(owner, "A", 3), change(owner, "A", -1), change(owner, "", 5), change(other, "A", 7)]);
  expect(await readTotal("suppressions", { ownerId: owner })).toBe(7);
  expect(await readTotal("suppressions", { ownerId: owner, kind: "A" })).toBe(2);
  expect(await readTotal("suppressions", { ownerId: owner, kind: "" })).toBe(5);
  expect(await readTotal("suppressions", { kind: "A" })).toBe(9);
  expect(await readTotal("deliveries", { ownerId: owner })).toBe(0);
});

test("folding leaves one row per kind, none for an empty kind, and every total unchanged", async () => {
  const owner = newId("account");
  for (const by of [1, 1, 1, -1]) await change(owner, "A", by);
  for (const by of [2, -2]) await change(owner, "B", by);
  await change(owner, "C", 4);
  await foldTotals();
  expect(await rowsOf(owner)).toEqual([
    ["A", 2],
    ["C", 4],
  ]);
  expect(await readTotal("suppressions", { ownerId: owner })).toBe(6);
});

test("a total read during concurrent folds and changes is never wrong", async () => {
  const owner = newId("account");
  await Promise.all(Array.from({ length: 50 }, () => change(owner, "A", 1)));
  let isOver = false;
  const reading = (async () => {
    const seen = new Set<number>();
    while (!isOver) seen.add(await readTotal("suppressions", { ownerId: owner, kind: "A" }));
    return seen;
  })();
  for (let round = 0; round < 10; round += 1) {
    const changes = Array.from({ length: 5 }, () => change(owner, "B", 1));
    await Promise.all([foldTotals(), foldTotals(), foldTotals(), ...changes]);
  }
  isOver = true;
  expect([...(await reading)]).toEqual([50]);
  await foldTotals();
  expect(await rowsOf(owner)).toEqual([
    ["A", 50],
    ["B", 50],
  ]);
});

test("more changes than fit into one batch are all folded", async () => {
  const owner = newId("account");
  await pool().query(`${INSERT_CHANGES} SELECT 'suppressions', $1, 'A', 1 FROM generate_series(1, 25000)`, [owner]);
  await foldTotals();
  expect((await rowsOf(owner)).length).toBeLessThanOrEqual(2);
  expect(await readTotal("suppressions", { ownerId: owner })).toBe(25_000);
});

test("a total is read without the lengths of other lists", async () => {
  await pool().query(
    `INSERT INTO list_totals (list, owner_id, kind, change)
     SELECT 'deliveries', 'whe_' || n, 'delivered', 1 FROM generate_series(1, 10000) n`,
  );
  await pool().query("VACUUM ANALYZE list_totals");
  const readOf = (of: Parameters<typeof readTotal>[1]) =>
    rowsReadBy(() => readTotal("deliveries", of), ["list_totals"]);
  expect(await readTotal("deliveries", { ownerId: "whe_7" })).toBe(1);
  expect(await readOf({ ownerId: "whe_7" })).toBe(1);
  expect(await readOf({ ownerId: "whe_7", kind: "delivered" })).toBe(1);
  await pool().query("DELETE FROM list_totals WHERE owner_id LIKE 'whe_%'");
});
