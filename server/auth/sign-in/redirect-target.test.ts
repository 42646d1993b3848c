import { afterEach, expect, test, vi } from "vitest";
import { redirectTarget } from "./redirect-target";

const BASE = "https://sms.example.com";

afterEach(() => {
  vi.unstubAllGlobals();
});

test("pages of this site are where people are sent", () => {
  expect(redirectTarget("/messages?page=2", BASE)).toBe(`${BASE}/messages?page=2`);
  expect(redirectTarget(`${BASE}/usage`, BASE)).toBe(`${BASE}/usage`);
  expect(redirectTarget(BASE, BASE)).toBe(`${BASE}/`);
});

test.each([
  "https://evil.example",
  "//evil.example",
  "/\\evil.example",
  "javascript:alert(1)",
  "data:text/html,x",
  `${BASE}.evil.example/`,
  `${BASE}@evil.example/`,
  "http://sms.example.com/",
  "http://[",
  undefined,
  5,
  {},
  ["/messages"],
])("%j leads to the start", (target) => {
  expect(redirectTarget(target, BASE)).toBe(BASE);
});

test("a target that is too long is not parsed", () => {
  let parsed = 0;
  vi.stubGlobal(
    "URL",
    class extends URL {
      constructor(...given: ConstructorParameters<typeof URL>) {
        super(...given);
        parsed += 1;
      }
      static override canParse() {
        parsed += 1;
        return true;
      }
    },
  );
  expect(redirectTarget(`https://${"é".repeat(200_000)}`, BASE)).toBe(BASE);
  expect(redirectTarget(`/${"a".repeat(2_048)}`, BASE)).toBe(BASE);
  expect(parsed).toBe(0);
});
