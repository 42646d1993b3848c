import { expect, test } from "vitest";
import { nextProvider } from "./next-provider";

const CHAIN = ["twilio", "vonage", "plivo"];
const held =
  (...ids: string[]) =>
  (id: string) =>
    ids.includes(id);

test("the chain is followed in its order", () => {
  expect(nextProvider(CHAIN, [], held())).toEqual({ kind: "provider", provider: "twilio" });
  expect(nextProvider(CHAIN, ["twilio"], held())).toEqual({ kind: "provider", provider: "vonage" });
  expect(nextProvider(CHAIN, ["vonage"], held())).toEqual({ kind: "provider", provider: "twilio" });
});

test("a held provider is skipped, and returned to when nothing else is left", () => {
  expect(nextProvider(CHAIN, [], held("twilio"))).toEqual({ kind: "provider", provider: "vonage" });
  expect(nextProvider(CHAIN, ["vonage", "plivo"], held("twilio"))).toEqual({ kind: "unavailable", provider: "twilio" });
  expect(nextProvider(CHAIN, ["vonage", "plivo"], held())).toEqual({ kind: "provider", provider: "twilio" });
});

test("a chain that was tried whole has ended", () => {
  expect(nextProvider(CHAIN, CHAIN, held("twilio"))).toEqual({ kind: "none" });
  expect(nextProvider([], [], held())).toEqual({ kind: "none" });
});

test("a provider that stands in the chain twice is tried twice", () => {
  expect(nextProvider(["plivo", "plivo"], ["plivo"], held())).toEqual({ kind: "provider", provider: "plivo" });
  expect(nextProvider(["plivo", "plivo"], ["plivo", "plivo"], held())).toEqual({ kind: "none" });
});
