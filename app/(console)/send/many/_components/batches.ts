/** A send to many, cut into requests of accepted size, each with its own Idempotency-Key. */

import { numbersTexts } from "@/app/_texts/numbers";
import { sendManyTexts } from "@/app/_texts/send/many";
import { fillIn, placeholdersOf } from "@/server/messages/placeholders";
import type { NumberList, NumberReader } from "../../../_numbers/number-list";
import type { LineProblem } from "../../../_numbers/problem-lines";

/** Limits of one send from the console; each is stated on the page. */
export const ROWS_MAX = 10_000;
const TEXT_MAX_CHARACTERS = 1_600;
const BATCH_ROWS_MAX = 500;
/** A request has at most 1 MiB and 16,384 commas, of which some belong to the rest of it. */
const BATCH_BYTES_MAX = 500_000;
const BATCH_COMMAS_MAX = 3_500;

/** A recipient as entered. `line`: its line in the text, from 1. `to`: its number; null: not usable. */
export type Row = { line: number; number: string; to: string | null; values: Record<string, string> };

/** A recipient that can be sent to. */
export type ReadyRow = { line: number; to: string; variables: Record<string, string> };

/** The rows of a list whose numbers stand in the column `numbers`. */
export const rowsOf = ({ columns, records, lines }: NumberList, numbers: number, readNumber: NumberReader): Row[] =>
  records.map((record, at) => ({
    line: lines[at] ?? 0,
    number: record[numbers] ?? "",
    to: readNumber(record[numbers] ?? ""),
    // An empty field is no value: a text must not have a gap.
    values: Object.fromEntries(
      columns.map((name, column) => [name, record[column] ?? ""] as const).filter(([, value]) => value !== ""),
    ),
  }));

const problemOf = (body: string, row: Row, seen: ReadonlyMap<string, number>): string | null => {
  const texts = sendManyTexts.problems;
  if (row.to === null) return row.number === "" ? numbersTexts.noNumber : numbersTexts.notANumber;
  const first = seen.get(row.to);
  if (first !== undefined) return texts.sameAs(first);
  const { body: text, missing } = fillIn(body, row.values);
  if (missing.length > 0) return texts.noValue(`{{${missing[0]}}}`);
  if (text.trim() === "") return texts.emptyText;
  if ([...text].length > TEXT_MAX_CHARACTERS) return texts.longText(TEXT_MAX_CHARACTERS);
  return null;
};

/** Sorts rows into those that can be sent and those that cannot, each with its reason; a number counts once. */
export function checkRows(body: string, rows: readonly Row[]): { ready: ReadyRow[]; problems: LineProblem[] } {
  const ready: ReadyRow[] = [];
  const problems: LineProblem[] = [];
  const seen = new Map<string, number>();
  const used = placeholdersOf(body);
  for (const row of rows) {
    const { line, number, to } = row;
    const problem = problemOf(body, row, seen);
    if (to === null || problem !== null) {
      problems.push({ line, number, problem: problem ?? numbersTexts.notANumber });
      continue;
    }
    seen.set(to, line);
    ready.push({
      line,
      to,
      variables: Object.fromEntries(used.map((name) => [name, row.values[name] ?? ""])),
    });
  }
  return { ready, problems };
}

const commasIn = (text: string): number => text.split(",").length - 1;

/** Cuts rows into batches that fit into a request. The same rows always make the same batches. */
export function toBatches(rows: readonly ReadyRow[]): ReadyRow[][] {
  const batches: ReadyRow[][] = [];
  let batch: ReadyRow[] = [];
  let [bytes, commas] = [0, 0];
  for (const row of rows) {
    const text = JSON.stringify([row.to, row.variables]);
    // A character has at most three bytes in UTF-8 for each of its UTF-16 units.
    const [rowBytes, rowCommas] = [text.length * 3, commasIn(text) + 1];
    const isFull =
      batch.length === BATCH_ROWS_MAX || bytes + rowBytes > BATCH_BYTES_MAX || commas + rowCommas > BATCH_COMMAS_MAX;
    if (batch.length > 0 && isFull) {
      batches.push(batch);
      batch = [];
      [bytes, commas] = [0, 0];
    }
    batch.push(row);
    bytes += rowBytes;
    commas += rowCommas;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
