/**
 * Rows as the columns of one `unnest`: one array parameter per column, so any number of rows is one statement with one
 * text (a prepared statement). Column, type and value of a row stand in one line, and cannot get out of step.
 */

type ColumnType = "text" | "int2" | "int4" | "int8" | "float8" | "bool" | "uuid" | "date" | "timestamptz";

/** A column: its PostgreSQL type, and its value in a row. A `bigint` is passed as text, which the driver requires. */
type Column<Row> = readonly [type: ColumnType, read: (row: Row) => unknown];

export type Unnest<Row> = {
  /** `unnest($1::text[], $2::int2[])`, for `INSERT ... SELECT * FROM`. */
  sql: string;
  /** `unnest($1::text[], $2::int2[]) AS alias (message_id, seq)`, for FROM and JOIN. */
  as: (alias: string) => string;
  /** One array per column, in the order of the parameters. */
  values: (rows: readonly Row[]) => unknown[][];
};

/**
 * Describes rows that are passed to a statement.
 * @param columns by name, in the order of their parameters.
 * @param first number of the first column's parameter, when others of the statement precede it.
 */
export function unnest<Row>(columns: Readonly<Record<string, Column<Row>>>, first = 1): Unnest<Row> {
  const names = Object.keys(columns);
  const entries = Object.values(columns);
  const sql = `unnest(${entries.map(([type], at) => `$${first + at}::${type}[]`).join(", ")})`;
  return {
    sql,
    as: (alias) => `${sql} AS ${alias} (${names.join(", ")})`,
    values: (rows) =>
      entries.map(([, read]) =>
        rows.map((row) => {
          const value = read(row);
          return typeof value === "bigint" ? String(value) : value;
        }),
      ),
  };
}
