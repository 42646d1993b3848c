import { describe, expect, test } from "vitest";
import type { Change } from "../load/changes";
import type { KeyLife } from "../load/keys";
import { found } from "./good-run";
import { judgeKeys } from "./judge-keys";

const [WEB, OTHER] = ["http://web-1", "http://web-2"];
const ENDED: Change = { askedMs: 10_000, answeredMs: 10_010, url: WEB, status: 200, isDone: true };
const CREATED: Change = { ...ENDED, askedMs: 0, answeredMs: 10 };

/** A key that is used once. */
function used(askedMs: number, status: number | null, life: Partial<KeyLife> = {}, url = WEB): KeyLife {
  const uses = [{ askedMs, answeredMs: askedMs + 5, url, status }];
  return { created: CREATED, keys: ["one", "one"], ended: ENDED, expiresMs: null, uses, ...life };
}

const casesOf = (...life: Parameters<typeof used>): number => judgeKeys({ keys: [used(...life)] }).length;

test("a repeated creation gives the same key", () => {
  expect(casesOf(20, 200, { keys: ["one"] })).toBe(0);
  expect(casesOf(20, 200, { keys: ["one", "other"] })).toBe(1);
});

test("a key works until its end, in every process", () => {
  expect(casesOf(20, 200)).toBe(0);
  expect(casesOf(20, 401)).toBe(1);
  expect(casesOf(9_990, 401, {}, OTHER)).toBe(1);
  expect(casesOf(20, 503)).toBe(0);
  expect(casesOf(20, null)).toBe(0);
});

describe("a revoked key", () => {
  test("is refused at once by the process that revoked it, and within a second by the others", () => {
    expect(casesOf(10_011, 401)).toBe(0);
    expect(casesOf(10_011, 200)).toBe(1);
    expect(casesOf(11_010, 200, {}, OTHER)).toBe(0);
    expect(casesOf(11_011, 200, {}, OTHER)).toBe(1);
  });

  test("may have been revoked by another process than the one that responded last", () => {
    const ended = { ...ENDED, status: 404 };
    expect(casesOf(10_011, 200, { ended })).toBe(0);
    expect(casesOf(11_011, 200, { ended })).toBe(1);
  });

  test("may work or not while its revocation is under way, or its outcome unknown", () => {
    expect(casesOf(10_005, 200)).toBe(0);
    expect(casesOf(10_005, 401)).toBe(0);
    expect(casesOf(12_000, 200, { ended: { ...ENDED, isDone: false } })).toBe(0);
  });
});

test("a key works until it expires", () => {
  const expiresMs = 12_000;
  expect(casesOf(11_500, 200, { expiresMs })).toBe(0);
  expect(casesOf(11_500, 401, { expiresMs })).toBe(1);
  expect(casesOf(11_896, 401, { expiresMs })).toBe(0);
  expect(casesOf(12_050, 401, { expiresMs })).toBe(0);
  expect(casesOf(13_000, 200, { expiresMs })).toBe(0);
  expect(casesOf(13_001, 200, { expiresMs })).toBe(1);
  // The change came late: other processes apply it within a second.
  expect(casesOf(11_010, 200, { expiresMs: 9_000 })).toBe(0);
  expect(casesOf(11_011, 200, { expiresMs: 9_000 })).toBe(1);
});

test("the proof reports a key that works too late", () => {
  expect(found(() => ({ keys: [used(10_011, 200)] }))).toEqual(["keys"]);
});
