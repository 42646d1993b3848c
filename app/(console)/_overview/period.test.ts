import { expect, it } from "vitest";
import { describeChange, describeShift, shareOf } from "./period";

const BEFORE = "in the 7 days before";

it("says how a count compares with the period before", () => {
  expect(describeChange(112, 100, "yesterday")).toBe("12% more than yesterday");
  expect(describeChange(50, 100, BEFORE)).toBe("50% fewer than in the 7 days before");
  expect(describeChange(500, 100, BEFORE)).toBe("5.0 times as many as in the 7 days before");
  expect(describeChange(100, 100, BEFORE)).toBe("As many as in the 7 days before");
  expect(describeChange(3, 0, BEFORE)).toBe("None in the 7 days before");
  expect(describeChange(0, 0, BEFORE)).toBe("None in the 7 days before either");
});

it("says how a share compares, in points", () => {
  expect(describeShift(0.95, 0.9, BEFORE)).toBe("5 points higher than in the 7 days before");
  expect(describeShift(0.9, 0.9123, BEFORE)).toBe("1.2 points lower than in the 7 days before");
  expect(describeShift(0.9, 0.9, BEFORE)).toBe("The same as in the 7 days before");
  expect(describeShift(0.9, shareOf(0, 0), BEFORE)).toBe("No messages in the 7 days before");
  expect(describeShift(null, 0.9, BEFORE)).toBe("No messages yet");
});
