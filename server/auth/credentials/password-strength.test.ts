import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { weaknessOf } from "./password-strength";

test("passwords that everybody tries first are too easy", () => {
  for (const password of ["password12", "qwertyuiop", "aaaaaaaaaaaa", "Summer2026!", "1234567890"]) {
    expect(weaknessOf(password, []), password).toMatch(/^too easy to guess\. [A-Z]/);
  }
});

test("words of the person's own name and email do not make a password", () => {
  const long = "somebody.with.a.long.name@a-domain-that-is-long.example";
  expect(weaknessOf("korbinianmeier", [])).toBeNull();
  expect(weaknessOf("korbinianmeier", ["Korbinian Meier", "k@shop.example"])).not.toBeNull();
  expect(weaknessOf("k.meier@shop.example", ["Korbinian", "k.meier@shop.example"])).not.toBeNull();
  expect(weaknessOf(long, ["Some Body", long])).not.toBeNull();
});

test("a few words in a row, and what a machine makes, will do", () => {
  const made = [randomBytes(12).toString("base64url"), randomBytes(12).toString("hex")];
  for (const password of ["correct horse battery", "another long password", ...made]) {
    expect(weaknessOf(password, ["Ann", "ann@example.com"]), password).toBeNull();
  }
});

test("a long password is judged by its beginning", () => {
  expect(weaknessOf(randomBytes(100).toString("hex"), [])).toBeNull();
  expect(weaknessOf("a".repeat(200), [])).not.toBeNull();
});
