import { expect, test } from "vitest";
import { spellingsOf } from "./sender-spellings";

test.each(["14155550100", "+14155550100", "+1 (415) 555-0100", "0014155550100", "tel:+14155550100"])(
  "%j means the sender with the same digits, with its plus and without",
  (to) => {
    expect(spellingsOf(to)).toEqual(["+14155550100", "14155550100"]);
  },
);

test.each(["12345", "747", "ACME", "Acme Shop", ""])("%j stands for exactly that sender ID", (to) => {
  expect(spellingsOf(` ${to} `)).toEqual([to]);
});
