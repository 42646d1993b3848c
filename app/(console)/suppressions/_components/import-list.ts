/** A list of opted-out numbers, checked line by line and cut into calls that the service takes. */

import { numbersTexts } from "@/app/_texts/numbers";
import { importSuppressionsTexts as texts } from "@/app/_texts/suppressions/import";
import { IMPORT_MAX } from "@/server/suppressions/import-limits";
import type { NumberList, NumberReader } from "../../_numbers/number-list";
import type { LineProblem } from "../../_numbers/problem-lines";

/** A number that can be imported. `line`: its place in the file. `senderId`: empty for all senders. */
export type ReadyNumber = { line: number; number: string; senderId: string };

export type CheckedList = { ready: ReadyNumber[]; duplicates: number; problems: LineProblem[] };

/** Column by its index, and how its numbers are read. `senderColumn` null: all numbers are for `senderId`. */
export type ImportColumns = {
  numberColumn: number;
  readNumber: NumberReader;
  senderColumn: number | null;
  senderId: string;
};

/** Numbers of one call, all for the same sender. */
export type ImportSlice = { senderId: string; rows: ReadyNumber[] };

const SENDER_NAMES = ["sender_id", "sender", "sender id", "from"];

/** The column of the sender IDs by its heading; null: none. */
export function senderColumn({ columns }: NumberList): number | null {
  const at = columns.findIndex((name) => SENDER_NAMES.includes(name.toLowerCase()));
  return at === -1 ? null : at;
}

/**
 * Sorts the lines into numbers to import, repeats of these, and lines that cannot be imported, each with its reason.
 * @param senderIds of the account: a suppression for any other sender would not stop messages.
 */
export function checkList(
  { records, lines }: NumberList,
  columns: ImportColumns,
  senderIds: ReadonlySet<string>,
): CheckedList {
  const checked: CheckedList = { ready: [], duplicates: 0, problems: [] };
  const seen = new Set<string>();
  for (const [at, record] of records.entries()) {
    const line = lines[at] ?? 0;
    const text = record[columns.numberColumn] ?? "";
    const senderId = columns.senderColumn === null ? columns.senderId : (record[columns.senderColumn] ?? "");
    const number = columns.readNumber(text);
    const key = `${number} ${senderId}`;
    if (number === null)
      checked.problems.push({
        line,
        number: text,
        problem: text === "" ? numbersTexts.noNumber : numbersTexts.notANumber,
      });
    else if (senderId !== "" && !senderIds.has(senderId))
      checked.problems.push({ line, number: text, problem: texts.notYourSender(senderId) });
    else if (seen.has(key)) checked.duplicates += 1;
    else {
      seen.add(key);
      checked.ready.push({ line, number, senderId });
    }
  }
  return checked;
}

/** Cuts the numbers into calls. The same numbers always make the same calls. */
export function toSlices(ready: readonly ReadyNumber[], max = IMPORT_MAX): ImportSlice[] {
  const bySender = new Map<string, ReadyNumber[]>();
  for (const row of ready) {
    const rows = bySender.get(row.senderId);
    if (rows) rows.push(row);
    else bySender.set(row.senderId, [row]);
  }
  return [...bySender].flatMap(([senderId, rows]) =>
    Array.from({ length: Math.ceil(rows.length / max) }, (_, at) => ({
      senderId,
      rows: rows.slice(at * max, (at + 1) * max),
    })),
  );
}
