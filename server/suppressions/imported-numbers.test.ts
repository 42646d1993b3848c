import { expect, test } from "vitest";
import { REFUSALS_MAX } from "./import-limits";
import { sortEntries } from "./imported-numbers";

test("numbers in any common form count once, and everything else is refused by its line", async () => {
  expect(
    await sortEntries([
      "+1 (415) 555-0101",
      "0049 151 12345678",
      "tel:+14155550101",
      "",
      "STOP",
      "4915112345678",
      "0123",
      // Not +4155550102, a number of Switzerland.
      "(415) 555-0102",
    ]),
  ).toEqual({
    numbers: ["+14155550101", "+4915112345678"],
    duplicates: 2,
    refused: 4,
    refusals: [
      { line: 4, number: "", reason: "invalid_recipient" },
      { line: 5, number: "STOP", reason: "invalid_recipient" },
      { line: 7, number: "0123", reason: "invalid_recipient" },
      { line: 8, number: "(415) 555-0102", reason: "invalid_recipient" },
    ],
  });
});

test("all refused entries are counted, the first hundred named, and a long one is cut", async () => {
  const { refused, refusals } = await sortEntries([
    "9".repeat(100_000),
    ...Array.from({ length: 150 }, () => "nobody"),
  ]);
  expect(refused).toBe(151);
  expect(refusals).toHaveLength(REFUSALS_MAX);
  expect(refusals[0]).toEqual({ line: 1, number: "9".repeat(64), reason: "invalid_recipient" });
});

test("an entry is not cut within a character", async () => {
  const { refusals } = await sortEntries([`${"x".repeat(63)}😀`]);
  expect(refusals[0]?.number).toBe(`${"x".repeat(63)}😀`);
});

test("others have their turn while a long list is sorted", async () => {
  let turns = 0;
  const turn = () => {
    turns += 1;
    again = setImmediate(turn);
  };
  let again = setImmediate(turn);
  const { numbers } = await sortEntries(Array.from({ length: 10_000 }, (_, at) => `49151${10_000_000 + at}`));
  clearImmediate(again);
  expect(numbers).toHaveLength(10_000);
  expect(turns).toBeGreaterThan(10);
});
