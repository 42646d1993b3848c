import Papa from "papaparse";

/** A cell that a spreadsheet would run as a formula: the same text behind an apostrophe is shown as text. */
const FORMULA = /^[=+\-@\t\r].*$/s;

/**
 * RFC 4180: comma, CRLF, quotes doubled. Texts that a spreadsheet would take for formulas are disarmed: a file of ours must
 * not attack whoever opens it (CSV injection). Numbers stay as they are.
 */
export const toCsv = (rows: ReadonlyArray<ReadonlyArray<string | number>>): string =>
  rows.length === 0
    ? ""
    : `${Papa.unparse(
        rows.map((row) => [...row]),
        { newline: "\r\n", escapeFormulae: FORMULA },
      )}\r\n`;

/** Hands `text` to the reader as a file. */
export function downloadText(fileName: string, text: string, type = "text/csv;charset=utf-8"): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}
