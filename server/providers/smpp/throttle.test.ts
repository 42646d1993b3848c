import { describe, expect, it } from "vitest";
import { createThrottle } from "./throttle";

describe("a pace", () => {
  it("makes nobody wait until the centre is asked too much, and nobody again once it is not", () => {
    const pace = createThrottle();
    expect([pace.turn(0), pace.turn(0), pace.hasTurn(0)]).toEqual([0, 0, true]);
    pace.slower(0);
    expect([pace.turn(0), pace.turn(0)]).toEqual([100, 200]);
    for (let count = 0; count < 50; count++) pace.faster();
    expect([pace.turn(1_000), pace.turn(1_000)]).toEqual([0, 0]);
  });

  it("gives no turns far ahead, and the next one when the last of them is had", () => {
    const pace = createThrottle();
    for (let count = 0; count < 10; count++) pace.slower(0);
    let waitMs = 0;
    let given = 0;
    for (; pace.hasTurn(0); given++) waitMs = pace.turn(0);
    expect(given).toBeGreaterThan(0);
    expect(waitMs).toBeLessThan(2_000);
    // Its timer may be a little early.
    expect(pace.hasTurn(waitMs - 2)).toBe(true);
  });
});
