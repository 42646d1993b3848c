import { expect, test } from "vitest";
import { type AlertDetail, presentAlert } from "./present";
import type { AlertKind } from "./schema";

const textOf = (detail: AlertDetail, kind: AlertKind = "balance_low") =>
  presentAlert({
    id: "alt_1",
    kind,
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

test("a disabled endpoint is reported with the reason, if it is known", () => {
  const url = "https://example.com/hook";
  const textWith = (reason: string | null) => textOf({ url, reason }, "endpoint_disabled").split(". ")[0];
  expect(textWith("gone")).toBe(`The webhook endpoint ${url} is disabled, because it responded with 410 Gone`);
  expect(textWith("consecutive_failures")).toMatch(/is disabled, because 25 tries in a row failed$/);
  expect(textWith(null)).toMatch(/is disabled$/);
});
