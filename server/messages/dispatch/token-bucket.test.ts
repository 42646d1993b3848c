import fc from "fast-check";
import { expect, test } from "vitest";
import { MODEL_TIMES } from "@/test/model/times";
import { allowance, type Bucket, refill } from "./token-bucket";

const bucket = (tokens: number, elapsedS: number): Bucket => ({ id: "provider:x", tokens, virtualTime: 0, elapsedS });

const refilled = (tokens: number, elapsedS: number, rate: number | null): number => {
  const made = bucket(tokens, elapsedS);
  refill(made, rate);
  return allowance(made);
};

test("a bucket fills at its rate, up to a second's worth", () => {
  expect(refilled(0, 0.5, 10)).toBe(5);
  expect(refilled(0, 60, 10)).toBe(10);
  expect(refilled(0, 5, 0.1)).toBe(0.5);
  expect(refilled(0, 60, 0.1)).toBe(1);
});

test("an overdraft is repaid first", () => {
  expect(refilled(-5, 2, 2)).toBe(-1);
  expect(refilled(-5, 3, 2)).toBe(1);
});

test("without a rate nothing waits, and a rate that is set later starts with its own burst", () => {
  expect(refilled(-5, 0, null)).toBe(Number.MAX_SAFE_INTEGER);
  expect(refilled(Number.MAX_SAFE_INTEGER, 0, 4)).toBe(4);
  expect(allowance(undefined)).toBe(Number.MAX_SAFE_INTEGER);
});

test("a clock that runs backwards removes no tokens", () => {
  expect(refilled(3, -10, 4)).toBe(3);
});

test("in any period at most a burst, the refill of the period and the last message's overdraft are sent", () => {
  const SEGMENTS_MAX = 10;
  const turn = fc.record({ elapsedMs: fc.nat(5_000), segments: fc.integer({ min: 1, max: SEGMENTS_MAX }) });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), fc.array(turn, { maxLength: 200 }), (rate, turns) => {
      const own = bucket(rate, 0);
      let [spent, passedS] = [0, 0];
      for (const { elapsedMs, segments } of turns) {
        own.elapsedS = elapsedMs / 1_000;
        passedS += own.elapsedS;
        refill(own, rate);
        if (allowance(own) < 1) continue;
        own.tokens -= segments;
        spent += segments;
        expect(spent).toBeLessThanOrEqual(rate + rate * passedS + SEGMENTS_MAX);
      }
    }),
    { numRuns: 1_000 * MODEL_TIMES },
  );
});
