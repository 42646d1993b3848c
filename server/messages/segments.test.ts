import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BASIC_CODE_POINTS, EXTENSION, encodeGsm7, splitText } from "@/test/model/sms-parts";
import { MODEL_TIMES } from "@/test/model/times";
import { nonGsmCharacters, segmentText } from "./segments";

const ACCENT = "\u0301";
const RAINBOW_FLAG = "\u{1F3F3}\uFE0F\u200D\u{1F308}";
const ITALY = "\u{1F1EE}\u{1F1F9}";

const BASIC = BASIC_CODE_POINTS.map((code) => String.fromCharCode(code)).join("");

function codes(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

type Row = readonly [text: string, encoding: "G" | "U", segments: number, units: number];

const CORPUS: readonly Row[] = [
  ["a".repeat(160), "G", 1, 160],
  ["a".repeat(161), "G", 2, 161],
  ["a".repeat(306), "G", 2, 306],
  ["a".repeat(307), "G", 3, 307],
  ["a".repeat(459), "G", 3, 459],
  ["a".repeat(460), "G", 4, 460],
  [`${"a".repeat(158)}€`, "G", 1, 160],
  [`${"a".repeat(159)}€`, "G", 2, 161],
  ["€".repeat(80), "G", 1, 160],
  ["€".repeat(81), "G", 2, 162],
  ["€".repeat(152), "G", 2, 304],
  ["€".repeat(153), "G", 3, 306],
  [`${"a".repeat(152)}€${"a".repeat(151)}`, "G", 2, 305],
  [`${"a".repeat(152)}€${"a".repeat(152)}`, "G", 3, 306],
  [`${"a".repeat(152)}€${"a".repeat(153)}`, "G", 3, 307],
  [`${"a".repeat(152)}€${"a".repeat(8)}`, "G", 2, 162],
  ["\f".repeat(80), "G", 1, 160],
  ["[".repeat(77), "G", 1, 154],
  ["\r\n".repeat(80), "G", 1, 160],
  [BASIC, "G", 1, 127],
  ["Ç".repeat(160), "G", 1, 160],
  ["Δ".repeat(160), "G", 1, 160],
  ["я".repeat(70), "U", 1, 70],
  ["я".repeat(71), "U", 2, 71],
  ["я".repeat(134), "U", 2, 134],
  ["я".repeat(135), "U", 3, 135],
  ["😀".repeat(35), "U", 1, 70],
  ["😀".repeat(36), "U", 2, 72],
  ["😀".repeat(66), "U", 2, 132],
  ["😀".repeat(67), "U", 3, 134],
  [`${"я".repeat(66)}😀${"я".repeat(3)}`, "U", 2, 71],
  [`${"я".repeat(66)}😀${"я".repeat(65)}`, "U", 2, 133],
  [`${"я".repeat(66)}😀${"я".repeat(66)}`, "U", 3, 134],
  [`a${ACCENT.repeat(70)}`, "U", 2, 71],
  ["\uD83D", "U", 1, 1],
  ["\t", "U", 1, 1],
  ["\u001B", "U", 1, 1],
  ["\u00A0", "U", 1, 1],
  ["\u2019", "U", 1, 1],
  ["`".repeat(160), "U", 3, 160],
  ["ç".repeat(70), "U", 1, 70],
  [`e${ACCENT}`, "U", 1, 2],
  [`😜${"1".repeat(68)}`, "U", 1, 70],
  [`😜${"1".repeat(69)}`, "U", 2, 71],
  [`${ITALY}${"1".repeat(66)}`, "U", 1, 70],
  [`${ITALY}${"1".repeat(67)}`, "U", 2, 71],
  [`${RAINBOW_FLAG}${"1".repeat(64)}`, "U", 1, 70],
  [`${RAINBOW_FLAG}${"1".repeat(65)}`, "U", 2, 71],
  [`😀${"]".repeat(68)}`, "U", 1, 70],
  [`😀${"]".repeat(69)}`, "U", 2, 71],
  [`e${ACCENT.repeat(3)}${"1".repeat(66)}`, "U", 1, 70],
  [`e${ACCENT.repeat(3)}${"1".repeat(67)}`, "U", 2, 71],
  // A grapheme may be cut, and a grapheme longer than a segment must be.
  [`${"я".repeat(64)}${RAINBOW_FLAG}${"я".repeat(64)}`, "U", 2, 134],
  [`a${ACCENT.repeat(200)}`, "U", 3, 201],
  [`${"я".repeat(69)}\uD83D`, "U", 1, 70],
  ...[..."|^€{}[]~\\"].flatMap((character): Row[] => [
    [character + "a".repeat(158), "G", 1, 160],
    [character + "a".repeat(159), "G", 2, 161],
  ]),
  ...[..."ÁÚúçíÍóÓêáÀÊ"].flatMap((character): Row[] => [
    [character.repeat(70), "U", 1, 70],
    [character.repeat(71), "U", 2, 71],
  ]),
];

/** Texts around all limits: one- and two-septet characters, BMP, surrogate pairs, and lone surrogates in any order. */
const anyText = fc
  .array(fc.constantFrom("a", "Ω", "€", "[", "я", "😀", "\uD83D", "\uDE00", "\n"), { maxLength: 520, size: "max" })
  .map((characters) => characters.join(""));
const gsmText = fc
  .array(fc.constantFrom("a", "Ω", "€", "[", "\n"), { maxLength: 520, size: "max" })
  .map((characters) => characters.join(""));
const text = fc.oneof(anyText, gsmText, fc.string({ unit: "binary", maxLength: 300 }));

function unitsOf(part: string, encoding: string): number {
  if (encoding === "UCS-2") return part.length;
  return [...part].reduce((sum, character) => sum + (character in EXTENSION ? 2 : 1), 0);
}

describe("segmentText", () => {
  it.each(CORPUS.map((row) => ({ row, title: JSON.stringify(row[0]).slice(0, 24) })))("$title", ({ row }) => {
    const [body, encoding, segments, units] = row;
    expect(segmentText(body)).toMatchObject({ encoding: encoding === "G" ? "GSM-7" : "UCS-2", segments, units });
  });

  it.each([
    ["", { encoding: "GSM-7", segments: 1, units: 0, unitsPerSegment: 160, unitsLeft: 160 }],
    ["a".repeat(160), { encoding: "GSM-7", segments: 1, units: 160, unitsPerSegment: 160, unitsLeft: 0 }],
    ["a".repeat(161), { encoding: "GSM-7", segments: 2, units: 161, unitsPerSegment: 153, unitsLeft: 145 }],
    ["a".repeat(306), { encoding: "GSM-7", segments: 2, units: 306, unitsPerSegment: 153, unitsLeft: 0 }],
    // 76 + 5 characters of two septets: the lost septet of the first part is not free.
    ["€".repeat(81), { encoding: "GSM-7", segments: 2, units: 162, unitsPerSegment: 153, unitsLeft: 143 }],
    ["я".repeat(69), { encoding: "UCS-2", segments: 1, units: 69, unitsPerSegment: 70, unitsLeft: 1 }],
    ["я".repeat(71), { encoding: "UCS-2", segments: 2, units: 71, unitsPerSegment: 67, unitsLeft: 63 }],
    ["😀".repeat(36), { encoding: "UCS-2", segments: 2, units: 72, unitsPerSegment: 67, unitsLeft: 61 }],
  ])("reports the units that are left (%#)", (body, expected) => {
    expect(segmentText(body)).toEqual(expected);
  });

  it("takes exactly the 127 basic and 10 extension characters for GSM-7", () => {
    const gsm = codes(0, 0xffff).filter((code) => segmentText(String.fromCharCode(code)).encoding === "GSM-7");
    const expected = [...BASIC_CODE_POINTS, ...Object.keys(EXTENSION).map((character) => character.charCodeAt(0))];
    expect(gsm).toEqual(expected.sort((a, b) => a - b));
    expect(gsm).toHaveLength(137);
  });
});

describe("segmentText, compared with actually splitting and encoding the text", () => {
  it("counts the parts and their units, and wastes none", () => {
    fc.assert(
      fc.property(text, (body) => {
        const counted = segmentText(body);
        const parts = splitText(body);
        const sizes = parts.map((part) => unitsOf(part, counted.encoding));
        expect(parts.join("")).toBe(body);
        expect(parts).toHaveLength(counted.segments);
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(counted.units);
        expect(counted.unitsLeft).toBe(counted.unitsPerSegment - (sizes.at(-1) ?? 0));
        expect(Math.max(...sizes)).toBeLessThanOrEqual(counted.unitsPerSegment);
        const limits = counted.encoding === "GSM-7" ? [160, 153] : [70, 67];
        expect(counted.unitsPerSegment).toBe(limits[parts.length === 1 ? 0 : 1]);
        parts.slice(1).forEach((part, i) => {
          const [first = ""] = part;
          expect((sizes[i] ?? 0) + unitsOf(first, counted.encoding)).toBeGreaterThan(counted.unitsPerSegment);
          expect(`${parts[i]?.at(-1)}${part[0]}`).not.toMatch(/[\uD800-\uDBFF][\uDC00-\uDFFF]/);
        });
      }),
      { numRuns: 500 * MODEL_TIMES },
    );
  });

  it("counts the septets of every GSM-7 text, and takes no other text for GSM-7", () => {
    fc.assert(
      fc.property(text, (body) => {
        const { encoding, units } = segmentText(body);
        expect(encodeGsm7(body)?.length ?? null).toBe(encoding === "GSM-7" ? units : null);
      }),
    );
  });
});

describe("nonGsmCharacters", () => {
  it("returns every occurrence with its index in UTF-16 units", () => {
    expect(nonGsmCharacters("a😀ç\uD83D€ç")).toEqual([
      { character: "😀", index: 1, codePoint: 0x1f600 },
      { character: "ç", index: 3, codePoint: 0xe7 },
      { character: "\uD83D", index: 4, codePoint: 0xd83d },
      { character: "ç", index: 6, codePoint: 0xe7 },
    ]);
  });

  it("is empty exactly when the text is GSM-7, and its indexes point at its characters", () => {
    expect(nonGsmCharacters(BASIC + Object.keys(EXTENSION).join(""))).toEqual([]);
    fc.assert(
      fc.property(text, (body) => {
        const found = nonGsmCharacters(body);
        expect(found.length === 0).toBe(segmentText(body).encoding === "GSM-7");
        for (const { character, index } of found) expect(body.slice(index, index + character.length)).toBe(character);
      }),
    );
  });
});
