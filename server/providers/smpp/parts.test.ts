import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeGsm7, splitText } from "@/test/model/sms-parts";
import { MODEL_TIMES } from "@/test/model/times";
import { segmentText } from "../../messages/segments";
import { type LongText, partsOf } from "./parts";
import { decodeText, encodeText } from "./text";

/** Texts around every limit: one and two septets, BMP, surrogate pairs, and lone surrogates in any order. */
const anyText = fc
  .array(fc.constantFrom("a", "Ω", "€", "[", "я", "😀", "\uD83D", "\uDE00", "\n"), { maxLength: 520, size: "max" })
  .map((characters) => characters.join(""));
const gsmText = fc
  .array(fc.constantFrom("a", "Ω", "€", "[", "\n"), { maxLength: 520, size: "max" })
  .map((characters) => characters.join(""));
const text = fc.oneof(anyText, gsmText, fc.string({ unit: "binary", maxLength: 300 }));

const utf16 = (body: string) => Buffer.from(body, "utf16le").swap16();
const octetsOf = (body: string) => Buffer.from(encodeGsm7(body) ?? utf16(body));

describe("partsOf", () => {
  it("makes the billed number of parts, split at the same places", () => {
    fc.assert(
      fc.property(text, fc.constantFrom<LongText>("udh", "sar"), (body, longText) => {
        const parts = partsOf(body, longText, 7);
        const { encoding, segments } = segmentText(body);
        const headerOctets = longText === "udh" && segments > 1 ? 6 : 0;
        const expected = splitText(body).map((part) => (encoding === "GSM-7" ? octetsOf(part) : utf16(part)));
        expect(parts).toHaveLength(segments);
        expect(new Set(parts.map((part) => part.data_coding))).toEqual(new Set([encoding === "GSM-7" ? 0 : 8]));
        expect(parts.map((part) => part.short_message.subarray(headerOctets))).toEqual(expected);
      }),
      { numRuns: 500 * MODEL_TIMES },
    );
  });

  it("puts a header with the reference, the number of parts and the position before each part", () => {
    const parts = partsOf("a".repeat(307), "udh", 0x1ff);
    expect(parts.map((part) => [...part.short_message.subarray(0, 6)])).toEqual([
      [5, 0, 3, 0xff, 3, 1],
      [5, 0, 3, 0xff, 3, 2],
      [5, 0, 3, 0xff, 3, 3],
    ]);
    expect(parts.map((part) => [part.esm_class, part.short_message.length])).toEqual([
      [0x40, 159],
      [0x40, 159],
      [0x40, 7],
    ]);
  });

  it.each([
    ["latin1", "é@_$ £", Buffer.from("é@_$ £", "latin1")],
    ["ascii", "a@_$", Buffer.from("a@_$")],
  ] as const)("writes a text in the centre's default alphabet: %s", (alphabet, body, octets) => {
    expect(partsOf(body, "udh", 1, alphabet)).toEqual([{ esm_class: 0, data_coding: 0, short_message: octets }]);
    expect(partsOf(`${body}Ω`, "udh", 1, alphabet)).toMatchObject([
      { data_coding: 8, short_message: utf16(`${body}Ω`) },
    ]);
    // Not in GSM 03.38, in which the handset receives the text.
    expect(partsOf("ê", "udh", 1, alphabet)).toMatchObject([{ data_coding: 8 }]);
  });

  it("counts a character of the extension table twice, even if it is one octet", () => {
    const sizes = (body: string) => partsOf(body, "sar", 1, "latin1").map((part) => part.short_message.length);
    expect(sizes("[".repeat(80))).toEqual([80]);
    expect(sizes("[".repeat(81))).toEqual([76, 5]);
    expect(partsOf("é", "udh", 1, "ascii")).toMatchObject([{ data_coding: 8 }]);
  });

  it("writes the same as SAR fields, without a header in the text", () => {
    expect(partsOf("я".repeat(71), "sar", 0x1ff)).toEqual([
      {
        esm_class: 0,
        data_coding: 8,
        short_message: utf16("я".repeat(67)),
        sar_msg_ref_num: 0x1ff,
        sar_total_segments: 2,
        sar_segment_seqnum: 1,
      },
      expect.objectContaining({ short_message: utf16("яяяя"), sar_segment_seqnum: 2 }),
    ]);
  });

  it("sends a long text in one piece if the centre splits it, and a short one as usual", () => {
    const [only, ...others] = partsOf("a".repeat(400), "payload", 1);
    expect(others).toEqual([]);
    expect(only?.short_message).toHaveLength(0);
    expect(only?.message_payload).toEqual(Buffer.from("a".repeat(400)));
    expect(partsOf("hi", "payload", 1)).toEqual([{ esm_class: 0, data_coding: 0, short_message: Buffer.from("hi") }]);
  });

  it("sends the empty text as one empty part", () => {
    expect(partsOf("", "udh", 1)).toEqual([{ esm_class: 0, data_coding: 0, short_message: Buffer.alloc(0) }]);
  });
});

describe("texts", () => {
  it("are the same after encoding and decoding", () => {
    fc.assert(
      fc.property(text, (body) => {
        const { dataCoding, characters } = encodeText(body);
        expect(decodeText(Buffer.concat(characters.map(({ octets }) => octets)), dataCoding)).toBe(body);
      }),
    );
  });

  it.each([
    ["an extension character", [0x1b, 0x65], 0, "€"],
    ["an escape before an unknown septet", [0x1b, 0x41, 0x1b], 0, "A"],
    ["a default alphabet that is not GSM 03.38", [0x63, 0xe9], 0, "cé"],
    ["IA5, where 0x40 and 0x5F are not those of GSM 03.38", [0x40, 0x5f], 1, "@_"],
    ["Latin-1", [0xea, 0x40], 3, "ê@"],
    ["ISO 8859-5", [0xdf], 6, "п"],
    ["UCS-2 of which an octet is missing", [0x04, 0x1f, 0x04], 8, "П"],
    ["a flash text", [0x00], 0xf0, "@"],
    ["UCS-2 with a message class", [0x04, 0x1f], 0x19, "П"],
  ])("%s", (_title, octets, dataCoding, expected) => {
    expect(decodeText(Buffer.from(octets), dataCoding)).toBe(expected);
  });

  it.each([0x15, 0xf5, 0x80])("does not decode data_coding %i", (dataCoding) => {
    expect(decodeText(Buffer.from("abc"), dataCoding)).toBeNull();
  });
});
