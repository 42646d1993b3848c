import { describe, expect, it } from "vitest";
import { daysLeft, failedShare, failingConcern } from "./concerns";

const ends = (delivered: number, failed: number, undelivered = 0) => ({ delivered, failed, undelivered });

describe("failingConcern", () => {
  it("warns of more than a tenth that did not arrive, failed and undelivered alike", () => {
    expect(failingConcern(ends(80, 10, 10), ends(0, 0))).toEqual({
      kind: "messages_failing",
      failed: 20,
      ended: 100,
      usual_share: null,
    });
    expect(failingConcern(ends(90, 10), ends(0, 0))).toBeNull();
  });

  it("does not warn of a share that is usual for the account", () => {
    expect(failingConcern(ends(80, 20), ends(850, 150))).toBeNull();
    expect(failingConcern(ends(70, 30), ends(850, 150))).toMatchObject({ usual_share: 0.15 });
  });

  it("says nothing of a handful of messages", () => {
    expect(failingConcern(ends(0, 19), ends(0, 0))).toBeNull();
    expect(failedShare(ends(0, 20))).toBe(1);
  });
});

describe("daysLeft", () => {
  it("is what the balance lasts for, when that is less than three days", () => {
    expect(daysLeft(5_000_000n, 2_000_000n)).toBe(2.5);
    expect(daysLeft(6_000_000n, 2_000_000n)).toBeNull();
  });

  it("is 0 when the balance is used up", () => {
    expect(daysLeft(0n, 1n)).toBe(0);
  });

  it("has nothing to say of an account that spends nothing", () => {
    expect(daysLeft(1n, 0n)).toBeNull();
    expect(daysLeft(0n, 0n)).toBeNull();
  });
});
