import { expect, test } from "vitest";
import { openBuckets } from "./caller-limits";

const LIMITS = { burst: 10, perSecond: 2, callersMax: 3 };

test("as many requests as the bucket holds pass at once, then one for every new token", () => {
  const take = openBuckets(LIMITS);
  const passed = Array.from({ length: 15 }, () => take("a", 1, 0)).filter((waitMs) => waitMs === 0);
  expect(passed).toHaveLength(10);
  expect(take("a", 1, 0)).toBe(500);
  expect(take("a", 1, 250)).toBe(250);
  expect(take("a", 1, 500)).toBe(0);
  expect(take("a", 1, 500)).toBe(500);
});

test("a refused visit costs nothing, and a pause never overfills the bucket", () => {
  const take = openBuckets(LIMITS);
  take("a", 10, 0);
  for (let at = 0; at < 100; at += 1) expect(take("a", 1, 0)).toBe(500);
  expect(take("a", 10, 1_000_000)).toBe(0);
  expect(take("a", 1, 1_000_000)).toBeGreaterThan(0);
});

test("a batch costs what its calls cost; one larger than the bucket needs a full one", () => {
  const take = openBuckets(LIMITS);
  expect(take("a", 4, 0)).toBe(0);
  expect(take("a", 7, 0)).toBe(500);
  expect(take("a", 50, 0)).toBe(2_000);
  expect(take("a", 50, 2_000)).toBe(0);
});

test("callers do not pay for each other", () => {
  const take = openBuckets(LIMITS);
  take("a", 10, 0);
  expect(take("a", 1, 0)).toBeGreaterThan(0);
  expect(take("b", 10, 0)).toBe(0);
});

test("beyond the maximum number of callers only the least recent one is forgotten", () => {
  const take = openBuckets(LIMITS);
  for (const caller of ["a", "b", "c"]) take(caller, 10, 0);
  take("a", 1, 0);
  take("d", 10, 0);
  expect(take("a", 1, 0)).toBeGreaterThan(0);
  expect(take("c", 1, 0)).toBeGreaterThan(0);
  expect(take("b", 10, 0)).toBe(0);
});
