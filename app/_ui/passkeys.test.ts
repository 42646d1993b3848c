import { expect, test, vi } from "vitest";
import { passkeysTexts as texts } from "@/app/_texts/ui/passkeys";
import { canUsePasskeys, reasonOf } from "./passkeys";

const failure = (name: string) => Object.assign(new Error("A text of the browser."), { name });

test("the reason of a failure is said in our own words", () => {
  expect(reasonOf(failure("NotAllowedError"))).toBe(texts.closed);
  expect(reasonOf(failure("InvalidStateError"))).toBe(texts.known);
  expect(reasonOf(failure("SecurityError"))).toBe(texts.elsewhere);
  expect(reasonOf(failure("ConstraintError"))).toBe(texts.unsupported);
  expect(reasonOf(failure("UnknownError"))).toBe(texts.failed);
  expect(reasonOf("nothing")).toBe(texts.failed);
});

test("passkeys are used at the installation's origin only, by browsers that know them", () => {
  const origin = "https://sms.example.com";
  vi.stubGlobal("window", { location: { origin }, PublicKeyCredential: class {} });
  expect(canUsePasskeys(origin)).toBe(true);
  expect(canUsePasskeys("https://other.example.com")).toBe(false);
  expect(canUsePasskeys(null)).toBe(false);
  expect(canUsePasskeys(undefined)).toBe(false);
  vi.stubGlobal("window", { location: { origin } });
  expect(canUsePasskeys(origin)).toBe(false);
  vi.unstubAllGlobals();
});
