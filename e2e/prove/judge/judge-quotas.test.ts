import { describe, expect, test } from "vitest";
import type { Quota } from "../load/quotas";
import type { Send, Shortage } from "../load/sends";
import type { Evidence } from "./evidence";
import { found, goodRun, TO } from "./good-run";
import { judgeQuotas } from "./judge-quotas";

const KEY = "key_1";
const REFUSED_MS = 5_000;

const refusal = (used: number, limit = 1, requested = 1): Shortage => ({
  atMs: REFUSED_MS,
  knownMs: REFUSED_MS + 10,
  kind: "quota",
  details: { reason: "daily_limit", limit, used, requested },
});

/** The good run, whose message was sent with a key that allows one, and a second send, which was refused. */
function run({ quota = {}, refused = refusal(1), counted = 1, endedMs = 9_000 } = {}): Evidence {
  const good = goodRun();
  const [accepted] = good.sends as [Send];
  const other: Send = { ...accepted, key: "k-2", reference: "order-2", acceptedMs: null, messages: null };
  const second: Send = { ...other, refused: true, refusedFor: "daily_limit", shortages: [refused] };
  const sends = [accepted, second];
  const own: Quota = { keyId: KEY, limit: 1, numbers: [TO, "+4915110000002"], sends, ...quota };
  return {
    ...good,
    sends,
    quotas: [{ beganMs: 0, endedMs, quotas: [own] }],
    database: { ...good.database, quotas: [{ keyId: KEY, messages: counted }] },
  };
}

const casesOf = (change: Parameters<typeof run>[0]): number => judgeQuotas(run(change)).length;

test("a key sends as much as it allows, and is refused more", () => {
  expect(judgeQuotas(run())).toEqual([]);
});

test("more messages than a key allows are found", () => {
  expect(judgeQuotas(run({ quota: { limit: 0 }, refused: refusal(1, 0) }))).toEqual([
    "1 messages count against key_1, which allows 0",
  ]);
  expect(casesOf({ quota: { numbers: [] }, counted: 0, refused: refusal(0) })).toBeGreaterThan(0);
});

test("a count that differs from the messages is found", () => {
  expect(judgeQuotas(run({ counted: 2 }))).toEqual(["1 messages count against key_1, and its count is 2"]);
  expect(casesOf({ counted: 0 })).toBe(1);
});

describe("a refusal", () => {
  test("names the limit, and numbers that exceed it", () => {
    expect(casesOf({ refused: refusal(1, 2) })).toBe(1);
    expect(casesOf({ quota: { limit: 2 }, refused: refusal(1, 2) })).toBe(1);
    expect(casesOf({ quota: { limit: 2 }, refused: refusal(1, 2, 2) })).toBe(0);
  });

  test("names no fewer messages than its callers knew, and no more than there are", () => {
    expect(casesOf({ refused: refusal(0, 1, 2) })).toBe(1);
    expect(casesOf({ refused: refusal(2) })).toBe(1);
  });

  test("comes only for a key that has a quota", () => {
    const foreign = { ...run(), quotas: [] };
    expect(judgeQuotas(foreign)).toEqual(["order-2 of acc_1 was refused for a quota, and its key has none"]);
  });
});

test("quotas that began on another day are not judged", () => {
  expect(casesOf({ counted: 7, endedMs: 86_400_000 })).toBe(0);
});

test("the proof reports a quota that was not kept", () => {
  expect(found(() => run({ counted: 2 }))).toEqual(["quotas"]);
});
