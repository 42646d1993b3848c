import { expect, it } from "vitest";
import { rowsOf } from "../send/many/_components/batches";
import { numberColumn, readList, readNumber } from "./number-list";

it("reads numbers, one per line or between commas", () => {
  for (const { text, lines } of [
    { text: "+14155550101\n+1 415 555 0102\n", lines: [1, 2] },
    { text: "+14155550101, +1 415 555 0102", lines: [1, 1] },
    { text: "Phone\n+14155550101\n+1 415 555 0102", lines: [2, 3] },
  ]) {
    const list = readList(text);
    expect(list.columns).toEqual([]);
    expect(rowsOf(list, numberColumn(list), readNumber).map(({ line, number }) => [line, number])).toEqual([
      [lines[0], "+14155550101"],
      [lines[1], "+1 415 555 0102"],
    ]);
  }
});

it("reads a table with a heading, finds the numbers, and leaves out empty fields", () => {
  const list = readList('name;phone;city\n"Ann; Lee";+14155550101;\nBob;+14155550102;Rome\n');
  expect(list.columns).toEqual(["name", "phone", "city"]);
  expect(numberColumn(list)).toBe(1);
  expect(rowsOf(list, 1, readNumber)).toEqual([
    { line: 2, number: "+14155550101", to: "+14155550101", values: { name: "Ann; Lee", phone: "+14155550101" } },
    {
      line: 3,
      number: "+14155550102",
      to: "+14155550102",
      values: { name: "Bob", phone: "+14155550102", city: "Rome" },
    },
  ]);
});

it("numbers the columns of a table without a heading", () => {
  const list = readList("+14155550101,Ann\n+14155550102,Bob");
  expect(list.columns).toEqual(["1", "2"]);
  expect(rowsOf(list, numberColumn(list), readNumber)).toHaveLength(2);
});

it("gives the line of the text in which each record begins, whatever is between them", () => {
  const table = readList('\nname,phone\n"Ann\nLee",+14155550101\n\n,\nBob,+14155550102\n');
  expect(table.records.map(([, phone]) => phone)).toEqual(["+14155550101", "+14155550102"]);
  expect(table.lines).toEqual([3, 7]);
  expect(readList("+14155550101, +14155550102\r\n\r\n+14155550103").lines).toEqual([1, 1, 3]);
});

it("reads a single column in quotes", () => {
  const list = readList('"phone"\n"+14155550101"\n"+1 415 555 0102"\n');
  expect(list.records).toEqual([["+14155550101"], ["+1 415 555 0102"]]);
  expect(list.lines).toEqual([2, 3]);
});

it("prefers a column named like numbers to one of dates, which have as many digits", () => {
  const list = readList("since,phone\n2026-11-20,+14155550101\n2026-11-21,unknown\n");
  expect(numberColumn(list)).toBe(1);
});

it("finds a column of numbers without country codes, but accepts none of them", () => {
  const list = readList("name,mobile\nAnn,(415) 555-0101\nBob,(415) 555-0102\n");
  expect(numberColumn(list)).toBe(1);
  expect(rowsOf(list, 1, readNumber).map(({ to }) => to)).toEqual([null, null]);
});
