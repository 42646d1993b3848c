/**
 * Splits a text into the parts of an SMS and encodes it in GSM-7 (3GPP TS 23.038 and 23.040) with separate tables, character by
 * character, for comparison with the product.
 */

const codes = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);

const ESCAPE = 0x1b;

/** Code points of the default alphabet in the order of their septets, without the escape. */
export const BASIC_CODE_POINTS: readonly number[] = [
  [0x40, 0xa3, 0x24, 0xa5, 0xe8, 0xe9, 0xf9, 0xec, 0xf2, 0xc7, 0x0a, 0xd8, 0xf8, 0x0d, 0xc5, 0xe5],
  [0x394, 0x5f, 0x3a6, 0x393, 0x39b, 0x3a9, 0x3a0, 0x3a8, 0x3a3, 0x398, 0x39e, 0xc6, 0xe6, 0xdf, 0xc9],
  [0x20, 0x21, 0x22, 0x23, 0xa4, ...codes(0x25, 0x3f)],
  [0xa1, ...codes(0x41, 0x5a), 0xc4, 0xd6, 0xd1, 0xdc, 0xa7],
  [0xbf, ...codes(0x61, 0x7a), 0xe4, 0xf6, 0xf1, 0xfc, 0xe0],
].flat();

/** Characters of the extension table: the escape and this septet. */
export const EXTENSION: Readonly<Record<string, number>> = {
  "\f": 0x0a,
  "^": 0x14,
  "{": 0x28,
  "}": 0x29,
  "\\": 0x2f,
  "[": 0x3c,
  "~": 0x3d,
  "]": 0x3e,
  "|": 0x40,
  "€": 0x65,
};

const SEPTETS: ReadonlyMap<string, readonly number[]> = new Map([
  ...BASIC_CODE_POINTS.map((code, at): [string, number[]] => [String.fromCharCode(code), [at < ESCAPE ? at : at + 1]]),
  ...Object.entries(EXTENSION).map(([character, septet]): [string, number[]] => [character, [ESCAPE, septet]]),
]);

const isGsm7 = (body: string): boolean => [...body].every((character) => SEPTETS.has(character));

/** One octet for each septet; null for a text that GSM-7 cannot write. */
export const encodeGsm7 = (body: string): Uint8Array | null =>
  isGsm7(body) ? Uint8Array.from([...body].flatMap((character) => SEPTETS.get(character) ?? [])) : null;

/** The texts of the parts, all in the encoding of the whole; joined, they are the text. No character is cut. */
export function splitText(body: string): string[] {
  const isGsm = isGsm7(body);
  const sizeOf = (text: string) => (isGsm ? (encodeGsm7(text)?.length ?? 0) : text.length);
  const [alone, joined] = isGsm ? [160, 153] : [70, 67];
  if (sizeOf(body) <= alone) return [body];
  const parts: string[] = [];
  let part = "";
  let size = 0;
  for (const character of body) {
    if (size + sizeOf(character) > joined) {
      parts.push(part);
      part = "";
      size = 0;
    }
    part += character;
    size += sizeOf(character);
  }
  return [...parts, part];
}
