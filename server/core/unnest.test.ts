import { expect, test } from "vitest";
import { unnest } from "./unnest";

const MOVES = { account_id: ["text", ({ id }) => id], amount: ["int8", ({ amount }) => amount] } satisfies Parameters<
  typeof unnest<{ id: string; amount: bigint }>
>[0];

test("names, types and values keep one order", () => {
  const moves = unnest(MOVES);
  expect(moves.sql).toBe("unnest($1::text[], $2::int8[])");
  expect(moves.as("m")).toBe("unnest($1::text[], $2::int8[]) AS m (account_id, amount)");
  expect(
    moves.values([
      { id: "a", amount: 1n },
      { id: "b", amount: -2n },
    ]),
  ).toEqual([
    ["a", "b"],
    ["1", "-2"],
  ]);
});

test("parameters begin where the statement's others end", () => {
  expect(unnest(MOVES, 3).as("m")).toBe("unnest($3::text[], $4::int8[]) AS m (account_id, amount)");
});

test("no rows are empty columns", () => {
  expect(unnest(MOVES).values([])).toEqual([[], []]);
});
