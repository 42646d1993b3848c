import { expect, test } from "vitest";
import { unnest } from "./unnest";

type Move = { id: string; amount: bigint };

const MOVES = { account_id: ["text", ({ id }) => id], amount: ["int8", ({ amount }) => amount] } satisfies Parameters<
  typeof unnest<Move>
>[0];

test("names, types and values are in the same order", () => {
  const moves = unnest(MOVES);
  expect(moves.sql).toMatch(/^unnest\(\$1::text\[\], CASE .*\$2::int8\[\] END\)$/);
  expect(moves.as("m")).toBe(`${moves.sql} AS m (account_id, amount)`);
  expect(
    moves.values([
      { id: "a", amount: 1n },
      { id: "b", amount: -2n },
    ]),
  ).toEqual(['{"a","b"}', "{1,-2}"]);
});

test("a column with the same value in all rows is passed as one value, except the first column", () => {
  const rows: Move[] = [
    { id: "a", amount: 1n },
    { id: "a", amount: 1n },
  ];
  expect(unnest(MOVES).values(rows)).toEqual(['{"a","a"}', "{1}"]);
});

test("parameters begin at the given number", () => {
  expect(unnest(MOVES, 3).as("m")).toMatch(
    /^unnest\(\$3::text\[\], CASE cardinality\(\$4::int8\[\]\) .*cardinality\(\$3\)/,
  );
});

test("no rows give empty columns", () => {
  expect(unnest(MOVES).values([])).toEqual(["{}", "{}"]);
});
