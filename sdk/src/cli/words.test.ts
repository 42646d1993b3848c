import { expect, test } from "vitest";
import { describe } from "./words";

const URL_OF_API = "https://sms.example.com/api/v1";
const lost = (cause: unknown) => new TypeError("fetch failed", { cause });

test.each([
  ["a lost connection", lost(new Error("connect ECONNREFUSED 127.0.0.1:1")), "connect ECONNREFUSED 127.0.0.1:1"],
  [
    "a name with two addresses, of which the platform tells a code alone",
    lost(Object.assign(new AggregateError([]), { code: "ECONNREFUSED" })),
    "ECONNREFUSED",
  ],
  ["a timeout", new DOMException("The operation timed out.", "TimeoutError"), "The operation timed out."],
])("%s names the address and the cause", (_, thrown, cause) => {
  expect(describe(thrown, URL_OF_API)).toBe(`${URL_OF_API} does not respond: ${cause}`);
});

test("a mistake of the caller's is told as it is", () => {
  expect(describe(new TypeError("The parameter id is empty."), URL_OF_API)).toBe("The parameter id is empty.");
});
