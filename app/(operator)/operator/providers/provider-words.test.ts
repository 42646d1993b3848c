import { expect, test } from "vitest";
import { formatNotAccepted, formatRoundedDown } from "./provider-words";

const hour = (accepted: number, calls: number, unknown = 0) => ({ accepted, calls, unknown });

test("calls that were not accepted are shown as they are counted, and never as none", () => {
  expect(formatNotAccepted([hour(9, 10)])).toBe("10%");
  expect(formatNotAccepted([hour(1_999, 2_000)])).toBe("0.1%");
  expect(formatNotAccepted([hour(8_000, 8_001)])).toBe("<0.1%");
  expect(formatNotAccepted([hour(2_000, 2_000)])).toBe("0%");
});

test("calls without a known outcome count for nothing, and those of all providers count together", () => {
  expect(formatNotAccepted([hour(3, 5, 1), hour(4, 4)])).toBe("12.5%");
  expect(formatNotAccepted([hour(0, 3, 3)])).toBe("–");
  expect(formatNotAccepted([])).toBe("–");
});

test("all but a few is less than all", () => {
  expect(formatRoundedDown(0.9999)).toBe("99.9%");
  expect(formatRoundedDown(1)).toBe("100%");
  expect(formatRoundedDown(null)).toBe("–");
});
