import { expect, test } from "vitest";
import { ListSuppressionsQuery } from "../suppressions/schema";
import { ListMessagesQuery, PhoneNumberQuery } from "./schema";

test("a number in a query may start with a space, which an unescaped plus becomes", () => {
  const [[, number] = []] = [...new URLSearchParams("to=+14155550123")];
  expect(PhoneNumberQuery.parse(number)).toBe("+14155550123");
  expect(PhoneNumberQuery.parse("+14155550123")).toBe("+14155550123");
});

test("a sender ID in a query may start with a space too", () => {
  const { from, sender_id } = Object.fromEntries(new URLSearchParams("from=+14155550123&sender_id=+14155550123"));
  expect(ListMessagesQuery.parse({ from })).toMatchObject({ from: "+14155550123" });
  expect(ListSuppressionsQuery.parse({ sender_id })).toMatchObject({ sender_id: "+14155550123" });
  expect(ListMessagesQuery.parse({ from: "My Shop" })).toMatchObject({ from: "My Shop" });
});

test.each(["", " ", "14155550123", "  14155550123", "+ 14155550123", "+1415", "nobody"])(
  "%j is not a number",
  (text) => {
    expect(PhoneNumberQuery.safeParse(text).success).toBe(false);
  },
);
