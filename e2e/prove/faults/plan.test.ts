import { expect, test } from "vitest";
import { receiptsFor } from "./fate";
import { FAULT_KINDS, planFaults } from "./plan";

const MINUTES_10 = 600_000;
const TIMEOUT_MS = 2_500;
const plan = (seed: number, kinds: Parameters<typeof planFaults>[2] = FAULT_KINDS) =>
  planFaults(seed, MINUTES_10, kinds, TIMEOUT_MS);

test("a seed gives one timetable, in order and within its time", () => {
  const faults = plan(1);
  expect(plan(1)).toEqual(faults);
  expect(plan(2)).not.toEqual(faults);
  const times = faults.map(({ atMs }) => atMs);
  expect(times).toEqual(times.toSorted((one, other) => one - other));
  expect(times.every((atMs) => atMs < MINUTES_10)).toBe(true);
});

test("every kind of fault comes in a long run", () => {
  expect(new Set(plan(3).map(({ kind }) => kind))).toEqual(new Set(FAULT_KINDS));
});

test("no process is replaced in the first half, because that would hide one that stays frozen", () => {
  const early = plan(4).filter(({ atMs }) => atMs < MINUTES_10 / 2);
  expect(early.length).toBeGreaterThan(0);
  expect(early.filter(({ kind }) => kind === "kill" || kind === "stop")).toEqual([]);
});

test("a single kind can be planned alone", () => {
  for (const kind of FAULT_KINDS) {
    const kinds = plan(5, [kind]).map((fault) => fault.kind);
    expect(kinds.length, kind).toBeGreaterThan(0);
    expect(new Set(kinds)).toEqual(new Set([kind]));
  }
});

test("restarts of the database leave time between them", () => {
  const times = plan(6, ["restart", "cut"]).flatMap(({ kind, atMs }) => (kind === "restart" ? [atMs] : []));
  const pauses = times.slice(1).map((atMs, at) => atMs - (times[at] ?? 0));
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(12_000);
});

test("every message has a final receipt, the same one for the same number", () => {
  for (let number = 0; number < 500; number += 1) {
    const to = `+4915110${String(number).padStart(6, "0")}`;
    const receipts = receiptsFor(1, to);
    expect(receipts).toEqual(receiptsFor(1, to));
    expect(new Set(receipts.map(({ status }) => status).filter((status) => status !== "sent")).size).toBe(1);
  }
});
