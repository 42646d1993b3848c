import { expect, test } from "vitest";
import { PhoneNumberQuery } from "./schema";

test("a number in a query may start with a space, which an unescaped plus becomes", () => {
  const [[, number] = []] = [...new URLSearchParams("to=+14155550123")];
  expect(PhoneNumberQuery.parse(number)).toBe("+14155550123");
  expect(PhoneNumberQuery.parse("+14155550123")).toBe("+14155550123");
});

test.each(["", " ", "14155550123", "  14155550123", "+ 14155550123", "+1415", "nobody"])(
  "%j is not a number",
  (text) => {
    expect(PhoneNumberQuery.safeParse(text).success).toBe(false);
  },
);
