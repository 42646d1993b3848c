import { expect, test } from "vitest";
import { type AlertDetail, presentAlert } from "./present";

const textOf = (detail: AlertDetail) =>
  presentAlert({
    id: "alt_1",
    kind: "balance_low",
    subjectId: "acc_1",
    state: "raised",
    detail: { threshold_micros: 10_000_000, currency: "USD", ...detail },
    createdAt: new Date(),
  }).text;

test("amounts have as many decimals as show them exactly", () => {
  expect(textOf({ balance_micros: 9_500_000 })).toBe("The balance is 9.50 USD, below 10.00 USD.");
  expect(textOf({ balance_micros: 9_997_500 })).toBe("The balance is 9.9975 USD, below 10.00 USD.");
  expect(textOf({ balance_micros: 9_999_999 })).toBe("The balance is 9.999999 USD, below 10.00 USD.");
  expect(textOf({ balance_micros: 0 })).toBe("The balance is 0.00 USD, below 10.00 USD.");
});
