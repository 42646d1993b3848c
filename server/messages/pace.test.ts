import { expect, test } from "vitest";
import { allowance, type Bucket, refill } from "./pace";

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

test("a debt is paid off first", () => {
  expect(refilled(-5, 2, 2)).toBe(-1);
  expect(refilled(-5, 3, 2)).toBe(1);
});

test("without a rate nothing waits, and a rate set later starts with its own burst", () => {
  expect(refilled(-5, 0, null)).toBe(Number.MAX_SAFE_INTEGER);
  expect(refilled(Number.MAX_SAFE_INTEGER, 0, 4)).toBe(4);
  expect(allowance(undefined)).toBe(Number.MAX_SAFE_INTEGER);
});

test("a clock that runs back takes nothing away", () => {
  expect(refilled(3, -10, 4)).toBe(3);
});
