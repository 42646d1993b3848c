import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { announceIn } from "./due-jobs";

const query = vi.hoisted(() => vi.fn(async (_statement: { values: string[][] }) => undefined));
vi.mock("./db", () => ({ pool: () => ({ query }) }));

const clock = { nowMs: 1_000 };
/** Timers that are set, by the time at which they would run: Node drops fractions of their delay. */
const timers = new Map<number, () => void>();

beforeEach(() => {
  query.mockClear();
  vi.spyOn(performance, "now").mockImplementation(() => clock.nowMs);
  vi.stubGlobal("setTimeout", (run: () => void, delayMs: number) => {
    timers.set(clock.nowMs + Math.max(1, Math.trunc(delayMs)), run);
    return { unref: () => undefined };
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** Runs the timer that is due next, `earlyMs` before its time. */
function runNext(earlyMs = 0): void {
  const [atMs] = [...timers.keys()].sort((a, b) => a - b);
  const run = timers.get(atMs as number);
  timers.delete(atMs as number);
  clock.nowMs = (atMs as number) - earlyMs;
  run?.();
}

const announced = () => query.mock.calls.map(([{ values }]) => values[0]);

test("a due job is announced once, even if its time has a fraction of a millisecond", () => {
  clock.nowMs = 1_000.4;
  announceIn(7.3, "dispatch_messages");
  runNext();
  expect(announced()).toEqual([["dispatch_messages"]]);
  expect(clock.nowMs).toBeGreaterThanOrEqual(1_007.7);
  expect(timers.size).toBe(0);
});

test("a timer that runs too early announces nothing; the job is announced later", () => {
  clock.nowMs = 2_000.4;
  announceIn(7.3, "dispatch_messages");
  runNext(0.9);
  expect(announced()).toEqual([]);
  runNext();
  expect(announced()).toEqual([["dispatch_messages"]]);
});
