import { afterEach, expect, test, vi } from "vitest";
import { MINUTE_MS } from "../core/clock";
import { clockAheadMs } from "./clock-check";

afterEach(() => {
  vi.useRealTimers();
});

test("a clock that agrees with the database's is not ahead", async () => {
  expect(Math.abs(await clockAheadMs())).toBeLessThan(MINUTE_MS);
});

test.each([5, -5])("a clock that is %i minutes ahead is found", async (minutes) => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + minutes * MINUTE_MS });
  expect(Math.round((await clockAheadMs()) / MINUTE_MS)).toBe(minutes);
});
