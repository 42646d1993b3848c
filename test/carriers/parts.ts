/** How a carrier splits a text (3GPP TS 23.038 and 23.040), implemented independently of the product. */

/** auto: GSM-7 when the text allows it. gsm and ucs2: as the request demanded. */
export type PartEncoding = "auto" | "gsm" | "ucs2";

const BASIC = new Set(
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?" +
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà",
);
const EXTENSION = new Set("\f^{}\\[~]|€");

const isGsm = (character: string) => BASIC.has(character) || EXTENSION.has(character);

/** The text as it arrives when a carrier forces it into GSM-7: every other character becomes `?`. */
export const forceGsm = (text: string): string =>
  Array.from(text, (character) => (isGsm(character) ? character : "?")).join("");

/** The encoding in which a text is sent. */
export const encodingOf = (text: string): "gsm" | "ucs2" => (Array.from(text).every(isGsm) ? "gsm" : "ucs2");

/** Parts of a text: septets of 160 or 153, or UTF-16 units of 70 or 67; no character is cut in two. */
export function countParts(text: string, encoding: PartEncoding = "auto"): number {
  const used = encoding === "auto" ? encodingOf(text) : encoding;
  const sizes = Array.from(text, (character) =>
    used === "ucs2" ? character.length : EXTENSION.has(character) ? 2 : 1,
  );
  const [alone, joined] = used === "ucs2" ? [70, 67] : [160, 153];
  if (sizes.reduce((sum, size) => sum + size, 0) <= alone) return 1;
  let parts = 1;
  let filled = 0;
  for (const size of sizes) {
    if (filled + size > joined) {
      parts += 1;
      filled = 0;
    }
    filled += size;
  }
  return parts;
}
