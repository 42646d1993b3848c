/** Reads a pasted or uploaded list: numbers alone, or a table with a heading. */
import Papa from "papaparse";
import { e164OfTyped } from "@/server/messages/number-notation";
import { asInternational } from "@/server/messages/phone";

/**
 * The rows that were read. `columns`: the headings of a table; empty when there is only a list of numbers. `lines`: of each
 * record, the line of the text in which it begins, from 1.
 */
export type NumberList = { columns: string[]; records: string[][]; lines: number[] };

type Placed = { line: number; fields: string[] };

/** The separators of plain lists; spaces stand within numbers. */
const BETWEEN_NUMBERS = /[\n\r,;]/;
const NAME_OF_NUMBERS = /number|phone|mobile|msisdn|recipient|destination/i;

/** Reads the number in a field; null: it holds none that can be used. */
export type NumberReader = (text: string) => string | null;

/**
 * Reads a number in any notation that people use. It is exported from here to be loaded together with the CSV parser, since its
 * table of countries is as large.
 */
export const readNumber: NumberReader = e164OfTyped;

/** True also of numbers that cannot be used, such as those without a country code. */
const looksLikeNumber = (text: string | undefined): boolean => asInternational(text ?? "") !== null;

const newlinesIn = (fields: readonly string[]): number =>
  fields.reduce((sum, field) => sum + field.split("\n").length - 1, 0);

/** The records that are not empty, each with its line. A quoted field may hold several lines. */
function recordsIn(text: string): Placed[] {
  const records: Placed[] = [];
  let line = 1;
  for (const raw of Papa.parse<string[]>(text).data) {
    const fields = raw.map((field) => field.trim());
    if (fields.some((field) => field !== "")) records.push({ line, fields });
    line += 1 + newlinesIn(raw);
  }
  return records;
}

const listOf = (columns: string[], records: readonly Placed[]): NumberList => ({
  columns,
  records: records.map(({ fields }) => fields),
  lines: records.map(({ line }) => line),
});

/**
 * Reads a text. A first line without any number, above lines of several fields, is a heading; a table without one gets
 * columns `1`, `2` and so on.
 */
export function readList(text: string): NumberList {
  const records = recordsIn(text);
  const first = records[0]?.fields ?? [];
  const isTable =
    first.length > 1 && !records.every(({ fields }) => fields.every((field) => field === "" || looksLikeNumber(field)));
  if (isTable) {
    if (first.some(looksLikeNumber))
      return listOf(
        first.map((_, at) => String(at + 1)),
        records,
      );
    return listOf(
      first.map((name, at) => name || String(at + 1)),
      records.slice(1),
    );
  }
  const numbers = records.flatMap(({ line, fields }) =>
    fields
      .flatMap((field) => field.split(BETWEEN_NUMBERS))
      .map((part) => part.trim())
      .filter((part) => part !== "")
      .map((part) => ({ line, fields: [part] })),
  );
  const hasHeading = numbers.length > 1 && /^[\p{L}\s_-]+$/u.test(numbers[0]?.fields[0] ?? "");
  return listOf([], numbers.slice(hasHeading ? 1 : 0));
}

/** The column with the most numbers, but one whose name says that it holds numbers wins; of equal ones, the first. */
export function numberColumn({ columns, records }: NumberList): number {
  const weights = columns.map((name, at) => {
    const count = records.filter((record) => looksLikeNumber(record[at])).length;
    // A date is a number too, by its digits.
    return count > 0 && NAME_OF_NUMBERS.test(name) ? count + records.length : count;
  });
  return Math.max(0, weights.indexOf(Math.max(0, ...weights)));
}
