import { describe, expect, it } from "vitest";
import {
  DISABLE_AFTER_FAILURES,
  GONE,
  isAcknowledged,
  nextTryDelayS,
  RETRY_AFTER_MAX_S,
  RETRY_DELAYS_S,
  retryAfterS,
  WEBHOOK_TIMEOUT_MS,
} from "./retry";

describe("the retry schedule", () => {
  it("is the documented one", () => {
    expect(RETRY_DELAYS_S).toEqual([0, 30, 5 * 60, 30 * 60, 2 * 3600, 12 * 3600]);
    expect(DISABLE_AFTER_FAILURES).toBe(25);
    expect(WEBHOOK_TIMEOUT_MS).toBe(10_000);
    expect(RETRY_AFTER_MAX_S).toBe(24 * 3600);
    expect(GONE).toBe(410);
  });

  it.each([
    [0, 0],
    [1, 30],
    [2, 300],
    [3, 1800],
    [4, 7200],
    [5, 43200],
    [6, null],
    [7, null],
    [1000, null],
  ])("after %i tries waits %s s", (triesMade, delay) => {
    expect(nextTryDelayS(triesMade)).toBe(delay);
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])("refuses %d tries", (triesMade) => {
    expect(() => nextTryDelayS(triesMade)).toThrow(RangeError);
  });
});

describe("retryAfterS", () => {
  const NOW_MS = Date.UTC(1994, 10, 6, 8, 0, 0, 500);

  it.each([
    ["0", 0],
    ["120", 120],
    [" 7 ", 7],
    ["86400", 86_400],
    ["86401", 86_400],
    ["9".repeat(400), 86_400],
    ["Sun, 06 Nov 1994 08:01:00 GMT", 60],
    ["Sunday, 06-Nov-94 08:01:00 GMT", 60],
    ["Sun Nov  6 08:01:00 1994", 60],
    ["Sun, 06 Nov 1994 08:00:01 GMT", 1],
    ["Sun, 06 Nov 1994 08:00:00 GMT", 0],
    ["Wed, 01 Jan 1992 00:00:00 GMT", 0],
    ["Fri, 01 Jan 2100 00:00:00 GMT", 86_400],
  ])("%j is a delay of %d s", (header, seconds) => {
    expect(retryAfterS(header, NOW_MS)).toBe(seconds);
  });

  it.each([undefined, "", "-1", "1.5", "1e3", "0x10", "soon", "1994-11-06T08:49:37Z", "Sun, 41 Nov 1994 08:49:37 GMT"])(
    "%j is no delay",
    (header) => {
      expect(retryAfterS(header, NOW_MS)).toBeNull();
    },
  );
});

describe("isAcknowledged", () => {
  it.each([200, 201, 202, 204, 299])("%i acknowledges", (statusCode) => {
    expect(isAcknowledged(statusCode)).toBe(true);
  });

  it.each([0, 100, 101, 199, 300, 301, 304, 400, 404, 410, 429, 500, 503, Number.NaN])("%i does not", (statusCode) => {
    expect(isAcknowledged(statusCode)).toBe(false);
  });
});
