/**
 * Splits texts into SMS segments: 3GPP TS 23.038 (alphabets) and TS 23.040 section 9.2.3.24.1 (concatenation).
 *
 * Runs in the browser (the counter under the text box) and on the server at every send, so it has no dependencies.
 */

/** The longest text, in code points, as `maxLength` of the API document counts. */
export const BODY_MAX_CHARACTERS = 1_600;

/** The encoding of a whole text: one character outside GSM-7 makes all of it UCS-2. */
export type Encoding = "GSM-7" | "UCS-2";

/** The segments of a text. A unit is one septet in GSM-7 and one UTF-16 code unit in UCS-2. */
export interface Segmentation {
  readonly encoding: Encoding;
  /** Billed segments, at least 1. */
  readonly segments: number;
  /** Units of the text itself, without user data headers and units left unused at the end of a part. */
  readonly units: number;
  /** Capacity of a segment: 160 in GSM-7 and 70 in UCS-2 for a single one, else 153 and 67. */
  readonly unitsPerSegment: number;
  /** Free units in the last segment. */
  readonly unitsLeft: number;
}

/** One character that forces UCS-2. `index` counts UTF-16 code units from the start of the text. */
export interface NonGsmCharacter {
  readonly character: string;
  readonly index: number;
  readonly codePoint: number;
}

/**
 * 3GPP TS 23.038 section 6.2.1, default alphabet: the position is the septet. 0x1B is the escape, not a character.
 */
export const BASIC_ALPHABET =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ" +
  " !\"#¤%&'()*+,-./0123456789:;<=>?" +
  "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§" +
  "¿abcdefghijklmnopqrstuvwxyzäöñüà";

/** 3GPP TS 23.038 section 6.2.1.1, extension table: each is sent as the escape and the septet given here. */
export const EXTENSION_TABLE: readonly (readonly [character: string, septet: number])[] = [
  ["\f", 0x0a],
  ["^", 0x14],
  ["{", 0x28],
  ["}", 0x29],
  ["\\", 0x2f],
  ["[", 0x3c],
  ["~", 0x3d],
  ["]", 0x3e],
  ["|", 0x40],
  ["€", 0x65],
];

/** The septet before one of the extension table. */
export const ESCAPE = 0x1b;
/** Set on the septet of an extension character; a septet itself never uses the eighth bit. */
const EXTENDED = 0x80;
const NOT_GSM = 0xff;

/**
 * Septet of every UTF-16 code unit. It covers all 65,536 of them, so that the hot loop needs no bounds check, map or regular
 * expression; real texts touch only a few of its cache lines.
 */
const SEPTETS = buildSeptets();

function buildSeptets(): Uint8Array {
  const table = new Uint8Array(65_536).fill(NOT_GSM);
  for (let septet = 0; septet < BASIC_ALPHABET.length; septet++) {
    if (septet !== ESCAPE) table[BASIC_ALPHABET.charCodeAt(septet)] = septet;
  }
  for (const [character, septet] of EXTENSION_TABLE) table[character.charCodeAt(0)] = EXTENDED | septet;
  return table;
}

function septetAt(text: string, index: number): number {
  return SEPTETS[text.charCodeAt(index)] ?? NOT_GSM;
}

/** Septets from `start` to the end of the text, or -1 at the first character that GSM-7 does not have. */
function countSeptets(body: string, start: number): number {
  let extensions = 0;
  for (let i = start; i < body.length; i++) {
    const septet = septetAt(body, i);
    if (septet < EXTENDED) continue;
    if (septet === NOT_GSM) return -1;
    extensions++;
  }
  return body.length - start + extensions;
}

/**
 * Counting and splitting rules of one encoding. `partEnd` is the index after the last unit of the part that begins at
 * `start`.
 */
interface Alphabet {
  readonly encoding: Encoding;
  readonly single: number;
  readonly part: number;
  readonly countFrom: (body: string, start: number) => number;
  readonly partEnd: (body: string, start: number) => number;
}

