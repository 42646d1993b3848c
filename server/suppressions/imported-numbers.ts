/** Reads the numbers of an imported list, in any common notation. */
import { setImmediate as others } from "node:timers/promises";
import { firstCharacters } from "../core/wire";
import { e164OfTyped } from "../messages/number-notation";
import { REFUSALS_MAX } from "./import-limits";
import type { ImportRefusal } from "./import-schema";

/** Longer than a number with any separators. */
const TEXT_MAX = 64;
/** Reading a number without its `+` takes some 30 µs, so this many take about as long as a request. */
const READ_AT_ONCE_MAX = 500;

/**
 * `numbers`: each once, E.164. `refused`: how many entries are no numbers; `refusals` has the first hundred of them.
 */
export type ImportedNumbers = {
  numbers: string[];
  duplicates: number;
  refused: number;
  refusals: ImportRefusal[];
};

/**
 * Sorts the entries of a list into usable numbers, repeats of these, and entries that are no numbers. Lets other requests have
 * their turn meanwhile.
 */
export async function sortEntries(entries: readonly string[]): Promise<ImportedNumbers> {
  const numbers = new Set<string>();
  const refusals: ImportRefusal[] = [];
  let refused = 0;
  for (const [at, text] of entries.entries()) {
    if (at > 0 && at % READ_AT_ONCE_MAX === 0) await others();
    const number = text.length > TEXT_MAX ? null : e164OfTyped(text);
    if (number !== null) {
      numbers.add(number);
      continue;
    }
    refused += 1;
    if (refused > REFUSALS_MAX) continue;
    refusals.push({ line: at + 1, number: firstCharacters(text, TEXT_MAX), reason: "invalid_recipient" });
  }
  return { numbers: [...numbers], duplicates: entries.length - numbers.size - refused, refused, refusals };
}
