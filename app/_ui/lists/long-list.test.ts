import { expect, test } from "vitest";
import { PER_PAGE, pageOf, searched } from "./long-list";

const rows = Array.from({ length: 2 * PER_PAGE + 1 }, (_, at) => `Key ${at} of the Shop`);

test("a search finds rows with every word, in either case; an empty search finds all rows", () => {
  const found = (search: string) => searched(rows, (row) => row, search);
  expect(found("shop 17")).toEqual([rows[17]]);
  expect(found("KEY 50")).toEqual([rows[50]]);
  expect(found(" ")).toEqual(rows);
  expect(found("shop bakery")).toEqual([]);
});

test("each row is on one page, and a page past the end is the last one", () => {
  expect([1, 2, 3].flatMap((page) => pageOf(rows, page).shown)).toEqual(rows);
  expect(pageOf(rows, 9)).toEqual(pageOf(rows, 3));
  expect(pageOf(rows, 3).pagination).toEqual({ page: 3, limit: PER_PAGE, total: rows.length, pages: 3 });
  expect(pageOf([], 1)).toEqual({ shown: [], pagination: { page: 1, limit: PER_PAGE, total: 0, pages: 1 } });
});
