import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { agreeing, serverNow, timedFetch, toBrowserTime } from "./clock";

const HOUR_MS = 3_600_000;
const NOW = Date.parse("2026-11-27T12:00:00Z");

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Makes a call whose response names this time. */
async function callAt(server: string | null): Promise<void> {
  vi.stubGlobal("fetch", async () => new Response("", { headers: server === null ? {} : { date: server } }));
  await timedFetch("/api/trpc");
}

test("a clock that is right is not corrected, however long a response takes", () => {
  expect(agreeing(0, 10_000, 2_000, { from: 10_400, to: 10_450 })).toBe(0);
  expect(agreeing(0, 10_000, 2_000, { from: 4_000, to: 30_000 })).toBe(0);
  expect(agreeing(-300, 10_000, 2_000, { from: 10_400, to: 10_450 })).toBe(-300);
});

test("a clock that is off is corrected by the least that agrees with the response", () => {
  expect(agreeing(0, HOUR_MS, 2_000, { from: 0, to: 100 })).toBe(HOUR_MS - 100);
  expect(agreeing(0, 0, 2_000, { from: HOUR_MS, to: HOUR_MS + 100 })).toBe(2_000 - HOUR_MS);
});

test("the time is that of the server, even after the browser's clock was changed", async () => {
  await callAt("Fri, 27 Nov 2026 13:00:00 GMT");
  expect(serverNow()).toBe(NOW + HOUR_MS);
  expect(toBrowserTime(NOW + HOUR_MS)).toBe(NOW);
  await callAt(null);
  expect(serverNow()).toBe(NOW + HOUR_MS);
  vi.setSystemTime(NOW + HOUR_MS);
  await callAt("Fri, 27 Nov 2026 13:00:00 GMT");
  expect(serverNow()).toBe(NOW + HOUR_MS + 2_000);
});
