import { describe, expect, it } from "vitest";
import { healthSignalOf } from "../health/breaker";
import { addressFields } from "./address";
import { outcomeOfStatus } from "./status";
import { backOffMs, createThrottle } from "./throttle";

describe("outcomeOfStatus", () => {
  it.each([
    [0x0b, "refused"],
    [0x66, "refused"],
    [0x101, "refused"],
    [0x01, "message"],
    [0x104, "message"],
    [0xc4, "message"],
    [0x08, "provider"],
    [0x04, "provider"],
    [0xff, "provider"],
    [0x22, "message"],
    [0x45, "message"],
    [0x64, "message"],
    [0xfe, "message"],
    [0x400, "message"],
    [0x4ff, "message"],
    [0x0e, "account"],
    [0x0a, "message"],
    [0x58, "throttled"],
    [0x14, "throttled"],
  ])("status %i: %s", (status, effect) => {
    const outcome = outcomeOfStatus(status);
    expect(outcome.kind === "retryable" ? outcome.fault : outcome.kind).toBe(effect);
    expect(outcome.code).toMatch(/^0x[0-9a-f]{2,}$/);
    expect(outcome.detail).toMatch(/^[A-Z].*\.$/);
  });
});

it("recipients that a centre does not serve do not count against its health, however many", () => {
  for (const status of [0x22, 0x45, 0x64, 0xfe, 0x400, 0x40a, 0x432])
    expect(healthSignalOf(outcomeOfStatus(status))).toBeNull();
  for (const status of [0x08, 0xff]) expect(healthSignalOf(outcomeOfStatus(status))).toBe("failed");
});

describe("addressFields", () => {
  const source = (from: string, shortCodeTon = 3) => {
    const fields = addressFields(from, "+491511234567", shortCodeTon);
    expect(fields).toMatchObject({ dest_addr_ton: 1, dest_addr_npi: 1, destination_addr: "491511234567" });
    return [fields.source_addr_ton, fields.source_addr_npi, fields.source_addr];
  };

  it("distinguishes numbers, short codes and names", () => {
    expect(source("+15550100")).toEqual([1, 1, "15550100"]);
    expect(source("491711234567")).toEqual([1, 1, "491711234567"]);
    expect(source("10777")).toEqual([3, 0, "10777"]);
    expect(source("10777", 6)).toEqual([6, 0, "10777"]);
    expect(source("Shop 24")).toEqual([5, 0, "Shop 24"]);
  });
});

describe("backOffMs", () => {
  it("doubles up to its maximum, with jitter between half and all of it", () => {
    const bounds = { minMs: 500, maxMs: 30_000 };
    const longest = [1, 2, 3, 6, 7, 1_000].map((failures) => backOffMs(failures, 1, bounds));
    expect(longest).toEqual([500, 1_000, 2_000, 16_000, 30_000, 30_000]);
    expect(backOffMs(2, 0, bounds)).toBe(500);
    expect(backOffMs(2, 0.5, bounds)).toBe(750);
  });
});

describe("a throttle", () => {
  it("leaves no gap until it is slowed down, and loses the gap again", () => {
    const throttle = createThrottle();
    expect([throttle.schedule(0), throttle.schedule(0)]).toEqual([0, 0]);
    throttle.slowDown(0);
    expect([throttle.schedule(0), throttle.schedule(0), throttle.schedule(0)]).toEqual([100, 200, 300]);
    for (let i = 0; i < 40; i++) throttle.speedUp();
    expect([throttle.schedule(1_000), throttle.schedule(1_000)]).toEqual([0, 0]);
  });

  it("never leaves more than a second between two submits", () => {
    const throttle = createThrottle();
    for (let i = 0; i < 20; i++) throttle.slowDown(0);
    const first = throttle.schedule(0);
    expect([first, throttle.schedule(0) - first]).toEqual([1_000, 1_000]);
  });
});
