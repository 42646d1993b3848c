import { describe, expect, it } from "vitest";
import {
  DISABLE_AFTER_FAILURES,
  isAcknowledged,
  MAX_DELIVERY_ATTEMPTS,
  nextAttemptDelayS,
  RETRY_DELAYS_S,
  WEBHOOK_TIMEOUT_MS,
} from "./retry";

describe("the retry schedule", () => {
  it("is the one that is promised", () => {
    expect(RETRY_DELAYS_S).toEqual([0, 30, 5 * 60, 30 * 60, 2 * 3600, 12 * 3600]);
    expect(MAX_DELIVERY_ATTEMPTS).toBe(6);
    expect(DISABLE_AFTER_FAILURES).toBe(25);
    expect(WEBHOOK_TIMEOUT_MS).toBe(10_000);
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
  ])("after %i tries waits %s s", (attemptsMade, delay) => {
    expect(nextAttemptDelayS(attemptsMade)).toBe(delay);
  });

  it("makes exactly as many tries as there may be", () => {
    let made = 0;
    while (nextAttemptDelayS(made) !== null) made++;
    expect(made).toBe(MAX_DELIVERY_ATTEMPTS);
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])("refuses %d tries", (attemptsMade) => {
    expect(() => nextAttemptDelayS(attemptsMade)).toThrow(RangeError);
  });
});

describe("isAcknowledged", () => {
  it.each([200, 201, 202, 204, 299])("%i acknowledges", (statusCode) => {
    expect(isAcknowledged(statusCode)).toBe(true);
  });

  it.each([0, 100, 101, 199, 300, 301, 304, 400, 404, 410, 429, 500, 503, Number.NaN])("%i does not", (statusCode) => {
    expect(isAcknowledged(statusCode)).toBe(false);
  });
});
