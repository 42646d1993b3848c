import { expect, test } from "vitest";
import { pageOf } from "./use-url-state";

test("a page of the address is a whole number from 1", () => {
  expect(pageOf("7")).toBe(7);
  for (const text of [null, "", "0", "-1", "1.5", "x", "Infinity"]) expect(pageOf(text), String(text)).toBe(1);
});

test("a page that no list has is one that the service takes, so that the list can lead back", () => {
  for (const text of ["1000001", "99999999999", "1e300"]) expect(pageOf(text), text).toBe(1_000_000);
});
