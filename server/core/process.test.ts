import { expect, test } from "vitest";
import { defineProcessValue } from "./process";

test("a process value is made once, at its first use", () => {
  let made = 0;
  const value = defineProcessValue("test.once", () => {
    made += 1;
    return { made };
  });
  expect(made).toBe(0);
  expect(value()).toBe(value());
  expect(made).toBe(1);
});

test("a name that is declared twice is an error", () => {
  defineProcessValue("test.twice", () => 1);
  expect(() => defineProcessValue("test.twice", () => "1")).toThrow('"test.twice" is declared twice');
});
