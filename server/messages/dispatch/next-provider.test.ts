import { expect, test } from "vitest";
import { nextProvider } from "./next-provider";

const CHAIN = ["twilio", "vonage", "plivo"];
const unavailable =
  (...ids: string[]) =>
  (id: string) =>
    ids.includes(id);

test("the chain is followed in order", () => {
  expect(nextProvider(CHAIN, [], unavailable())).toEqual({ kind: "provider", provider: "twilio" });
  expect(nextProvider(CHAIN, ["twilio"], unavailable())).toEqual({ kind: "provider", provider: "vonage" });
  expect(nextProvider(CHAIN, ["vonage"], unavailable())).toEqual({ kind: "provider", provider: "twilio" });
});

test("an unavailable provider is skipped; if no other is left, the message waits for it", () => {
  expect(nextProvider(CHAIN, [], unavailable("twilio"))).toEqual({ kind: "provider", provider: "vonage" });
  expect(nextProvider(CHAIN, ["vonage", "plivo"], unavailable("twilio"))).toEqual({
    kind: "unavailable",
    provider: "twilio",
  });
  expect(nextProvider(CHAIN, ["vonage", "plivo"], unavailable())).toEqual({ kind: "provider", provider: "twilio" });
});

test("a chain ends when all its providers were tried", () => {
  expect(nextProvider(CHAIN, CHAIN, unavailable("twilio"))).toEqual({ kind: "none" });
  expect(nextProvider([], [], unavailable())).toEqual({ kind: "none" });
});

test("a provider that is in the chain twice is tried twice", () => {
  expect(nextProvider(["plivo", "plivo"], ["plivo"], unavailable())).toEqual({ kind: "provider", provider: "plivo" });
  expect(nextProvider(["plivo", "plivo"], ["plivo", "plivo"], unavailable())).toEqual({ kind: "none" });
});
