/** Numbers of a list that people import, in whatever form they have them. */
import { e164Of } from "../messages/phone";
import { REFUSALS_MAX } from "./import-limits";
import type { ImportRefusal } from "./import-schema";

/** Longer than a number with any separators. */
const TEXT_MAX = 64;

/** `numbers`: each once, E.164. `refused`: how many are no numbers, of which `refusals` has the first hundred. */
export type ImportedNumbers = {
  numbers: string[];
  duplicates: number;
  refused: number;
  refusals: ImportRefusal[];
};

/** Sorts the entries of a list into usable numbers, repeats of these, and entries that are no numbers. */
export function sortEntries(entries: readonly string[]): ImportedNumbers {
  const numbers = new Set<string>();
  const refusals: ImportRefusal[] = [];
  let refused = 0;
  for (const [at, text] of entries.entries()) {
    const number = text.length > TEXT_MAX ? null : e164Of(text);
    if (number !== null) {
      numbers.add(number);
      continue;
    }
    refused += 1;
    if (refused <= REFUSALS_MAX)
      refusals.push({ line: at + 1, number: text.slice(0, TEXT_MAX), reason: "invalid_recipient" });
  }
  return { numbers: [...numbers], duplicates: entries.length - numbers.size - refused, refused, refusals };
}
