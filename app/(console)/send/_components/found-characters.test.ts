import { expect, test } from "vitest";
import { foundCharacters } from "./found-characters";

const FAMILY = "\u{1F468}\u200D\u{1F469}\u200D\u{1F467}";

test("an emoji of several parts and a letter with its marks are one character", () => {
  expect(foundCharacters(`a ${FAMILY} e\u0301 \u2764\uFE0F ${FAMILY} \u{1F1E9}\u{1F1EA}`)).toEqual([
    { text: FAMILY, index: 2 },
    { text: "e\u0301", index: 11 },
    { text: "\u2764\uFE0F", index: 14 },
    { text: "\u{1F1E9}\u{1F1EA}", index: 26 },
  ]);
});

test("other characters stand alone, each once, and so does a joiner that hides behind a letter", () => {
  expect(foundCharacters("ç\u{1F389}ç a\u200D")).toEqual([
    { text: "ç", index: 0 },
    { text: "\u{1F389}", index: 1 },
    { text: "\u200D", index: 6 },
  ]);
  expect(foundCharacters("Hello\r\n")).toEqual([]);
});
