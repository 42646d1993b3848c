/**
 * Smart encoding: replaces typographic punctuation and unusual spaces by GSM-7 characters, so that one curly quote does not
 * make a whole text UCS-2. Letters are never replaced by others (ą stays ą), because that changes words.
 */
import { BODY_MAX_CHARACTERS, segmentText } from "./segments";

/**
 * Substitutes and the characters that they replace. Left out on purpose: emoji and their joiners, directional marks, and the
 * punctuation of scripts that GSM-7 does not have anyway.
 */
const TABLE: readonly (readonly [substitute: string, characters: string])[] = [
  // Curly, low and reversed double quotes, guillemets, double primes, ornamental quotes.
  ['"', "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u2036\u275d\u275e\u02ba\u02dd\u02ee"],
  // Single ones, accents typed as quotes, modifier letter apostrophes.
  ["'", "\u2018\u2019\u201a\u201b\u2039\u203a\u2032\u2035\u275b\u275c`\u00b4\u02b9\u02bb\u02bc\u02bd"],
  ["'''", "\u2034\u2037"],
  // Hyphens, figure, en and em dash, horizontal bar, hyphen bullet, minus signs.
  ["-", "\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\u02d7\ufe58\ufe63"],
  ["--", "\u2e3a"],
  ["---", "\u2e3b"],
  // Ellipses, leaders, middle dots.
  ["...", "\u2026\u22ef"],
  ["..", "\u2025"],
  [".", "\u2024\u00b7\u2027"],
  // Bullets and low or operator asterisks.
  ["*", "\u2022\u2023\u25e6\u2219\u25cf\u25cb\u204c\u204d\u204e\u2217"],
  ["!!", "\u203c"],
  ["??", "\u2047"],
  ["?!", "\u2048\u203d"],
  ["!?", "\u2049"],
  // Fraction and division slash, broken and double bar, double low line, ratio, reversed semicolon, caret, tildes.
  ["/", "\u2044\u2215"],
  ["|", "\u00a6"],
  ["||", "\u2016"],
  ["_", "\u2017"],
  [":", "\u2236"],
  [";", "\u204f"],
  ["^", "\u02c6\u2038"],
  ["~", "\u02dc\u2053"],
  ["<", "\u27e8"],
  [">", "\u27e9"],
  ["[", "\u2045"],
  ["]", "\u2046"],
  // Tab, no-break, ogham, the eleven of fixed width, narrow no-break, mathematical and ideographic space.
  [" ", "\t\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"],
  // Vertical tab, next line, line and paragraph separator.
  ["\n", "\u000b\u0085\u2028\u2029"],
  // Invisible: soft hyphen, zero-width space, word joiner, byte order mark.
  ["", "\u00ad\u200b\u2060\ufeff"],
];

const SUBSTITUTES: ReadonlyMap<string, string> = new Map(
  TABLE.flatMap(([substitute, characters]) => [...characters].map((character) => [character, substitute])),
);

/** A character with its combining marks, or a single one that is not plain ASCII. */
const CANDIDATE = /\P{M}\p{M}+|[^\n\r !-_a-~]/gsu;

const isGsm = (text: string): boolean => segmentText(text).encoding === "GSM-7";

/** Substitutes that were looked for: of a text in Cyrillic letters each would be looked for hundreds of times. */
const known = new Map<string, string | null>();
const KNOWN_MAX = 10_000;
/** Longer characters have any number of combining marks. */
const KNOWN_UNITS_MAX = 4;

/**
 * The GSM-7 substitute of one character, possibly longer or empty. A letter with combining marks counts as one character,
 * and its substitute is the composed letter where GSM-7 has it (e and U+0301 are é).
 * @returns null for a character that is GSM-7 already or has no substitute.
 */
export function gsmSubstituteFor(character: string): string | null {
  const found = known.get(character);
  if (found !== undefined) return found;
  const substitute = findSubstitute(character);
  if (known.size >= KNOWN_MAX) known.clear();
  if (character.length <= KNOWN_UNITS_MAX) known.set(character, substitute);
  return substitute;
}

function findSubstitute(character: string): string | null {
  if (isGsm(character)) return null;
  const composed = character.normalize("NFC");
  return isGsm(composed) ? composed : (SUBSTITUTES.get(composed) ?? null);
}

/** The substitutes in a text, by the index (UTF-16 code units) of every code unit that they replace. */
export function gsmSubstitutes(body: string): Map<number, string> {
  const found = new Map<number, string>();
  for (const { 0: character, index } of body.matchAll(CANDIDATE)) {
    const substitute = gsmSubstituteFor(character);
    if (substitute === null) continue;
    for (let at = index; at < index + character.length; at++) found.set(at, substitute);
  }
  return found;
}

/** The limit is in code points; a text within it in code units need not be counted. */
const isTooLong = (text: string): boolean =>
  text.length > BODY_MAX_CHARACTERS && [...text].length > BODY_MAX_CHARACTERS;

/**
 * Replaces every character that has a substitute, and counts them. Any other non-GSM character stays, and with it UCS-2.
 * Never makes a message more expensive or invalid: the text is kept as typed when the result would be empty, longer than
 * allowed, or need more segments (an ellipsis becomes three dots).
 */
export function toGsmPunctuation(body: string): { body: string; replaced: number } {
  const typed = segmentText(body);
  if (typed.encoding === "GSM-7") return { body, replaced: 0 };
  let replaced = 0;
  const result = body.replace(CANDIDATE, (character) => {
    const substitute = gsmSubstituteFor(character);
    if (substitute === null) return character;
    replaced += 1;
    return substitute;
  });
  const isUnfit = result === "" || isTooLong(result);
  if (isUnfit || segmentText(result).segments > typed.segments) return { body, replaced: 0 };
  return { body: result, replaced };
}
