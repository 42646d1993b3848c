import { describe, expect, test } from "vitest";
import { BASIC_CODE_POINTS, EXTENSION, encodeGsm7, splitText } from "./sms-parts";

describe("encodeGsm7", () => {
  test("encodes a basic character as its septet, and one of the extension table as the escape and its septet", () => {
    const basic = String.fromCharCode(...BASIC_CODE_POINTS);
    const septets = Array.from({ length: 128 }, (_, septet) => septet).filter((septet) => septet !== 0x1b);
    expect([...(encodeGsm7(basic) ?? [])]).toEqual(septets);
    for (const [character, septet] of Object.entries(EXTENSION)) {
      expect([...(encodeGsm7(`a${character}@`) ?? [])]).toEqual([0x61, 0x1b, septet, 0]);
    }
  });

  test("refuses every other text", () => {
    expect(encodeGsm7("")).toEqual(new Uint8Array(0));
    for (const body of ["aя", "\u001b", "😀", "\uD83D"]) expect(encodeGsm7(body)).toBeNull();
  });
});

describe("splitText", () => {
  test("keeps an extension character and a surrogate pair whole", () => {
    expect(splitText(`${"a".repeat(152)}€${"b".repeat(8)}`)).toEqual(["a".repeat(152), `€${"b".repeat(8)}`]);
    expect(splitText(`${"я".repeat(66)}😀яяя`)).toEqual(["я".repeat(66), "😀яяя"]);
  });

  test("fills a part to its last unit", () => {
    expect(splitText("a".repeat(161)).map((part) => part.length)).toEqual([153, 8]);
    expect(splitText("я".repeat(135)).map((part) => part.length)).toEqual([67, 67, 1]);
    // A low surrogate without a high one before it is a separate character.
    expect(splitText("\uDE00".repeat(71)).map((part) => part.length)).toEqual([67, 4]);
  });

  test("returns one part for a text of one segment, and for the empty text", () => {
    expect(splitText("")).toEqual([""]);
    expect(splitText("a".repeat(160))).toHaveLength(1);
  });
});
