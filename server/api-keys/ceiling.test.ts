import { describe, expect, it } from "vitest";
import { exceededParam, type KeyLimits, limitsOf, type RequestedLimits } from "./ceiling";

const ENDS = "2030-01-01T00:00:00.000Z";
const NARROW: KeyLimits = {
  rateLimit: 10,
  dailyLimit: 1,
  monthlyLimit: 20,
  allowedIps: ["10.0.0.0/8", "203.0.113.7"],
  expiresAt: new Date(ENDS),
};
const WIDE: KeyLimits = { rateLimit: 6_000, dailyLimit: null, monthlyLimit: null, allowedIps: [], expiresAt: null };

const exceededBy = (requested: RequestedLimits, creator: KeyLimits) =>
  exceededParam(limitsOf(requested, creator), creator);

describe("an omitted limit", () => {
  it("is the creating key's, but the rate at most 600", () => {
    expect(limitsOf({}, NARROW)).toEqual(NARROW);
    expect(limitsOf({}, WIDE)).toEqual({ ...WIDE, rateLimit: 600 });
  });

  it("is unlimited, and the rate 600, when a person creates the key", () => {
    expect(limitsOf({}, null)).toEqual({ ...WIDE, rateLimit: 600 });
  });

  it("differs from null, which means no limit", () => {
    const nulls = { daily_limit: null, monthly_limit: null, allowed_ips: null, expires_at: null };
    expect(limitsOf(nulls, NARROW)).toEqual({ ...WIDE, rateLimit: 10 });
    // Documented so: a list of no addresses restricts nothing.
    expect(limitsOf({ ...nulls, allowed_ips: [] }, NARROW)).toEqual({ ...WIDE, rateLimit: 10 });
  });
});

describe("a key's limits", () => {
  it.each<[keyof RequestedLimits, RequestedLimits]>([
    ["rate_limit", { rate_limit: 11 }],
    ["daily_limit", { daily_limit: 2 }],
    ["daily_limit", { daily_limit: null }],
    ["monthly_limit", { monthly_limit: 21 }],
    ["monthly_limit", { monthly_limit: null }],
    ["allowed_ips", { allowed_ips: null }],
    ["allowed_ips", { allowed_ips: [] }],
    ["allowed_ips", { allowed_ips: ["10.1.2.3", "11.0.0.0/8"] }],
    ["allowed_ips", { allowed_ips: ["8.0.0.0/7"] }],
    ["allowed_ips", { allowed_ips: ["10.0.0.0/7"] }],
    ["allowed_ips", { allowed_ips: ["203.0.113.0/24"] }],
    ["expires_at", { expires_at: null }],
    ["expires_at", { expires_at: "2030-01-01T00:00:00.001Z" }],
  ])("exceed the creator's in %s: %j", (param, requested) => {
    expect(exceededBy(requested, NARROW)).toBe(param);
    expect(exceededBy(requested, WIDE)).toBeNull();
  });

  it.each<RequestedLimits>([
    {},
    { rate_limit: 10, daily_limit: 1, monthly_limit: 20, expires_at: ENDS },
    { rate_limit: 1, monthly_limit: 5, expires_at: "2029-12-31T23:59:59Z" },
    { allowed_ips: ["10.0.0.0/8"] },
    { allowed_ips: ["10.255.0.0/16", "10.1.2.3", "203.0.113.7/32"] },
  ])("stay within the creator's: %j", (requested) => {
    expect(exceededBy(requested, NARROW)).toBeNull();
  });
});
