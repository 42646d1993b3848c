/** The cache of what is read with every message: how old its value may be. */
import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { cachedRead } from "./cached-read";

const MAX_AGE_MS = 1_000;

let nowMs = 0;
beforeEach(() => {
  nowMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => nowMs);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** A cache whose reads end when the test says so: the value of a read is its number, from 1. */
function controlled(options?: { isCostly: boolean }) {
  const ends: { succeed: () => void; fail: () => void }[] = [];
  const cache = cachedRead(
    randomUUID(),
    MAX_AGE_MS,
    () =>
      new Promise<number>((resolve, reject) => {
        const number = ends.length + 1;
        ends.push({ succeed: () => resolve(number), fail: () => reject(new Error(`read ${number}`)) });
      }),
    options,
  );
  return {
    ...cache,
    /** Reads that were begun. */
    begun: () => ends.length,
    end: (number: number, how: "succeed" | "fail" = "succeed") => ends[number - 1]?.[how](),
  };
}

/** Lets everything run that waits for nothing else. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("a value is as old as its read is begun, however long that took", async () => {
  const cache = controlled();
  const first = cache.get();
  nowMs += MAX_AGE_MS - 1;
  cache.end(1);
  expect(await first).toBe(1);
  expect(await cache.get()).toBe(1);
  nowMs += 1;
  const second = cache.get();
  cache.end(2);
  expect(await second).toBe(2);
});

test("a caller shares a read that began within the time, and otherwise waits for the next one, which late callers share", async () => {
  const cache = controlled();
  const early = [cache.get(), cache.get()];
  nowMs += MAX_AGE_MS;
  const late = [cache.get(), cache.get()];
  await settle();
  expect(cache.begun()).toBe(1);
  cache.end(1);
  expect(await Promise.all(early)).toEqual([1, 1]);
  await settle();
  expect(cache.begun()).toBe(2);
  cache.end(2);
  expect(await Promise.all(late)).toEqual([2, 2]);
});

test("a failed read is not cached, and fails all who waited for it", async () => {
  const cache = controlled();
  const early = cache.get();
  nowMs += MAX_AGE_MS;
  const late = cache.get();
  const failures = Promise.allSettled([early, late]);
  cache.end(1, "fail");
  expect(await failures).toMatchObject([{ status: "rejected" }, { status: "rejected" }]);
  const next = cache.get();
  cache.end(2);
  expect(await next).toBe(2);
});

test("a value that was being read when it was invalidated is not cached", async () => {
  const cache = controlled();
  const before = cache.get();
  cache.invalidate();
  const after = cache.get();
  cache.end(2);
  expect(await after).toBe(2);
  cache.end(1);
  expect(await before).toBe(1);
  expect(await cache.get()).toBe(2);
});

describe("a costly value", () => {
  test("is not read again for a while after a slow read, which all callers share", async () => {
    const cache = controlled({ isCostly: true });
    const callers = [cache.get()];
    nowMs += 10 * MAX_AGE_MS;
    callers.push(cache.get());
    cache.end(1);
    expect(await Promise.all(callers)).toEqual([1, 1]);
    nowMs += MAX_AGE_MS - 1;
    expect(await cache.get()).toBe(1);
    nowMs += 1;
    const next = cache.get();
    cache.end(2);
    expect(await next).toBe(2);
  });
});
