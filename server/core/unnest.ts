/**
 * Rows as the columns of one `unnest`: one array parameter per column, so one prepared statement takes any number of
 * rows. Name, type and value of a column stand in one line, and cannot get out of step.
 *
 * Rows of a batch are alike: they have one account, status, day or text. A column with one value in all rows is passed as
 * that value, and the statement repeats it as often as the first column, which is always passed whole, has values. Most of
 * the cost of a column is its text, which is written here and read by the database.
 */

type ColumnType = "text" | "int2" | "int4" | "int8" | "float8" | "bool" | "uuid" | "date" | "timestamptz";

/** A column: its PostgreSQL type, and its value in a row. A `bigint` is passed as text, which the driver requires. */
type Column<Row> = readonly [type: ColumnType, read: (row: Row) => unknown];

export type Unnest<Row> = {
  /** `unnest($1::text[], …)`, for `INSERT ... SELECT * FROM`. */
  sql: string;
  /** `unnest($1::text[], …) AS alias (message_id, seq)`, for FROM and JOIN. */
  as: (alias: string) => string;
  /** One array per column, in the order of the parameters; of one value where the column has no other. */
  values: (rows: readonly Row[]) => unknown[][];
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
      entries.map(([, read], at) => {
        const column = rows.map((row) => {
          const value = read(row);
          return typeof value === "bigint" ? String(value) : value;
        });
        return at > 0 && isAlike(column) ? column.slice(0, 1) : column;
      }),
  };
}

const isAlike = (column: readonly unknown[]): boolean => column.every((value) => value === column[0]);

/** The array of parameter `own`: one value is repeated as often as parameter `first` has values. */
function arrayOf(own: number, type: ColumnType, first: number): string {
  const array = `$${own}::${type}[]`;
  if (own === first) return array;
  return `CASE cardinality(${array}) WHEN 1 THEN array_fill((${array})[1], ARRAY[cardinality($${first})]) ELSE ${array} END`;
}
