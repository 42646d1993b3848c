import { expect, test } from "vitest";
import { unauthorized } from "../core/errors";
import { challengeOf, ownRequestId, setRateFields } from "./http-fields";

test("a 401 names the scheme, and what is wrong with a key that was sent", () => {
  expect(challengeOf(unauthorized("Send your API key.", { reason: "key_missing" }))).toBe(
    'Bearer realm="Messaging Service"',
  );
  expect(challengeOf(unauthorized('This "key" is not valid\\.', { reason: "key_invalid" }))).toBe(
    'Bearer realm="Messaging Service", error="invalid_token", error_description="This  key  is not valid ."',
  );
});

test.each([
  ["checkout-4711", "checkout-4711"],
  [
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
  ],
  [undefined, null],
  ["", null],
  ["a b", null],
  ["a, b", null],
  ["a\r\nset-cookie:x", null],
  ["é", null],
  ["x".repeat(129), null],
])("X-Request-Id %j is kept as %j", (given, kept) => {
  expect(ownRequestId(given)).toBe(kept);
});

test("the rate is given in both forms, and names the owner of a used-up limit", () => {
  const headers: Record<string, string> = {};
  setRateFields(headers, { refusedBy: null, limit: 600, remaining: 599, resetMs: 41_001, accountLimit: 3_000 });
  expect(headers).toEqual({
    "ratelimit-limit": "600",
    "ratelimit-remaining": "599",
    "ratelimit-reset": "42",
    "ratelimit-policy": '"key";q=600;w=60, "account";q=3000;w=60',
    ratelimit: '"key";r=599;t=42',
  });
  setRateFields(headers, { refusedBy: "account", limit: 600, remaining: 0, resetMs: 100, accountLimit: 3_000 });
  expect(headers.ratelimit).toBe('"account";r=0;t=1');
  setRateFields(headers, { refusedBy: "caller", limit: 5, remaining: 0, resetMs: 100, accountLimit: null });
  expect([headers.ratelimit, headers["ratelimit-policy"]]).toEqual(['"key";r=0;t=1', '"key";q=5;w=60']);
});
