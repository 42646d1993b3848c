import { EventEmitter } from "node:events";
import type pg from "pg";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { standStill } from "@/test/network/stalls";
import { watchSilence } from "./silence";

const SILENT_FOR_MS = 1_000;
const ends: (() => void)[] = [];
beforeEach(() => {
  vi.stubEnv("LOG_LEVEL", "silent");
  vi.stubEnv("DATABASE_URL", "postgresql://nobody@127.0.0.1/none");
  vi.stubEnv("SECRET_KEY", "0".repeat(32));
});
afterEach(() => {
  for (const end of ends.splice(0)) end();
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

/** A connection that owes a response, watched by a probe that finds its statement not at work. */
function watchOne(ask: () => Promise<{ isAtWork: () => boolean } | null>) {
  const stream = { bytesRead: 100, destroy: vi.fn() };
  const client = { processID: 7, _activeQuery: {}, _sentQueryQueue: [], connection: { stream } };
  const pool = new EventEmitter();
  ends.push(watchSilence(pool as unknown as pg.Pool, "", { silentForMs: SILENT_FOR_MS, ask }));
  pool.emit("connect", client);
  return stream;
}

const IDLE = { isAtWork: () => false };

// This test comes first, since the stall meter keeps the clock with which it began.
test("a probe without a response proves nothing if this process stalled meanwhile", async () => {
  const endedBefore: number[] = [];
  const stream = watchOne(async () => {
    endedBefore.push(stream.destroy.mock.calls.length);
    if (endedBefore.length > 1) return IDLE;
    standStill(1_500);
    return null;
  });
  await expect.poll(() => stream.destroy.mock.calls.length).toBeGreaterThan(0);
  expect(endedBefore).toEqual([0, 0]);
});

test("a connection that responded during the probe is not ended, though it owes the next response", async () => {
  vi.useFakeTimers();
  let found = (_: typeof IDLE) => {};
  const stream = watchOne(
    () =>
      new Promise((resolve) => {
        found = resolve;
      }),
  );
  await vi.advanceTimersByTimeAsync(3 * SILENT_FOR_MS);
  stream.bytesRead += 1;
  await vi.advanceTimersByTimeAsync(3 * SILENT_FOR_MS);
  found(IDLE);
  await vi.advanceTimersByTimeAsync(0);
  expect(stream.destroy).not.toHaveBeenCalled();
});

test("a probe that fails does not end the watch", async () => {
  vi.useFakeTimers();
  const ask = vi.fn(async () => IDLE).mockRejectedValueOnce(new Error("no file"));
  const stream = watchOne(ask);
  await vi.advanceTimersByTimeAsync(4 * SILENT_FOR_MS);
  expect(ask.mock.calls.length).toBeGreaterThan(1);
  expect(stream.destroy).toHaveBeenCalled();
});
