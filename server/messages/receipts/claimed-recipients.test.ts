import { expect, test } from "vitest";
import { isRecipient } from "./claimed-recipients";

test.each(["+491511234567", "491511234567", "00491511234567", "01511234567", "1511234567"])(
  "%s is the recipient",
  (from) => {
    expect(isRecipient("+491511234567", from)).toBe(true);
  },
);

test.each(["", "Shop", "4567", "234567", "+491511234568", "+44491511234567", "1511234567890"])("%s is not", (from) => {
  expect(isRecipient("+491511234567", from)).toBe(false);
});
