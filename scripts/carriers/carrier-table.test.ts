import { expect, test } from "vitest";
import { VENDOR_CHECKS } from "../../server/providers/adapters/checked";
import { PROVIDERS } from "../../server/providers/schema";
import { carrierTable } from "./carrier-table";

test("shows each check of each carrier, the oldest first, and the carriers that were never checked", () => {
  const check = (on: string) => ({ on, what: "codes", against: "npm one 1.0.0" });
  expect(carrierTable({ one: [check("2026-02-01"), check("2026-01-01")], other: [] }).split("\n")).toEqual([
    "carrier  checked on  what   against",
    "one      2026-01-01  codes  npm one 1.0.0",
    "one      2026-02-01  codes  npm one 1.0.0",
    "other    never",
  ]);
});

test("every carrier is listed, and every check has a past day and an address or a version", () => {
  expect(Object.keys(VENDOR_CHECKS)).toEqual(PROVIDERS.filter((id) => id !== "sandbox"));
  for (const { on, what, against } of Object.values(VENDOR_CHECKS).flat()) {
    expect(new Date(on).toISOString().slice(0, 10)).toBe(on);
    expect(Date.parse(on)).toBeLessThan(Date.now());
    expect(against).toMatch(/^https:\/\/\S+$|^npm .*\d+\.\d+\.\d+/);
    expect(what).not.toBe("");
  }
});
