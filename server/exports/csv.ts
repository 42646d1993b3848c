import Papa from "papaparse";

/**
 * A cell that a spreadsheet would run as a formula, in some languages also by a full-width sign: the same text behind an apostrophe is
 * shown as text. A phone number is none, and stays readable for programs.
 */
const FORMULA = /^(?!\+\d{1,15}$)[=+\-@＝＋－＠\t\r\n].*$/s;

export type CsvRow = ReadonlyArray<string | number | null>;

/**
 * RFC 4180: comma, CRLF, quotes doubled; null is an empty cell. Texts that a spreadsheet would take for formulas are disarmed:
 * a file must not attack the person who opens it (CSV injection). Numbers stay as they are.
 */
export const toCsv = (rows: readonly CsvRow[]): string =>
  rows.length === 0
    ? ""
    : `${Papa.unparse(
        rows.map((row) => [...row]),
        { newline: "\r\n", escapeFormulae: FORMULA },
      )}\r\n`;
