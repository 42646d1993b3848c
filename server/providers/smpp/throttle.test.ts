import { describe, expect, it } from "vitest";
import { createThrottle } from "./throttle";

describe("a throttle", () => {
  it("makes submits wait only while the centre throttles us", () => {
    const throttle = createThrottle();
    expect([throttle.schedule(0), throttle.schedule(0), throttle.room(0, 1)]).toEqual([0, 0, Number.POSITIVE_INFINITY]);
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
    for (; throttle.room(0, 2_000) > 0; given++) waitMs = throttle.schedule(0);
    expect(given).toBeGreaterThan(0);
    expect(waitMs).toBeLessThan(2_000);
    // The timer may be a little early.
    expect(throttle.room(waitMs - 2, 2_000)).toBeGreaterThan(0);
  });

  it("has room for what the gap lets out within a time", () => {
    const throttle = createThrottle();
    throttle.slowDown(0);
    // At 100, 200, 300 and 400 ms.
    expect([throttle.room(0, 100), throttle.room(0, 101), throttle.room(0, 401)]).toEqual([0, 1, 4]);
    for (const at of [100, 200, 300, 400]) expect(throttle.schedule(0)).toBe(at);
    expect([throttle.room(0, 401), throttle.room(0, 501), throttle.room(1_000, 1)]).toEqual([0, 1, 1]);
  });
});
