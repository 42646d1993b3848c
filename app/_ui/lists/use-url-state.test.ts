import { expect, test } from "vitest";
import { pageOf } from "./use-url-state";

test("a page number in the address is a whole number from 1", () => {
  expect(pageOf("7")).toBe(7);
  for (const text of [null, "", "0", "-1", "1.5", "x", "Infinity"]) expect(pageOf(text), String(text)).toBe(1);
});

test("a page number that is too high is limited to one that the service accepts, so that the list can lead back", () => {
  for (const text of ["1000001", "99999999999", "1e300"]) expect(pageOf(text), text).toBe(1_000_000);
});
