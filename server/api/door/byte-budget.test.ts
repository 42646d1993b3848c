import { expect, test } from "vitest";
import { openBudget } from "./byte-budget";

test("no more bytes are held than the budget has, and returned bytes can be taken again", () => {
  const budget = openBudget({ totalBytes: 100, perOwnerBytes: 100 });
  const one = budget.open("a");
  const two = budget.open("b");
  expect(one.grow(60)).toBe(true);
  expect(two.grow(41)).toBe(false);
  expect(two.grow(40)).toBe(true);
  one.release();
  one.release();
  expect(two.grow(60)).toBe(true);
  expect(two.grow(1)).toBe(false);
});

test("no owner gets more than its share, however many requests it makes", () => {
  const budget = openBudget({ totalBytes: 100, perOwnerBytes: 30 });
  const leases = [budget.open("a"), budget.open("a")];
  expect(leases.map((lease) => lease.grow(20))).toEqual([true, false]);
  expect(budget.open("b").grow(30)).toBe(true);
  leases[0]?.release();
  expect(leases[1]?.grow(30)).toBe(true);
});

test("a released lease takes nothing any more", () => {
  const budget = openBudget({ totalBytes: 100, perOwnerBytes: 100 });
  const gone = budget.open("a");
  gone.release();
  expect(gone.grow(1)).toBe(false);
  expect(budget.open("a").grow(100)).toBe(true);
});
