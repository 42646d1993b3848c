/** Reads what was pasted or uploaded: numbers alone, or a table with a heading. */
import Papa from "papaparse";
import { e164Of } from "@/server/messages/phone";
import type { RecipientList } from "./batches";

/** The separators of plain lists; spaces stand within numbers. */
const BETWEEN_NUMBERS = /[\n\r,;]/;

const looksLikeNumber = (text: string | undefined): boolean => e164Of(text ?? "") !== null;

/**
 * Reads a text. A first line without any number, above lines of several fields, is a heading; a table without one gets
 * columns `1`, `2` and so on.
 */
export function readList(text: string): RecipientList {
  const { data } = Papa.parse<string[]>(text.trim(), { skipEmptyLines: "greedy" });
  const records = data.map((record) => record.map((field) => field.trim()));
  const [first = []] = records;
  const isTable =
    first.length > 1 && !records.every((record) => record.every((field) => field === "" || looksLikeNumber(field)));
  if (isTable) {
    if (first.some(looksLikeNumber)) return { columns: first.map((_, at) => String(at + 1)), records };
    return { columns: first.map((name, at) => name || String(at + 1)), records: records.slice(1) };
  }
  const numbers = text
    .split(BETWEEN_NUMBERS)
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const hasHeading = numbers.length > 1 && /^[\p{L}\s_-]+$/u.test(numbers[0] ?? "");
  return { columns: [], records: numbers.slice(hasHeading ? 1 : 0).map((number) => [number]) };
}

/** The column whose fields are numbers most often; the first one of several. */
export function numberColumn({ columns, records }: RecipientList): number {
  const counts = columns.map((_, at) => records.filter((record) => looksLikeNumber(record[at])).length);
  return Math.max(0, counts.indexOf(Math.max(0, ...counts)));
}
