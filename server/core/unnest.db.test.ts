import { expect, test } from "vitest";
import { pool } from "./db";
import { unnest } from "./unnest";

type Row = { id: string; count: number | null; at: string | null };

const ROWS = unnest<Row>(
  { id: ["text", ({ id }) => id], count: ["int4", ({ count }) => count], at: ["timestamptz", ({ at }) => at] },
  2,
);

const AT = "2026-01-02T03:04:05.678Z";
const BEFORE = "2026-01-01T00:00:00.000Z";

test.each<[string, Row[]]>([
  ["no row", []],
  ["one row", [{ id: "a", count: 1, at: AT }]],
  [
    "rows that differ",
    [
      { id: "a", count: 1, at: AT },
      { id: "b", count: null, at: BEFORE },
    ],
  ],
  [
    "rows that are alike",
    [
      { id: "a", count: 7, at: AT },
      { id: "a", count: 7, at: AT },
      { id: "a", count: 7, at: AT },
    ],
  ],
  [
    "rows that are all null",
    [
      { id: "b", count: null, at: null },
      { id: "a", count: null, at: null },
    ],
  ],
  [
    "texts with special characters of arrays",
    ['"', "\\", '\\"', "{a,b}", "NULL", "null", "", " a ", "a\nb", "ü€😀"].map((id, at) => ({ id, count: at, at: AT })),
  ],
])("the statement sees %s as they were passed", async (_, rows) => {
  const result = await pool().query(`SELECT r.*, $1::text AS marked FROM ${ROWS.as("r")}`, ["x", ...ROWS.values(rows)]);
  const seen = result.rows.map(({ at, ...row }) => ({ ...row, at: at && (at as Date).toISOString() }));
  expect(seen).toEqual(rows.map((row) => ({ ...row, marked: "x" })));
});
