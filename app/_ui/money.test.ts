import { expect, test } from "vitest";
import { formatMoney, fractionDigits } from "./money";

test("amounts are shown exactly", () => {
  expect(formatMoney(0.0075, "USD")).toBe("$0.0075");
  expect(formatMoney(0.000001, "USD")).toBe("$0.000001");
  expect(formatMoney(1250, "USD")).toBe("$1,250.00");
});

test("a column has as many decimals as its most precise amount needs", () => {
  expect(fractionDigits([])).toBe(2);
  expect(fractionDigits([12, 3.5])).toBe(2);
  expect(fractionDigits([12, 0.0075])).toBe(4);
  expect(formatMoney(12, "USD", fractionDigits([12, 0.0075]))).toBe("$12.0000");
});
