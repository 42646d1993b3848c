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

/** Makes a fetch that takes `tookMs`. @returns its range. */
function fetch(bounds: ReturnType<typeof open>, jobs: { run_at: Date }[] | null, tookMs = 1) {
  const { range, settle } = bounds.next(LIMIT);
  nowMs += tookMs;
  settle(jobs);
  return range;
}

test("the first fetch begins at the oldest job, the next ones read jobs that have become due since", () => {
  const bounds = open();
  expect(fetch(bounds, [due(0)])).toEqual({ from: "oldest" });
  nowMs += 100;
  // The time since the first one began, plus a second.
  expect(fetch(bounds, [])).toEqual({ from: "age", withinMs: 1_101 });
  nowMs += 50;
  expect(fetch(bounds, [])).toEqual({ from: "age", withinMs: 1_051 });
});

test("after a full fetch the next one begins at its last job", () => {
  const bounds = open();
  fetch(bounds, [due(0), due(5_000)]);
  expect(fetch(bounds, [due(5_000), due(9_000)])).toEqual({ from: "time", runAt: due(4_000).run_at });
  expect(fetch(bounds, [due(9_500)])).toEqual({ from: "time", runAt: due(8_000).run_at });
  expect(fetch(bounds, [])).toMatchObject({ from: "age" });
});

test("every two seconds a fetch begins at the oldest job, less often when that takes long", () => {
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

test("after a fetch without a result the next one begins at the oldest job, because the fetched jobs are unknown", () => {
  const bounds = open();
  fetch(bounds, []);
  expect(fetch(bounds, null)).toMatchObject({ from: "age" });
  expect(fetch(bounds, [])).toEqual({ from: "oldest" });
});

test("a fetch that took long because of a stall does not postpone the next one from the oldest job", () => {
  const bounds = open();
  fetch(bounds, [], 20_000);
  nowMs += 29_998;
  expect(fetch(bounds, [])).toMatchObject({ from: "age" });
  nowMs += 1;
  expect(fetch(bounds, [])).toEqual({ from: "oldest" });
});

test("a late fetch by age, whose range has moved on with it, is followed by one from the oldest job", () => {
  const bounds = open();
  fetch(bounds, []);
  expect(fetch(bounds, [], 999)).toMatchObject({ from: "age" });
  expect(fetch(bounds, [], 1_000)).toMatchObject({ from: "age" });
  expect(fetch(bounds, [])).toEqual({ from: "oldest" });
});
