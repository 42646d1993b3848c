import { describe, expect, test } from "vitest";
import type { Fault } from "../faults/plan";
import type { RateUse } from "../load/rates";
import { found } from "./good-run";
import { judgeRates } from "./judge-rates";

/** The beginning of a minute. */
const MINUTE = 29_000_000 * 60_000;

/** A request so many milliseconds after {@link MINUTE}. */
const use = (atMs: number, status: number | null, remaining: number, { limit = 2, tookMs = 10 } = {}): RateUse => ({
  askedMs: MINUTE + atMs,
  answeredMs: MINUTE + atMs + tookMs,
  status,
  rate: status === null ? null : { limit, remaining, resetS: Math.ceil((60_000 - ((atMs + tookMs) % 60_000)) / 1_000) },
});

const lifeOf = (uses: RateUse[]) => [{ keyId: "key_1", limit: 2, uses }];
const happened = (fault: Fault, atMs: number) => [
  { fault, atMs: MINUTE + atMs, untilMs: MINUTE + atMs + 1_000, note: "" },
];
const CRASH: Fault = { atMs: 0, kind: "restart", mode: "immediate", downMs: 1_000 };
const CUT: Fault = { atMs: 0, kind: "cut", name: "web-1", what: "after", count: 1 };

const judged = (uses: RateUse[], faults: ReturnType<typeof happened> = []) =>
  judgeRates({ rates: lifeOf(uses), happened: faults });

const KEPT = [use(1_000, 200, 1), use(2_000, 200, 0), use(3_000, 429, 0), use(61_000, 200, 1)];

test("a key that makes as many requests a minute as it allows, and is refused more, is kept", () => {
  expect(judged(KEPT)).toEqual([]);
});

describe("more requests than a key allows", () => {
  const MORE = [use(1_000, 200, 1), use(2_000, 200, 0), use(3_000, 200, 0)];

  test("are found", () => {
    expect(judged(MORE)).toEqual(["key_1 made 3 requests in a minute, and allows 2"]);
    expect(judged(MORE, happened(CUT, 1_500))).toHaveLength(1);
  });

  test("may follow a crash of the database in that minute", () => {
    expect(judged(MORE, happened(CRASH, 1_500))).toEqual([]);
    expect(judged(MORE, happened(CRASH, 90_000))).toHaveLength(1);
  });

  test("are not those of two minutes, nor those that got no place or a late response", () => {
    expect(judged([...MORE.slice(0, 2), use(60_500, 200, 1)])).toEqual([]);
    expect(judged([...MORE.slice(0, 2), use(3_000, 503, 0), use(4_000, null, 0)])).toEqual([]);
    expect(judged([...MORE.slice(0, 2), use(3_000, 200, 0, { tookMs: 20_000 })])).toEqual([]);
  });
});

describe("a refusal", () => {
  const EARLY = [use(1_000, 200, 1), use(3_000, 429, 0)];

  test("of no more requests than the key allows is found", () => {
    expect(judged(EARLY)).toEqual(["key_1 allows 2, and was refused one of 2 requests"]);
    expect(judged([use(-5_000, 200, 1), ...EARLY])).toHaveLength(1);
  });

  test("may come early when a count was repeated, or a request got no response", () => {
    expect(judged(EARLY, happened(CUT, 1_500))).toEqual([]);
    expect(judged(EARLY, happened(CUT, 30_000))).toHaveLength(1);
    expect(judged([...EARLY, use(2_000, null, 0)])).toEqual([]);
  });

  test("says that nothing is left, and every response the limit of the key", () => {
    expect(judged([...KEPT.slice(0, 2), use(3_000, 429, 1)])).toEqual([
      "key_1 allows 2, and a response with 429 says 1 of 2",
    ]);
    expect(judged([use(1_000, 200, 1, { limit: 3 })])).toHaveLength(1);
    expect(judged([use(1_000, 200, 2)])).toHaveLength(1);
  });
});

test("the proof reports a rate limit that was not kept", () => {
  expect(found(() => ({ rates: lifeOf([use(1_000, 429, 0)]) }))).toEqual(["rates"]);
});
