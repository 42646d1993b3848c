/** The alphabets of SMPP texts: GSM 03.38 with one octet for a septet, UCS-2, and others that centres send. */
import { BASIC_ALPHABET, ESCAPE, EXTENSION_TABLE } from "../../messages/segments";

/** Characters of the extension table by the septet that follows the escape. */
const EXTENSIONS: ReadonlyMap<number, string> = new Map(
  EXTENSION_TABLE.map(([character, septet]) => [septet, character]),
);

const SEPTETS: ReadonlyMap<string, Buffer> = new Map([
  ...[...BASIC_ALPHABET].flatMap((character, septet): [string, Buffer][] =>
    septet === ESCAPE ? [] : [[character, Buffer.of(septet)]],
  ),
  ...EXTENSION_TABLE.map(([character, septet]): [string, Buffer] => [character, Buffer.of(ESCAPE, septet)]),
]);

/** The default alphabet of a centre, which data_coding 0 stands for: GSM 03.38 with one octet for a septet, or another. */
export type Alphabet = "gsm" | "latin1" | "ascii";

/**
 * A text as the octets of each character; a part must not split a character. `units`: the character's size in an SMS, in septets with
 * data_coding 0, whatever the octets, else in octets.
 */
export type EncodedText = { dataCoding: number; characters: { octets: Buffer; units: number }[] };

const DATA_CODING = { default: 0, ia5: 1, latin1: 3, cyrillic: 6, hebrew: 7, ucs2: 8 } as const;
/** 8-bit data without an alphabet, which some centres also put on texts. */
const BINARY = new Set([2, 4]);

/** Highest code point of the alphabets in which an octet is a code point. */
const HIGHEST = { latin1: 0xff, ascii: 0x7f } as const;

/** A character as octets of the centre's default alphabet; null: that alphabet or GSM 03.38 lacks it. */
function defaultOctets(character: string, alphabet: Alphabet): { octets: Buffer; units: number } | null {
  const septets = SEPTETS.get(character);
  if (!septets) return null;
  if (alphabet === "gsm") return { octets: septets, units: septets.length };
  const code = character.charCodeAt(0);
  return code <= HIGHEST[alphabet] ? { octets: Buffer.of(code), units: septets.length } : null;
}

/**
 * Encodes a text: in the centre's default alphabet (data_coding 0) if both that and GSM 03.38, in which the text travels
 * on, have all its characters, else in UCS-2 (8). Never throws.
 */
export function encodeText(body: string, alphabet: Alphabet = "gsm"): EncodedText {
  const characters = [...body];
  const inDefault = characters.map((character) => defaultOctets(character, alphabet)).filter((found) => found !== null);
  if (inDefault.length === characters.length) return { dataCoding: DATA_CODING.default, characters: inDefault };
  return {
    dataCoding: DATA_CODING.ucs2,
    characters: characters.map((character) => {
      const octets = Buffer.from(character, "utf16le").swap16();
      return { octets, units: octets.length };
    }),
  };
}

function decodeGsm(octets: Buffer): string {
  // An octet above 0x7F is not a septet, so this centre uses another default alphabet, mostly Latin-1.
  if (octets.some((octet) => octet > 0x7f)) return octets.toString("latin1");
  let text = "";
  for (let i = 0; i < octets.length; i++) {
    const isEscaped = octets[i] === ESCAPE;
    if (isEscaped) i += 1;
    const septet = octets[i];
    // An escape is ignored before an unknown septet, before another escape and at the end.
    if (septet === undefined || septet === ESCAPE) continue;
    text += (isEscaped ? EXTENSIONS.get(septet) : undefined) ?? BASIC_ALPHABET.charAt(septet);
  }
  return text;
}

const decodeUcs2 = (octets: Buffer): string =>
  Buffer.from(octets.subarray(0, octets.length & ~1))
    .swap16()
    .toString("utf16le");

/** The alphabet of a data_coding; null: not a text, or an unknown alphabet. */
function alphabetOf(dataCoding: number): keyof typeof DATA_CODING | null {
  const plain = Object.entries(DATA_CODING).find(([, value]) => value === dataCoding);
  if (plain) return plain[0] as keyof typeof DATA_CODING;
  // From 0x10 on: the octet of 3GPP TS 23.038 section 4, with message classes and waiting indications.
  const group = dataCoding >> 4;
  if (group === 0xf) return dataCoding & 0x04 ? null : "default";
  if (group === 0xe) return "ucs2";
  if (group === 0xc || group === 0xd) return "default";
  if (group < 1 || group > 3) return null;
  const bits = dataCoding & 0x0c;
  if (bits === 0x08) return "ucs2";
  return bits === 0 ? "default" : null;
}

/** 8-bit data as a text, if possible: UTF-8, otherwise Latin-1, with no control characters except line breaks and tabs. */
function decodeBinary(octets: Buffer): string | null {
  const utf8 = octets.toString("utf8");
  const text = utf8.includes("\ufffd") ? octets.toString("latin1") : utf8;
  return /[^\P{Cc}\r\n\t]/u.test(text) ? null : text;
}

/**
 * Decodes octets by their data_coding; null when they are not a text. Never throws.
 * @param ofCentre the centre's default alphabet.
 */
export function decodeText(octets: Buffer, dataCoding: number, ofCentre: Alphabet = "gsm"): string | null {
  if (BINARY.has(dataCoding)) return decodeBinary(octets);
  const alphabet = alphabetOf(dataCoding);
  if (alphabet === null) return null;
  if (dataCoding === DATA_CODING.default && ofCentre !== "gsm") return octets.toString("latin1");
  if (alphabet === "default") return decodeGsm(octets);
  if (alphabet === "ucs2") return decodeUcs2(octets);
  if (alphabet === "cyrillic") return new TextDecoder("iso-8859-5").decode(octets);
  if (alphabet === "hebrew") return new TextDecoder("iso-8859-8").decode(octets);
  return octets.toString("latin1");
}
