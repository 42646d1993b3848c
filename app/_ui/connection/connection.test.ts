import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { loadPatiently } from "./connection";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const missing = new Error("The part could not be loaded.");

it("waits for a part of a page while the service is unreachable, behind a proxy too", async () => {
  const health = vi.fn<() => Promise<Response>>().mockRejectedValue(new TypeError("Failed to fetch"));
  vi.stubGlobal("fetch", health);
  const load = vi.fn<() => Promise<string>>().mockRejectedValue(missing);
  const loaded = loadPatiently(load);
  await vi.advanceTimersByTimeAsync(60_000);
  health.mockResolvedValue(new Response(null, { status: 502 }));
  await vi.advanceTimersByTimeAsync(60_000);
  load.mockResolvedValue("part");
  await vi.advanceTimersByTimeAsync(60_000);
  await expect(loaded).resolves.toBe("part");
});

it("does not wait for a part that the service does not have", async () => {
  vi.stubGlobal("fetch", async () => new Response(null, { status: 200 }));
  const load = vi.fn<() => Promise<string>>().mockRejectedValue(missing);
  const loaded = expect(loadPatiently(load)).rejects.toBe(missing);
  await vi.advanceTimersByTimeAsync(60_000);
  await loaded;
  expect(load).toHaveBeenCalledTimes(3);
});
