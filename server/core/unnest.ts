/**
 * Rows as the columns of one `unnest`: one array parameter per column, so one prepared statement takes any number of
 * rows. Name, type and value of a column are in one line, and cannot get out of step.
 *
 * Rows of a batch are alike: they often share an account, status, day or text. If all rows have the same value in a column, the
 * column is passed as that one value, and the statement repeats it for each value of the first column, which is always passed whole.
 * Most of the cost of a column is its text, which is written here and parsed by the database.
 */

/** Types whose values contain no special character of arrays. */
type PlainType = "int2" | "int4" | "int8" | "float8" | "bool" | "uuid" | "date" | "timestamptz";
type ColumnType = "text" | PlainType;

/** `undefined` is passed as null. */
type Value = string | number | bigint | boolean | null | undefined;

/** A column: its PostgreSQL type, and its value in a row. */
type Column<Row> = readonly [type: ColumnType, read: (row: Row) => Value];

export type Unnest<Row> = {
  /** `unnest($1::text[], …)`, for `INSERT ... SELECT * FROM`. */
  sql: string;
  /** `unnest($1::text[], …) AS alias (message_id, seq)`, for FROM and JOIN. */
  as: (alias: string) => string;
  /** One array per column in PostgreSQL's notation, in the order of the parameters; with one value where all rows have the same. */
  values: (rows: readonly Row[]) => string[];
};

/**
 * Describes rows that are passed to a statement.
 * @param columns by name, in the order of their parameters.
 * @param first number of the first column's parameter, if other parameters precede it.
 */
export function unnest<Row>(columns: Readonly<Record<string, Column<Row>>>, first = 1): Unnest<Row> {
  const names = Object.keys(columns);
  const entries = Object.values(columns);
  const arrays = entries.map(([type], at) => arrayOf(first + at, type, first));
  const sql = `unnest(${arrays.join(", ")})`;
  return {
    sql,
    as: (alias) => `${sql} AS ${alias} (${names.join(", ")})`,
    values: (rows) =>
      entries.map(([type, read], at) => {
        const column = rows.map(read);
        return arrayText(type, at > 0 && isAlike(column) ? column.slice(0, 1) : column);
      }),
  };
}

const isAlike = (column: readonly Value[]): boolean => column.every((value) => value === column[0]);

/**
 * An array in PostgreSQL's notation (its manual, section "Array Input and Output Syntax"). The driver's function builds it element
 * by element, which made a tenth of the allocations of a worker under load.
 */
function arrayText(type: ColumnType, values: readonly Value[]): string {
  if (values.length === 0) return "{}";
  if (type !== "text") return `{${(values.every(isGiven) ? values : values.map(orNull)).join()}}`;
  return values.every(isClean) ? `{"${values.join('","')}"}` : `{${values.map(quoted).join()}}`;
}

/** A parameter of type text[], as the driver would write it. */
export const textArray = (values: Iterable<string>): string => arrayText("text", [...values]);

const isGiven = (value: Value): boolean => value !== null && value !== undefined;
const orNull = (value: Value): Value => (isGiven(value) ? value : "NULL");
const isClean = (value: Value): boolean => typeof value === "string" && !value.includes('"') && !value.includes("\\");
const quoted = (value: Value): string => (isGiven(value) ? `"${String(value).replace(/["\\]/g, "\\$&")}"` : "NULL");

/** The array of parameter `own`: one value is repeated as often as parameter `first` has values. */
function arrayOf(own: number, type: ColumnType, first: number): string {
  const array = `$${own}::${type}[]`;
  if (own === first) return array;
  return `CASE cardinality(${array}) WHEN 1 THEN array_fill((${array})[1], ARRAY[cardinality($${first})]) ELSE ${array} END`;
}
