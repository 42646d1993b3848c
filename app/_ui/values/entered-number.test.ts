import { expect, test } from "vitest";
import { isNumber, numberOrNull, optionalNumberProblem } from "./entered-number";

test("a number counts as soon as it is typed, with zeros at its end too", () => {
  for (const entered of [0, "10.50", "0", "0.10", "7."]) {
    expect(isNumber(entered), String(entered)).toBe(true);
    expect(optionalNumberProblem(entered)).toBeNull();
  }
  expect(isNumber(-3)).toBe(true);
  expect(numberOrNull("10.50")).toBe(10.5);
});

test("a limit below zero is a mistake", () => {
  for (const entered of [-3, "-0.50"])
    expect(optionalNumberProblem(entered)).toBe("Enter a number that is not below zero");
});

test("an empty field is no number, and an incomplete number is a mistake", () => {
  expect(isNumber("")).toBe(false);
  expect(numberOrNull("")).toBeNull();
  expect(optionalNumberProblem("")).toBeNull();
  for (const entered of ["-", ".", "-."]) {
    expect(isNumber(entered), entered).toBe(false);
    expect(optionalNumberProblem(entered)).toBe("Enter a number");
  }
});
