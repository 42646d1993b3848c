import { expect, test } from "vitest";
import { quietUntil } from "./quiet-hours";

const NIGHT = { startsMinute: 21 * 60, endsMinute: 8 * 60 };
const NOON = { startsMinute: 12 * 60, endsMinute: 13 * 60 + 30 };

const until = (zones: string[], at: string, hours = NIGHT) =>
  quietUntil(hours, zones, new Date(at))?.toISOString() ?? null;

test("quiet hours begin at their start and are over at their end, by the recipient's clock", () => {
  expect(until(["Europe/Berlin"], "2026-01-10T19:59:59Z")).toBeNull();
  expect(until(["Europe/Berlin"], "2026-01-10T20:00:00Z")).toBe("2026-01-11T07:00:00.000Z");
  expect(until(["Europe/Berlin"], "2026-01-11T06:59:59.999Z")).toBe("2026-01-11T07:00:00.000Z");
  expect(until(["Europe/Berlin"], "2026-01-11T07:00:00Z")).toBeNull();
  expect(until(["Asia/Kathmandu"], "2026-01-10T20:00:00Z")).toBe("2026-01-11T02:15:00.000Z");
});

test("quiet hours within one day are over on that day", () => {
  expect(until(["Europe/Berlin"], "2026-01-10T11:30:00Z", NOON)).toBe("2026-01-10T12:30:00.000Z");
  expect(until(["Europe/Berlin"], "2026-01-10T20:00:00Z", NOON)).toBeNull();
});

test("a night in which clocks change ends at the same local time", () => {
  expect(until(["America/New_York"], "2026-03-08T03:00:00Z")).toBe("2026-03-08T12:00:00.000Z");
  expect(until(["America/New_York"], "2026-11-01T02:00:00Z")).toBe("2026-11-01T13:00:00.000Z");
});

test("an end that clocks skip in spring comes when they jump past it, and one that they show twice comes the first time", () => {
  const early = { startsMinute: 22 * 60, endsMinute: 2 * 60 + 30 };
  expect(until(["America/New_York"], "2026-03-08T06:45:00Z", early)).toBe("2026-03-08T07:00:00.000Z");
  // Clocks of Lord Howe Island jump by half an hour, from 02:00 to 02:30.
  const within = { startsMinute: 22 * 60, endsMinute: 2 * 60 + 10 };
  expect(until(["Australia/Lord_Howe"], "2026-10-03T15:00:00Z", within)).toBe("2026-10-03T15:30:00.000Z");
  const twice = { startsMinute: 22 * 60, endsMinute: 90 };
  expect(until(["America/New_York"], "2026-11-01T04:00:00Z", twice)).toBe("2026-11-01T05:30:00.000Z");
});

test("a number with several time zones waits until it is outside the quiet hours of all", () => {
  const zones = ["Europe/Moscow", "Asia/Vladivostok"];
  // 20:00 in Moscow, 03:00 in Vladivostok: the window of both is 08:00 in Moscow to 21:00 in Vladivostok.
  expect(until(zones, "2026-01-10T17:00:00Z")).toBe("2026-01-11T05:00:00.000Z");
  expect(until(zones, "2026-01-11T05:00:00Z")).toBeNull();
});

test("if there is no such time, the number waits for the first one at which the fewest zones have quiet hours", () => {
  const zones = ["Pacific/Guam", "America/New_York", "Europe/London"];
  // At 08:00 UTC the day has begun in London, is not over in Guam, and New York sleeps.
  expect(until(zones, "2026-01-10T03:00:00Z")).toBe("2026-01-10T08:00:00.000Z");
  // Only Guam has quiet hours, and at no time does no zone have them.
  expect(until(zones, "2026-01-10T15:00:00Z")).toBeNull();
});

test("a number without a known time zone has no quiet hours", () => {
  expect(until([], "2026-01-10T23:00:00Z")).toBeNull();
  expect(until(["Mars/Olympus"], "2026-01-10T23:00:00Z")).toBeNull();
});
