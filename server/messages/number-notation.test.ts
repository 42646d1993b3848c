import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MODEL_TIMES } from "@/test/model/times";
import { e164OfProvider, e164OfTyped } from "./number-notation";

/** A number of North America without its country code. */
const northAmerican = fc
  .tuple(fc.integer({ min: 200, max: 999 }), fc.integer({ min: 200, max: 999 }), fc.integer({ min: 0, max: 9_999 }))
  .map(([area, exchange, line]) => ({ area, exchange, line: String(line).padStart(4, "0") }));

describe("a number that a person has written", () => {
  it.each([
    ["+14155550123", "+14155550123"],
    [" +1 (415) 555-0123 ", "+14155550123"],
    ["0014155550123", "+14155550123"],
    ["tel:+14155550123", "+14155550123"],
    ["(+1) 415 555 0123", "+14155550123"],
    // Not in use, and without a country's check only because of the prefix.
    ["\u202a+999 1234567\u202c", "+9991234567"],
    ["\u200e(\u200e00999) 1234567", "+9991234567"],
    ["\u202a1 415\u2011555\u20110123\u202c", "+14155550123"],
    ["14155550123", "+14155550123"],
    ["1.415.555.0123", "+14155550123"],
    ["4915112345678", "+4915112345678"],
    ["44 7911 123456", "+447911123456"],
  ])("%j is %s", (text, number) => {
    expect(e164OfTyped(text)).toBe(number);
  });

  it.each([
    "(415) 555-0123",
    "415-555-0123",
    "4155550123",
    "tel:4155550123",
    "0151 12345678",
    "15112345678",
    "7911 123456",
    "612345678",
    "5550123",
    "20261120",
    "12345",
    "ACME",
    "",
    "+",
  ])("%j is none, because it lacks its country code", (text) => {
    expect(e164OfTyped(text)).toBeNull();
  });

  it("never makes a North American number without its country code one of another country", () => {
    fc.assert(
      fc.property(northAmerican, fc.constantFrom("", "-", ".", " "), ({ area, exchange, line }, between) => {
        expect(e164OfTyped([area, exchange, line].join(between))).toBeNull();
        expect(e164OfTyped(`(${area}) ${exchange}-${line}`)).toBeNull();
      }),
      { numRuns: 500 * MODEL_TIMES },
    );
  });

  it("is taken as it is with a plus, whatever follows", () => {
    fc.assert(
      fc.property(northAmerican, ({ area, exchange, line }) => {
        expect(e164OfTyped(`+1 ${area} ${exchange} ${line}`)).toBe(`+1${area}${exchange}${line}`);
      }),
      { numRuns: 100 },
    );
  });
});

describe("a number that a provider has reported", () => {
  it.each([
    ["+14155550123", "+14155550123"],
    ["14155550123", "+14155550123"],
    ["0014155550123", "+14155550123"],
    ["4915112345678", "+4915112345678"],
    // Ten digits that are also a number of Singapore and of Norway.
    ["6592345678", "+6592345678"],
    ["4792345678", "+4792345678"],
    // A range that is newer than our table.
    ["49999999999999", "+49999999999999"],
  ])("%j is %s, with its plus or without", (text, number) => {
    expect(e164OfProvider(text)).toBe(number);
  });

  it.each(["4155550123", "2125550123", "04155550123", "12345", "ACME", ""])("%j is none", (text) => {
    expect(e164OfProvider(text)).toBeNull();
  });
});
