import { expect, test } from "vitest";
import { DateTime } from "./wire";

const accepts = (text: string): boolean => DateTime.safeParse(text).success;

test("a time is one that both PostgreSQL and an answer of four-digit years can hold", () => {
  for (const text of ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "2026-01-01T00:00:00+23:59"]) {
    expect(accepts(text), text).toBe(true);
  }
  for (const text of ["0000-12-31T23:59:59Z", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01"]) {
    expect(accepts(text), text).toBe(false);
  }
});

test("what is no time is refused once", () => {
  expect(DateTime.safeParse("tomorrow").error?.issues).toHaveLength(1);
});
