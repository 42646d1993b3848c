import { expect, test } from "vitest";
import { exactDigits, formatMoney, fractionDigits, sumOfMoney } from "./money";

test("amounts have two or four decimals, and below a cent as many as they need", () => {
  expect(formatMoney(1250, "USD")).toBe("$1,250.00");
  expect(formatMoney(3.5, "USD")).toBe("$3.50");
  expect(formatMoney(106.426, "USD")).toBe("$106.4260");
  expect(formatMoney(-0.03, "USD")).toBe("-$0.03");
  expect(formatMoney(0.0075, "USD")).toBe("$0.0075");
  expect(formatMoney(0.000001, "USD")).toBe("$0.000001");
  expect(formatMoney(12.000001, "USD")).toBe("$12.0000");
  expect(formatMoney(0.1 + 0.2, "USD")).toBe("$0.30");
});

test("a column has as many decimals as its most precise amount needs", () => {
  expect(fractionDigits([])).toBe(2);
  expect(fractionDigits([12, 3.5])).toBe(2);
  expect(fractionDigits([12, 0.0075])).toBe(4);
  expect(formatMoney(12, "USD", fractionDigits([12, 0.0075]))).toBe("$12.0000");
});

test("prices are shown exactly", () => {
  expect(exactDigits([])).toBe(2);
  expect(exactDigits([1, 0.05])).toBe(2);
  expect(exactDigits([1, 0.0075])).toBe(4);
  expect(exactDigits([12.5, 0.123456])).toBe(6);
});

test("sums of decimals are exact", () => {
  expect(sumOfMoney([])).toBe(0);
  expect(sumOfMoney([0.3, -0.1])).toBe(0.2);
  expect(sumOfMoney(Array.from({ length: 10 }, () => 0.0075))).toBe(0.075);
  expect(sumOfMoney([0.000001, 1_000_000])).toBe(1_000_000.000001);
});
