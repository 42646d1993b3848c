import { expect, test } from "vitest";
import { maskBody } from "./mask";

const masked = (body: unknown, keepsTexts = false) => JSON.parse(maskBody(body, keepsTexts));

test("of a text only its length is kept, unless texts may be", () => {
  const body = { to: "+14155550123", from: "ACME", body: "Your code is 4711" };
  expect(masked(body)).toEqual({ ...body, body: "[masked: 17 characters]" });
  expect(masked(body, true)).toEqual(body);
  expect(masked({ recipients: [{ to: "+1", body: "4711" }] })).toEqual({
    recipients: [{ to: "+1", body: "[masked: 4 characters]" }],
  });
});

test("no secret is kept, however it is asked", () => {
  const body = { signing_secret: "s3", nested: { Password: "p", access_token: { deep: "t" } }, plain_key: "k" };
  for (const keepsTexts of [false, true]) {
    expect(masked(body, keepsTexts)).toEqual({
      signing_secret: "[masked]",
      nested: { Password: "[masked]", access_token: "[masked]" },
      plain_key: "[masked]",
    });
  }
  expect(masked({ url: "https://user:pass@example.com/hook" })).toEqual({ url: "https://[masked]@example.com/hook" });
});

test("however large a body is, what is kept of it is small", () => {
  const recipients = Array.from({ length: 1_000 }, (_, at) => `+1415555${at}`);
  expect(masked({ recipients }).recipients).toHaveLength(21);
  expect(masked({ recipients }).recipients.at(-1)).toBe("[980 more]");
  expect(masked({ note: "x".repeat(10_000) }).note).toHaveLength(500 + "… [10000 characters]".length);
  const wide = Object.fromEntries(recipients.map((number) => [number, 1]));
  expect(Object.keys(masked(wide))).toHaveLength(51);
  let deep: unknown = "end";
  for (let depth = 0; depth < 100; depth += 1) deep = { deep };
  expect(maskBody(deep, false).length).toBeLessThan(500);
});

test("what is kept can be stored", () => {
  expect(maskBody({ note: "a\0b" }, true)).not.toContain("\\u0000");
  expect(masked({ note: `${"x".repeat(499)}😀` }, true).note.isWellFormed()).toBe(true);
});
