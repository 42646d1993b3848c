import { expect, test } from "vitest";
import { nextUtcDay, nextUtcMonth, wholeSeconds } from "./clock";

test.each([
  ["2026-01-31T23:59:59.999Z", "2026-02-01", "2026-02-01"],
  ["2026-02-01T00:00:00.000Z", "2026-02-02", "2026-03-01"],
  ["2028-02-28T12:00:00.000Z", "2028-02-29", "2028-03-01"],
  ["2026-12-31T12:00:00.000Z", "2027-01-01", "2027-01-01"],
])("%s is followed by the UTC day %s and the UTC month of %s", (at, day, month) => {
  expect(nextUtcDay(new Date(at))).toEqual(new Date(day));
  expect(nextUtcMonth(new Date(at))).toEqual(new Date(month));
});

test("a wait is rounded up to whole seconds, and is at least one", () => {
  expect([-5, 0, 1, 1_000, 1_001, 59_999].map(wholeSeconds)).toEqual([1, 1, 1, 1, 2, 60]);
});
