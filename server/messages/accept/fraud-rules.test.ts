import { describe, expect, test } from "vitest";
import { firstIdAt } from "../../core/ids";
import { countryOf, floodLimitsOf, floodRefusal, isInNumberingPlan } from "./fraud-rules";

test("a number with an unassigned calling code, or a length that is not in use, is in no numbering plan", () => {
  const known = ["+14155550123", "+15550100001", "+88216045550101", "+4915112345678"];
  expect(known.map(isInNumberingPlan)).toEqual(known.map(() => true));
  const unknown = ["+999155550123", "+1415555", "+141555501234567"];
  expect(unknown.map(isInNumberingPlan)).toEqual(unknown.map(() => false));
});

describe("countryOf", () => {
  test.each([
    ["+14155550123", "US"],
    ["+16135550123", "CA"],
    ["+18095551234", "DO"],
    ["+442071838750", "GB"],
    ["+441534123456", "JE"],
    ["+79161234567", "RU"],
    ["+77011234567", "KZ"],
    ["+390612345678", "IT"],
    ["+4915112345678", "DE"],
  ])("%s belongs to %s, even if countries share its calling code", (number, country) => {
    expect(countryOf(number)).toBe(country);
  });

  test("an invalid number belongs to the only country with its calling code", () => {
    expect(countryOf("+4910")).toBe("DE");
  });

  test.each(["+15550100001", "+88216045550101", "+999155550123", "+18001234567"])(
    "%s has no country, or an ambiguous one",
    (number) => {
      expect(countryOf(number)).toBeNull();
    },
  );
});

describe("flood limits", () => {
  const defaults = { identical: 6, total: 20 };
  const none = { floodIdentical: null, floodTotal: null };

  test("are the installation's unless the account has its own; 0 means none", () => {
    expect(floodLimitsOf(none, ["twilio", "sandbox"], defaults)).toEqual(defaults);
    expect(floodLimitsOf({ floodIdentical: 2, floodTotal: null }, ["twilio"], defaults)).toEqual({
      identical: 2,
      total: 20,
    });
    expect(floodLimitsOf({ floodIdentical: 0, floodTotal: 0 }, ["twilio"], defaults)).toEqual({
      identical: 0,
      total: 0,
    });
  });

  test("are only the account's own for messages that only the sandbox takes", () => {
    expect(floodLimitsOf(none, ["sandbox"], defaults)).toEqual({ identical: 0, total: 0 });
    expect(floodLimitsOf({ floodIdentical: null, floodTotal: 3 }, ["sandbox"], defaults)).toEqual({
      identical: 0,
      total: 3,
    });
  });

  const at = (minute: number) => firstIdAt("message", new Date(Date.UTC(2026, 0, 31, 12, minute)));

  test("refuse the message that would exceed one, naming the limit and the time of the next message", () => {
    const recent = [at(0), at(10), at(20)];
    expect(floodRefusal({ identical: 4, total: 4 }, { identical: recent, total: recent })).toBeNull();
    expect(floodRefusal({ identical: 0, total: 0 }, { identical: recent, total: recent })).toBeNull();
    expect(floodRefusal({ identical: 2, total: 3 }, { identical: recent, total: recent })).toEqual({
      code: "flood_limit",
      message:
        "At most 2 messages of the same text may go to one number within an hour. The next may go at 2026-01-31T13:10:00.000Z.",
    });
    expect(floodRefusal({ identical: 2, total: 3 }, { identical: [at(5)], total: recent })?.message).toBe(
      "At most 3 messages in all may go to one number within an hour. The next may go at 2026-01-31T13:00:00.000Z.",
    );
    expect(floodRefusal({ identical: 1, total: 0 }, { identical: [at(5)], total: recent })?.message).toMatch(
      /^At most 1 message of/,
    );
  });
});
