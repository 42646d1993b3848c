import { expect, it } from "vitest";
import { localDay } from "./days";

it("names the day of a time where the reader is", () => {
  expect(localDay(new Date(2026, 0, 5, 0, 0, 0))).toBe("2026-01-05");
  expect(localDay(new Date(2026, 10, 30, 23, 59, 59).toISOString())).toBe("2026-11-30");
});
