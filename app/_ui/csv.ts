const QUOTED = /[",\r\n]/;

const toCell = (value: string | number): string => {
  const text = String(value);
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** RFC 4180: comma, CRLF, quotes doubled. */
export const toCsv = (rows: ReadonlyArray<ReadonlyArray<string | number>>): string =>
  rows.map((row) => `${row.map(toCell).join(",")}\r\n`).join("");

/** Hands `text` to the reader as a file. */
export function downloadText(fileName: string, text: string, type = "text/csv;charset=utf-8"): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}
