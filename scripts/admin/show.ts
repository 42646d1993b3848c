/** Prints the output of a command for people. */

export type Row = Record<string, unknown>;
export type Output = Row | Row[];

const INDENT = "  ";

const isRow = (value: unknown): value is Row => typeof value === "object" && value !== null && !Array.isArray(value);

const isRowList = (value: unknown): value is Row[] => Array.isArray(value) && value.length > 0 && value.every(isRow);

function linesOf(row: Row): string[] {
  const width = Math.max(...Object.keys(row).map((name) => name.length));
  return Object.entries(row).flatMap(([name, value]) => {
    const rows = isRow(value) ? [value] : value;
    if (isRowList(rows)) return [name, ...linesOfAll(rows).map((line) => line && `${INDENT}${line}`)];
    const shown = Array.isArray(value) ? value.join(",") : String(value ?? "-");
    return [`${name.padEnd(width)}  ${shown}`];
  });
}

/** Rows separated by empty lines. */
const linesOfAll = (rows: readonly Row[]): string[] =>
  rows.flatMap((row, at) => (at === 0 ? linesOf(row) : ["", ...linesOf(row)]));

/** A line per field, and an empty line between two rows. The row of a field, or those of a list, are indented below its name. */
export function show(output: Output): string {
  const rows = Array.isArray(output) ? output : [output];
  return rows.length === 0 ? "nothing\n" : `${linesOfAll(rows).join("\n")}\n`;
}
