import { perLocale } from "@/app/_texts/language";
import { nonGsmCharacters } from "@/server/messages/segments";
import { gsmSubstituteFor } from "@/server/messages/smart-encoding";

/** Characters as a person counts them. `index` and the length of `text` are in UTF-16 code units. */
export type FoundCharacter = { text: string; index: number };

const graphemes = perLocale((locale) => new Intl.Segmenter(locale, { granularity: "grapheme" }));

/** An emoji with joiners, or a letter with marks: its parts alone mean nothing to a person. */
const IS_SEEN_AS_ONE = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{M}/u;

/** The characters that GSM-7 lacks, each once, in text order. A replaceable character is its own entry. */
export function foundCharacters(body: string): FoundCharacter[] {
  const found = new Map<string, FoundCharacter>();
  const note = (one: FoundCharacter) => found.has(one.text) || found.set(one.text, one);
  for (const { segment, index } of graphemes().segment(body)) {
    const lacking = nonGsmCharacters(segment);
    const isOne = [...segment].length > 1 && IS_SEEN_AS_ONE.test(segment);
    if (isOne && lacking.length > 0 && lacking.every(({ character }) => gsmSubstituteFor(character) === null)) {
      note({ text: segment, index });
      continue;
    }
    for (const { character, index: within } of lacking) note({ text: character, index: index + within });
  }
  return [...found.values()];
}
