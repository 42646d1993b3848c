import { beforeEach, expect, test } from "vitest";
import { openFetchBounds } from "./fetch-bounds";

const LIMIT = 2;
const AT = new Date("2026-11-26T12:00:00.000Z");
const due = (afterMs: number) => ({ run_at: new Date(AT.getTime() + afterMs) });

let nowMs = 0;
beforeEach(() => {
  nowMs = 1_000_000;
});

const open = () => openFetchBounds(() => nowMs);

/** One fetch that takes `tookMs`. @returns its range. */
function fetch(bounds: ReturnType<typeof open>, jobs: { run_at: Date }[] | null, tookMs = 1) {
  const { range, settle } = bounds.next(LIMIT);
  nowMs += tookMs;
  settle(jobs);
  return range;
}

test("the first fetch reads from the oldest job on, the next ones what has come due since", () => {
  const bounds = open();
  expect(fetch(bounds, [due(0)])).toEqual({ from: "oldest" });
  nowMs += 100;
  // Since the first one began, and a second before.
  expect(fetch(bounds, [])).toEqual({ from: "age", withinMs: 1_101 });
  nowMs += 50;
  expect(fetch(bounds, [])).toEqual({ from: "age", withinMs: 1_051 });
});

test("a fetch that is full is followed by one from its last job on", () => {
  const bounds = open();
  fetch(bounds, [due(0), due(5_000)]);
  expect(fetch(bounds, [due(5_000), due(9_000)])).toEqual({ from: "time", runAt: due(4_000).run_at });
  expect(fetch(bounds, [due(9_500)])).toEqual({ from: "time", runAt: due(8_000).run_at });
  expect(fetch(bounds, [])).toMatchObject({ from: "age" });
});

test("every two seconds a fetch reads from the oldest job on, and less often when that takes long", () => {
  const bounds = open();
  fetch(bounds, []);
  nowMs += 1_998;
  expect(fetch(bounds, [])).toMatchObject({ from: "age" });
  nowMs += 1;
  expect(fetch(bounds, [], 1_000)).toEqual({ from: "oldest" });
  nowMs += 19_998;
  expect(fetch(bounds, [])).toMatchObject({ from: "age" });
  nowMs += 1;
  expect(fetch(bounds, [])).toEqual({ from: "oldest" });
});

test("a fetch without a result is followed by one from the oldest job on: what it took is not known", () => {
  const bounds = open();
  fetch(bounds, []);
  expect(fetch(bounds, null)).toMatchObject({ from: "age" });
  expect(fetch(bounds, [])).toEqual({ from: "oldest" });
});

test("a fetch that took long because this process stood still does not put off the next one from the oldest job on", () => {
  const bounds = open();
  fetch(bounds, [], 20_000);
  nowMs += 29_998;
  expect(fetch(bounds, [])).toMatchObject({ from: "age" });
  nowMs += 1;
  expect(fetch(bounds, [])).toEqual({ from: "oldest" });
});

test("a fetch by age that came late, whose range had moved on with it, is followed by one from the oldest job on", () => {
  const bounds = open();
  fetch(bounds, []);
  expect(fetch(bounds, [], 999)).toMatchObject({ from: "age" });
  expect(fetch(bounds, [], 1_000)).toMatchObject({ from: "age" });
  expect(fetch(bounds, [])).toEqual({ from: "oldest" });
});
