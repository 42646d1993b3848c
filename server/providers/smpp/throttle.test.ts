import { describe, expect, it } from "vitest";
import { createThrottle } from "./throttle";

describe("a throttle", () => {
  it("makes submits wait only while the centre throttles us", () => {
    const throttle = createThrottle();
    expect([throttle.schedule(0), throttle.schedule(0), throttle.isOpen(0)]).toEqual([0, 0, true]);
    throttle.slowDown(0);
    expect([throttle.schedule(0), throttle.schedule(0)]).toEqual([100, 200]);
    for (let count = 0; count < 50; count++) throttle.speedUp();
    expect([throttle.schedule(1_000), throttle.schedule(1_000)]).toEqual([0, 0]);
  });

  it("schedules nothing far ahead, and opens again when the last scheduled submit is sent", () => {
    const throttle = createThrottle();
    for (let count = 0; count < 10; count++) throttle.slowDown(0);
    let waitMs = 0;
    let given = 0;
    for (; throttle.isOpen(0); given++) waitMs = throttle.schedule(0);
    expect(given).toBeGreaterThan(0);
    expect(waitMs).toBeLessThan(2_000);
    // The timer may be a little early.
    expect(throttle.isOpen(waitMs - 2)).toBe(true);
  });
});
