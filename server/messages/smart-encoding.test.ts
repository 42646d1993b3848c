import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BODY_MAX_CHARACTERS, nonGsmCharacters, segmentText } from "./segments";
import { gsmSubstituteFor, gsmSubstitutes, toGsmPunctuation } from "./smart-encoding";

const ACUTE = "\u0301";
const FAMILY = "\u{1F468}\u200D\u{1F469}\u200D\u{1F467}";

const anyText = fc.string({ unit: "binary", maxLength: 400 });
/** Characters with a substitute that is not just their composed form. */
const REPLACEABLE = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(
  (character) => character.normalize("NFC") === character && gsmSubstituteFor(character) !== null,
);
const replaceable = fc.constantFrom(...REPLACEABLE);
const gsm = fc.constantFrom(...'@£$¥èéùìòÇ\nØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&()*+,-./09:;<=>?¡AZÄÖÑÜ§¿azäöñüà^{}\\[~]|€');

describe("replacements", () => {
  test.each([
    ["“Hello” – it’s us…", '"Hello" - it\'s us...'],
    ["„Gut“ «bon» ‹ok› 6′ 2″", '"Gut" "bon" \'ok\' 6\' 2"'],
    ["10\u00a0000\u202fUSD\tnow\u3000", "10 000 USD now "],
    ["• one\u2028• two", "* one\n* two"],
    ["a\u2014b\u2212c\u2011d\u2010e", "a-b-c-d-e"],
    ["co\u00adoperate\u200b\ufeff", "cooperate"],
    [`cafe${ACUTE} A\u030a n\u0303`, "café Å ñ"],
    ["10 \u2126, 20 \u212a, 3 \u212b", "10 Ω, 20 K, 3 Å"],
    ["what\u037e", "what;"],
    ["½ `quoted` ¦", "½ 'quoted' |"],
  ])("%j is sent as %j", (typed, sent) => {
    expect(toGsmPunctuation(typed).body).toBe(sent);
  });

  test("letters, digits, emoji and their joiners stay, also next to replaced characters", () => {
    for (const kept of ["Zażółć gęślą jaźń", "Привет", "日本語。", "①②", FAMILY, "❤️", "‼️", `o${ACUTE}`, "שלום\u200f"]) {
      expect(toGsmPunctuation(`“${kept}”`).body).toBe(`"${kept}"`);
    }
  });

  test("characters are counted, a letter with its accents as one", () => {
    expect(toGsmPunctuation(`“e${ACUTE}”…`)).toEqual({ body: '"é"...', replaced: 4 });
    expect(toGsmPunctuation("plain")).toEqual({ body: "plain", replaced: 0 });
  });

  test("no letters or digits except modifiers are replaced, and every substitute is GSM-7", () => {
    expect(REPLACEABLE.length).toBeGreaterThan(50);
    for (const character of REPLACEABLE) {
      expect(/[\p{L}\p{N}]/u.test(character) && !/\p{Lm}/u.test(character), character).toBe(false);
      expect(segmentText(gsmSubstituteFor(character) ?? "ą").encoding).toBe("GSM-7");
    }
  });
});

describe("for every text", () => {
  test("GSM-7 is left untouched", () => {
    fc.assert(
      fc.property(fc.string({ unit: gsm, maxLength: 400 }), (body) => {
        expect(toGsmPunctuation(body)).toEqual({ body, replaced: 0 });
      }),
    );
  });

  test("a text whose other characters all have a substitute becomes GSM-7, unless it is kept as typed", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.oneof({ weight: 9, arbitrary: gsm }, replaceable), maxLength: 1_600 }),
        (body) => {
          const result = toGsmPunctuation(body);
          if (result.body === body) fc.pre(segmentText(body).encoding === "GSM-7");
          expect(segmentText(result.body).encoding).toBe("GSM-7");
        },
      ),
    );
  });

  test("the result never needs more segments, exceeds the limit, becomes empty, or changes again", () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.string({ unit: fc.oneof(gsm, replaceable), minLength: 1 })), (body) => {
        const result = toGsmPunctuation(body);
        expect(segmentText(result.body).segments).toBeLessThanOrEqual(segmentText(body).segments);
        expect(result.body === "").toBe(body === "");
        expect(toGsmPunctuation(result.body).body).toBe(result.body);
        expect(result.replaced > 0).toBe(result.body !== body);
      }),
    );
  });

  test("substitutes are reported for exactly the replaced characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.oneof(gsm, replaceable), maxLength: 60 }), (body) => {
        const substitutes = gsmSubstitutes(body);
        expect([...substitutes.keys()]).toEqual(nonGsmCharacters(body).map((found) => found.index));
      }),
    );
    expect(gsmSubstitutes(`e${ACUTE}ą“`)).toEqual(
      new Map([
        [0, "é"],
        [1, "é"],
        [3, '"'],
      ]),
    );
  });
});

describe("texts kept as typed", () => {
  test("a text that would exceed the maximum length", () => {
    const longest = `${"a".repeat(BODY_MAX_CHARACTERS - 3)}…`;
    expect(toGsmPunctuation(longest).body).toHaveLength(BODY_MAX_CHARACTERS);
    expect(toGsmPunctuation(`a${longest}`)).toEqual({ body: `a${longest}`, replaced: 0 });
  });

  test("length is counted in code points", () => {
    const body = `${"😀".repeat(BODY_MAX_CHARACTERS - 3)}…`;
    expect([...toGsmPunctuation(body).body]).toHaveLength(BODY_MAX_CHARACTERS);
    expect(toGsmPunctuation(`😀${body}`)).toEqual({ body: `😀${body}`, replaced: 0 });
  });

  test("a text that would need more segments, or become empty", () => {
    expect(toGsmPunctuation("…".repeat(53)).replaced).toBe(53);
    expect(toGsmPunctuation("…".repeat(54))).toEqual({ body: "…".repeat(54), replaced: 0 });
    expect(toGsmPunctuation("\u200b")).toEqual({ body: "\u200b", replaced: 0 });
  });
});

test.each([
  ["“", '"'],
  ["…", "..."],
  ["\u200b", ""],
  [`e${ACUTE}`, "é"],
  [ACUTE, null],
  ["ą", null],
  ["😀", null],
  ["a", null],
  ["€", null],
])("the substitute for %j alone is %j", (character, substitute) => {
  expect(gsmSubstituteFor(character)).toBe(substitute);
});
