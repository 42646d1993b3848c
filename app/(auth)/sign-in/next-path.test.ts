import { expect, test } from "vitest";
import { safeTarget } from "./next-path";

const ORIGIN = "https://sms.example.com";

test("leads to the requested page, or to the start page without one", () => {
  expect(safeTarget("/messages?page=2", ORIGIN)).toBe(`${ORIGIN}/messages?page=2`);
  expect(safeTarget(`${ORIGIN}/usage`, ORIGIN)).toBe(`${ORIGIN}/usage`);
  expect(safeTarget(null, ORIGIN)).toBe(`${ORIGIN}/`);
});

test.each([
  "/.//evil.example",
  "/..//evil.example",
  "/./\\evil.example",
  "//evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "/\t/evil.example",
  "https://evil.example",
  "javascript:alert(1)",
  "http://[",
  `/${"a".repeat(3_000)}`,
])("%j never leads to another host", (next) => {
  const target = new URL(safeTarget(next, ORIGIN), ORIGIN);
  expect(target.href).toBe(`${ORIGIN}/`);
});
