import { expect, test } from "vitest";
import { PhoneNumberQuery } from "./schema";

test("a number of a query may have its plus as a space, which is what an unescaped one becomes", () => {
  const [[, number] = []] = [...new URLSearchParams("to=+14155550123")];
  expect(PhoneNumberQuery.parse(number)).toBe("+14155550123");
  expect(PhoneNumberQuery.parse("+14155550123")).toBe("+14155550123");
});

test.each(["", " ", "14155550123", "  14155550123", "+ 14155550123", "+1415", "nobody"])("%j is no number", (text) => {
  expect(PhoneNumberQuery.safeParse(text).success).toBe(false);
});
