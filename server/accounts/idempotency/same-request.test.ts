import { expect, test } from "vitest";
import { isSameRequest, storedValueHash } from "./same-request";

const stored = (asked: { requestHash: string; valueHash?: string }) => ({
  requestHash: asked.requestHash,
  valueHash: storedValueHash(asked),
});

test("the same bytes are the same request, and so is the same value in other bytes", () => {
  const known = stored({ requestHash: "bytes", valueHash: "value" });
  expect(isSameRequest(known, { requestHash: "bytes", valueHash: "value" })).toBe(true);
  expect(isSameRequest(known, { requestHash: "other", valueHash: "value" })).toBe(true);
  expect(isSameRequest(known, { requestHash: "other", valueHash: "another" })).toBe(false);
  expect(isSameRequest(known, { requestHash: "other" })).toBe(false);
});

test("a response that was stored with the hash of the bytes alone is known by them alone", () => {
  const known = stored({ requestHash: "bytes" });
  expect(known.valueHash).toBeNull();
  expect(isSameRequest(known, { requestHash: "bytes", valueHash: "value" })).toBe(true);
  expect(isSameRequest(known, { requestHash: "other", valueHash: "value" })).toBe(false);
});

test("a value's hash that another version left beside the hash of later bytes counts for nothing", () => {
  const left = { requestHash: "later", valueHash: storedValueHash({ requestHash: "bytes", valueHash: "value" }) };
  expect(isSameRequest(left, { requestHash: "bytes", valueHash: "value" })).toBe(false);
});
