import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { retryWrite } from "./retry-write";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const FOREVER = { until: Number.POSITIVE_INFINITY, isStopping: () => false, onFailure: () => undefined };
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

test("a write is made after an outage of any length", async () => {
  const write = writeDuring(HOUR_MS, refused);
  const written = retryWrite(write, FOREVER);
  await vi.advanceTimersByTimeAsync(HOUR_MS - 1);
  expect(write.mock.calls.length).toBeGreaterThan(100);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await written).toBe("written");
});

test.each([
  ["its time is over", { ...FOREVER, until: 0 }, refused],
  ["the process is stopping", { ...FOREVER, isStopping: () => true }, refused],
  ["our own code is to blame", FOREVER, () => new TypeError("undefined is not a function")],
])("a write is given up after three quarters of a minute when %s", async (_, patience, failure) => {
  const write = writeDuring(HOUR_MS, failure);
  const written = retryWrite(write, patience).catch((thrown: Error) => thrown.message);
  await vi.advanceTimersByTimeAsync(43_000);
  const tries = write.mock.calls.length;
  expect(tries).toBeGreaterThan(10);
  await vi.advanceTimersByTimeAsync(HOUR_MS / 2);
  expect(await written).toBe(failure().message);
  expect(write.mock.calls.length - tries).toBeLessThanOrEqual(1);
});

test("a value that the database refuses is not tried again", async () => {
  const write = writeDuring(HOUR_MS, () => Object.assign(new Error("invalid byte sequence"), { code: "22021" }));
  await expect(retryWrite(write, FOREVER)).rejects.toThrow("invalid byte sequence");
  expect(write).toHaveBeenCalledTimes(1);
});
