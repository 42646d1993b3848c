import { describe, expect, test } from "vitest";
import { openAdvances } from "./advances";

const ID = "key";
const MINUTE_MS = 60_000;

/** A counter such as the database's, and processes that count in it. */
function openMinute(limit: number) {
  let used = 0;
  const openProcess = () => {
    const advances = openAdvances();
    let statements = 0;
    return {
      statements: () => statements,
      /** Makes one request and returns whether it is admitted, and how many requests the caller has left by the response. */
      request(now: number): { isAdmitted: boolean; remaining: number } {
        if (advances.has(ID, limit, now)) return { isAdmitted: true, remaining: limit - advances.take(ID, now).used };
        const extra = advances.wanted(ID, 1, now);
        const before = used;
        used += 1 + extra;
        statements += 1;
        const kept = advances.note(ID, { used: before, asked: 1, extra, limit, until: MINUTE_MS }, now);
        return { isAdmitted: before + 1 <= limit, remaining: limit - before - 1 + kept };
      },
    };
  };
  return { openProcess };
}

describe("a busy caller", () => {
  test("with a large limit costs one count for a second's requests, and may use up all of its limit", () => {
    const process = openMinute(6_000).openProcess();
    let admitted = 0;
    let expected = 6_000;
    for (let at = 0; at < 6_500; at += 1) {
      const { isAdmitted, remaining } = process.request(at * 5);
      if (!isAdmitted) continue;
      admitted += 1;
      expected -= 1;
      expect(remaining).toBe(expected);
    }
    expect(admitted).toBe(6_000);
    // The last sixteen or so, and the refused, are counted one by one.
    expect(process.statements()).toBeLessThan(900);
  });

  test.each([1, 2, 3, 5, 8])("never has more admitted than its limit, over %i processes", (count) => {
    const limit = 3_000;
    const { openProcess } = openMinute(limit);
    const processes = Array.from({ length: count }, openProcess);
    let admitted = 0;
    let seed = count;
    for (let at = 0; at < 8_000; at += 1) {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      // Processes take their turns at random, the first ones more often.
      const process = processes[Math.floor((seed / 2_147_483_648) ** 2 * count)];
      if (process?.request(at * 5).isAdmitted) admitted += 1;
    }
    expect(admitted).toBeLessThanOrEqual(limit);
    expect(admitted).toBeGreaterThan(limit * 0.9);
  });
});

test.each([
  ["a small limit", 599, 5],
  ["few requests", 6_000, 250],
])("with %s every request is counted by itself", (_, limit, everyMs) => {
  const process = openMinute(limit).openProcess();
  for (let at = 0; at < 200; at += 1) process.request(at * everyMs);
  expect(process.statements()).toBe(200);
});

test("permits end with their minute, and with the limit that they were counted under", () => {
  const advances = openAdvances();
  advances.note(ID, { used: 0, asked: 1, extra: 5, limit: 600, until: 1_000 }, 0);
  expect(advances.has(ID, 600, 999)).toBe(true);
  expect(advances.has(ID, null, 999)).toBe(true);
  expect(advances.has(ID, 700, 999)).toBe(false);
  expect(advances.has(ID, 600, 1_000)).toBe(false);
});

test("permits beyond the limit are not granted", () => {
  const advances = openAdvances();
  advances.note(ID, { used: 597, asked: 1, extra: 5, limit: 600, until: 1_000 }, 0);
  advances.take(ID, 1);
  expect(advances.take(ID, 1).used).toBe(600);
  expect(advances.has(ID, 600, 1)).toBe(false);
});
