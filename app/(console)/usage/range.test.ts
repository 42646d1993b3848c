import { expect, test } from "vitest";
import { DAYS_MAX, daysSince, sumOf, within } from "./range";

const day = (name: string, cost: number) => ({
  day: name,
  messages: 5,
  segments: 7,
  cost,
  pending: 1,
  sent: 1,
  delivered: 1,
  failed: 1,
  undelivered: 1,
});
const series = [day("2026-11-01", 0.1), day("2026-11-02", 0.2), day("2026-11-03", 0.3)];

test("a range holds its first and its last day, and may be open", () => {
  const names = (first: string | null, last: string | null) => within(series, first, last).map(({ day: name }) => name);
  expect(names("2026-11-02", "2026-11-03")).toEqual(["2026-11-02", "2026-11-03"]);
  expect(names(null, "2026-11-01")).toEqual(["2026-11-01"]);
  expect(names("2026-11-03", null)).toEqual(["2026-11-03"]);
  expect(names("2026-11-03", "2026-11-02")).toEqual([]);
});

test("days add up, their money to the micro-unit", () => {
  expect(sumOf(series)).toEqual({
    totals: { messages: 15, cost: 0.6 },
    by_status: { pending: 3, sent: 3, delivered: 3, failed: 3, undelivered: 3 },
  });
  expect(sumOf([]).totals).toEqual({ messages: 0, cost: 0 });
});

test("a series reaches back to the first day, within what the service returns", () => {
  const today = new Date().toISOString().slice(0, 10);
  expect(daysSince(today)).toBe(1);
  expect(daysSince("2001-01-01")).toBe(DAYS_MAX);
  expect(daysSince("2999-01-01")).toBe(1);
});