/** 140 octets hold 160 septets; the 6-octet concatenation header and its fill bit take 7 of them. */
const GSM_7: Alphabet = {
  encoding: "GSM-7",
  single: 160,
  part: 153,
  countFrom: countSeptets,
  partEnd: (body, start) => {
    let used = 0;
    for (let i = start; i < body.length; i++) {
      // An escape and its septet must be in one part: a handset that gets them apart shows two wrong characters.
      used += septetAt(body, i) < EXTENDED ? 1 : 2;
      if (used > GSM_7.part) return i;
    }
    return body.length;
  },
};

/** 140 octets hold 70 code units; the 6-octet concatenation header takes 3 of them. */
const UCS_2: Alphabet = {
  encoding: "UCS-2",
  single: 70,
  part: 67,
  countFrom: (body, start) => body.length - start,
  partEnd: (body, start) => {
    const end = start + UCS_2.part;
    if (end >= body.length) return body.length;
    return isInsidePair(body, end) ? end - 1 : end;
  },
};

/** Whether a cut before `index` would split a surrogate pair. */
function isInsidePair(body: string, index: number): boolean {
  return (body.charCodeAt(index - 1) & 0xfc00) === 0xd800 && (body.charCodeAt(index) & 0xfc00) === 0xdc00;
}

function single(alphabet: Alphabet, units: number): Segmentation {
  const unitsPerSegment = alphabet.single;
  return { encoding: alphabet.encoding, segments: 1, units, unitsPerSegment, unitsLeft: unitsPerSegment - units };
}

/** For texts of one-unit characters: every part but the last is full, so the text need not be scanned again. */
function concatenatedEvenly(alphabet: Alphabet, units: number): Segmentation {
  const unitsPerSegment = alphabet.part;
  const segments = Math.ceil(units / unitsPerSegment);
  const unitsLeft = segments * unitsPerSegment - units;
  return { encoding: alphabet.encoding, segments, units, unitsPerSegment, unitsLeft };
}

/** Greedy fill; a part may end one unit short, because a two-unit character moves whole to the next. */
function concatenated(alphabet: Alphabet, body: string, units: number): Segmentation {
  let segments = 0;
  let lastStart = 0;
  for (let start = 0; start < body.length; start = alphabet.partEnd(body, start)) {
    segments++;
    lastStart = start;
  }
  const unitsLeft = alphabet.part - alphabet.countFrom(body, lastStart);
  return { encoding: alphabet.encoding, segments, units, unitsPerSegment: alphabet.part, unitsLeft };
}

/**
 * Counts the segments in which a text is sent and billed (3GPP TS 23.038, TS 23.040; 8-bit concatenation reference).
 *
 * Never throws. The empty text is GSM-7 with 0 units in 1 segment. A lone surrogate is one UCS-2 unit. Grapheme
 * clusters (flags, joined emoji, combining marks) may be cut between two parts, surrogate pairs and escape sequences
 * never are.
 */
export function segmentText(body: string): Segmentation {
  const septets = countSeptets(body, 0);
  if (septets < 0) {
    return body.length <= UCS_2.single ? single(UCS_2, body.length) : concatenated(UCS_2, body, body.length);
  }
  if (septets <= GSM_7.single) return single(GSM_7, septets);
  return septets === body.length ? concatenatedEvenly(GSM_7, septets) : concatenated(GSM_7, body, septets);
}

/**
 * Finds every occurrence of a character that forces UCS-2, in text order, to explain why a text costs more.
 *
 * A surrogate pair is one entry, a lone surrogate is a separate entry. Empty when the text is GSM-7.
 */
export function nonGsmCharacters(body: string): NonGsmCharacter[] {
  const found: NonGsmCharacter[] = [];
  let index = 0;
  for (const character of body) {
    if (septetAt(character, 0) === NOT_GSM) found.push({ character, index, codePoint: character.codePointAt(0) ?? 0 });
    index += character.length;
  }
  return found;
}
