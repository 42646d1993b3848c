/** Splits a text into submit_sm PDUs. */
import { type Alphabet, type EncodedText, encodeText } from "./text";

/**
 * How a text that does not fit into one SMS is sent: with a header in each part, with separate SAR fields, or in one piece.
 */
export type LongText = "udh" | "sar" | "payload";

/** The fields of a submit_sm that hold its text. */
export type Part = {
  esm_class: number;
  data_coding: number;
  short_message: Buffer;
  message_payload?: Buffer;
  sar_msg_ref_num?: number;
  sar_total_segments?: number;
  sar_segment_seqnum?: number;
};

const HAS_HEADER = 0x40;

/** Units of a single SMS and of a part by data_coding: septets, which are sent one to an octet, or octets. */
const SIZES = { gsm: { single: 160, part: 153 }, ucs2: { single: 140, part: 134 } } as const;

/** Fills parts of `size` units with whole characters. */
function fill(characters: EncodedText["characters"], size: number): Buffer[] {
  const parts: Buffer[][] = [];
  let left = 0;
  for (const { octets, units } of characters) {
    if (units > left) {
      parts.push([]);
      left = size;
    }
    parts.at(-1)?.push(octets);
    left -= units;
  }
  return parts.map((part) => Buffer.concat(part));
}

/**
 * The parts of a text, in order; one when it fits an SMS or goes in one piece. There are at most 255.
 * @param reference identifies the parts of one text; its low 8 (udh) or 16 (sar) bits are sent.
 * @param alphabet default alphabet of the centre.
 */
export function partsOf(body: string, longText: LongText, reference: number, alphabet: Alphabet = "gsm"): Part[] {
  const { dataCoding, characters } = encodeText(body, alphabet);
  const size = dataCoding === 0 ? SIZES.gsm : SIZES.ucs2;
  const whole = Buffer.concat(characters.map(({ octets }) => octets));
  const units = characters.reduce((sum, character) => sum + character.units, 0);
  const plain = { esm_class: 0, data_coding: dataCoding };
  if (units <= size.single) return [{ short_message: whole, ...plain }];
  if (longText === "payload") return [{ short_message: Buffer.alloc(0), message_payload: whole, ...plain }];
  const texts = fill(characters, size.part);
  return texts.map((text, index) => {
    if (longText === "sar") {
      return {
        short_message: text,
        sar_msg_ref_num: reference & 0xffff,
        sar_total_segments: texts.length,
        sar_segment_seqnum: index + 1,
        ...plain,
      };
    }
    const header = Buffer.of(5, 0, 3, reference & 0xff, texts.length, index + 1);
    return { short_message: Buffer.concat([header, text]), ...plain, esm_class: HAS_HEADER };
  });
}
