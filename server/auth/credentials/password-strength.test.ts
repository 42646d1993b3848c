import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { weaknessOf } from "./password-strength";

test("passwords that everybody tries first are too easy", async () => {
  for (const password of ["password12", "qwertyuiop", "aaaaaaaaaaaa", "Summer2026!", "1234567890"]) {
    expect(await weaknessOf(password, []), password).toMatch(/^too easy to guess\. [A-Z]/);
  }
});

test("words of the person's own name and email do not make a password", async () => {
  const long = "somebody.with.a.long.name@a-domain-that-is-long.example";
  expect(await weaknessOf("korbinianmeier", [])).toBeNull();
  expect(await weaknessOf("korbinianmeier", ["Korbinian Meier", "k@shop.example"])).not.toBeNull();
  expect(await weaknessOf("k.meier@shop.example", ["Korbinian", "k.meier@shop.example"])).not.toBeNull();
  expect(await weaknessOf(long, ["Some Body", long])).not.toBeNull();
});

test("a few words in a row, and what a machine makes, will do", async () => {
  const made = [randomBytes(12).toString("base64url"), randomBytes(12).toString("hex")];
  for (const password of ["correct horse battery", "another long password", ...made]) {
    expect(await weaknessOf(password, ["Ann", "ann@example.com"]), password).toBeNull();
  }
});

test("a long password is judged by its beginning", async () => {
  expect(await weaknessOf(randomBytes(100).toString("hex"), [])).toBeNull();
  expect(await weaknessOf("a".repeat(200), [])).not.toBeNull();
});
