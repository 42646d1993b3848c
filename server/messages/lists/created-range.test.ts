import { expect, test } from "vitest";
import { timeOfId } from "../../core/ids";
import { cutAtDays, idsWithin } from "./created-range";

const at = (text: string) => Date.parse(`${text}Z`);

test("a range is split into its whole days and the rest at either end", () => {
  const [from, to] = [at("2026-01-30T22:00"), at("2026-02-02T03:00")];
  expect(cutAtDays({ from, to })).toEqual({
    days: { from: at("2026-01-31T00:00"), to: at("2026-02-02T00:00") },
    edges: [
      { from, to: at("2026-01-31T00:00") },
      { from: at("2026-02-02T00:00"), to },
    ],
  });
});

test("a range that begins and ends at midnight has no edges, and one without bounds is all days", () => {
  const days = { from: at("2026-01-31T00:00"), to: at("2026-02-01T00:00") };
  expect(cutAtDays(days)).toEqual({ days, edges: [] });
  expect(cutAtDays({ from: null, to: null })).toEqual({ days: { from: null, to: null }, edges: [] });
});

test("a range with one bound has one edge", () => {
  const moment = at("2026-01-31T12:00");
  expect(cutAtDays({ from: moment, to: null })).toEqual({
    days: { from: at("2026-02-01T00:00"), to: null },
    edges: [{ from: moment, to: at("2026-02-01T00:00") }],
  });
  expect(cutAtDays({ from: null, to: moment })).toEqual({
    days: { from: null, to: at("2026-01-31T00:00") },
    edges: [{ from: at("2026-01-31T00:00"), to: moment }],
  });
});

test.each([
  ["within a day", "2026-01-31T10:00", "2026-01-31T11:00"],
  ["over midnight", "2026-01-31T23:00", "2026-02-01T01:00"],
  ["that ends before it begins", "2026-02-05T00:00", "2026-01-31T00:00"],
])("a range %s is counted without day counters", (_name, first, last) => {
  const range = { from: at(first), to: at(last) };
  expect(cutAtDays(range)).toEqual({ days: null, edges: [range] });
});

test("a range that begins on the last possible day has no whole days", () => {
  const from = at("9999-12-31T00:00:00.001");
  expect(cutAtDays({ from, to: null })).toEqual({ days: null, edges: [{ from, to: null }] });
  const midnight = { from: at("9999-12-31T00:00"), to: null };
  expect(cutAtDays(midnight)).toEqual({ days: midnight, edges: [] });
});

test("the ids of a range reach ten minutes beyond it, but never before 1970", () => {
  const range = { from: at("2026-01-31T12:00"), to: at("2026-01-31T13:00") };
  const { first, end } = idsWithin(range);
  expect(timeOfId(first ?? "")).toEqual(new Date("2026-01-31T11:50:00.000Z"));
  expect(timeOfId(end ?? "")).toEqual(new Date("2026-01-31T13:10:00.000Z"));
  expect(idsWithin({ from: null, to: null })).toEqual({ first: null, end: null });
  const ancient = idsWithin({ from: at("0001-01-01T00:00"), to: at("9999-12-31T23:59:59.999") });
  expect(timeOfId(ancient.first ?? "")).toEqual(new Date(0));
  expect(timeOfId(ancient.end ?? "")).toEqual(new Date(at("9999-12-31T23:59:59.999") + 600_000));
});
