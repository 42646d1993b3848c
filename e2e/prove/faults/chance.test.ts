import { expect, test } from "vitest";
import { between, chanceOf, oneOf, weighed } from "./chance";

const drawn = (seed: string, count: number) => {
  const chance = chanceOf(seed);
  return Array.from({ length: count }, chance);
};

test("the same seed gives the same numbers, another seed gives others", () => {
  expect(drawn("7 load", 5)).toEqual(drawn("7 load", 5));
  expect(drawn("7 load", 5)).not.toEqual(drawn("8 load", 5));
});

test("numbers are spread evenly between 0 and 1", () => {
  const numbers = drawn("even", 10_000);
  expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...numbers)).toBeLessThan(1);
  expect(numbers.reduce((sum, number) => sum + number, 0) / numbers.length).toBeCloseTo(0.5, 1);
});

test("whole numbers include both ends", () => {
  const chance = chanceOf("ends");
  const seen = new Set(Array.from({ length: 200 }, () => between(chance, 3, 5)));
  expect([...seen].toSorted()).toEqual([3, 4, 5]);
});

test("a value of weight 0 is never chosen, and choosing from nothing fails", () => {
  const chance = chanceOf("weights");
  const chosen = Array.from({ length: 500 }, () =>
    weighed(chance, [
      [3, "often"],
      [0, "never"],
      [1, "seldom"],
    ]),
  );
  expect(chosen).not.toContain("never");
  expect(chosen.filter((value) => value === "often").length).toBeGreaterThan(
    chosen.filter((value) => value === "seldom").length,
  );
  expect(() => oneOf(chance, [])).toThrow("nothing to choose");
});
