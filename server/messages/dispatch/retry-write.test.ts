import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { retryWrite, STOPPING } from "./retry-write";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const FOREVER = { until: Number.POSITIVE_INFINITY, stoppingSinceMs: () => null, onFailure: () => undefined };
const HOUR_MS = 3_600_000;

const refused = () => Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });

/** A write that fails for `outageMs`, and how often it was tried. */
function writeDuring(outageMs: number, failure: () => Error) {
  const endsAt = Date.now() + outageMs;
  const write = vi.fn(async () => {
    if (Date.now() < endsAt) throw failure();
    return "written";
  });
  return write;
}

test("a write succeeds after an outage of any length", async () => {
  const write = writeDuring(HOUR_MS, refused);
  const written = retryWrite(write, FOREVER);
  await vi.advanceTimersByTimeAsync(HOUR_MS - 1);
  expect(write.mock.calls.length).toBeGreaterThan(100);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await written).toBe("written");
});

test.each([
  ["its time is over", { ...FOREVER, until: 0 }, refused],
  ["our own code is to blame", FOREVER, () => new TypeError("undefined is not a function")],
])("a write is abandoned after three quarters of a minute when %s", async (_, patience, failure) => {
  const write = writeDuring(HOUR_MS, failure);
  const written = retryWrite(write, patience).catch((thrown: Error) => thrown.message);
  await vi.advanceTimersByTimeAsync(43_000);
  const tries = write.mock.calls.length;
  expect(tries).toBeGreaterThan(10);
  await vi.advanceTimersByTimeAsync(HOUR_MS / 2);
  expect(await written).toBe(failure().message);
  expect(write.mock.calls.length - tries).toBeLessThanOrEqual(1);
});

test("a write with a value that the database refuses is not retried", async () => {
  const write = writeDuring(HOUR_MS, () => Object.assign(new Error("invalid byte sequence"), { code: "22021" }));
  await expect(retryWrite(write, FOREVER)).rejects.toThrow("invalid byte sequence");
  expect(write).toHaveBeenCalledTimes(1);
});

test("a stopping process retries a write often, and abandons it in time", async () => {
  let sinceMs: number | null = null;
  const write = writeDuring(HOUR_MS, refused);
  let isOver = false;
  const written = retryWrite(write, { ...FOREVER, stoppingSinceMs: () => sinceMs })
    .catch((thrown: Error) => thrown.message)
    .finally(() => {
      isOver = true;
    });
  // In the middle of a long pause, which is cut short.
  await vi.advanceTimersByTimeAsync(30_500);
  sinceMs = performance.now();
  const before = write.mock.calls.length;
  await vi.advanceTimersByTimeAsync(STOPPING.forMs - 1_000);
  expect(write.mock.calls.length - before).toBeGreaterThan(60);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await written).toBe("connect ECONNREFUSED");
});

test("an outcome that arrives late during a stop is retried for half of that time", async () => {
  const sinceMs = performance.now();
  await vi.advanceTimersByTimeAsync(STOPPING.forMs);
  const write = writeDuring(STOPPING.leastMs / 2, refused);
  const written = retryWrite(write, { ...FOREVER, stoppingSinceMs: () => sinceMs });
  await vi.advanceTimersByTimeAsync(STOPPING.leastMs);
  expect(await written).toBe("written");
});
