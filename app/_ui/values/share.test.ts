import { expect, test } from "vitest";
import { formatShare } from "./share";

test("a share is shown in percent, and a share of zero as a dash", () => {
  expect(formatShare(1, 3)).toBe("33.3%");
  expect(formatShare(3, 3)).toBe("100%");
  expect(formatShare(0, 3)).toBe("0%");
  expect(formatShare(0, 0)).toBe("–");
});

test("a part above zero is never shown as 0%", () => {
  expect(formatShare(1, 3_155)).toBe("<0.1%");
  expect(formatShare(1, 2_000)).toBe("0.1%");
});
