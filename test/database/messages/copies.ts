/** Copies of a message, for tests that need many rows and not the way by which messages get there. */
import { pool } from "@/server/core/db";

/**
 * Inserts `count` copies of a message, and nothing else.
 * @param fields the columns that differ, by name, each as an SQL expression of the original `m` and the number `n` of the copy, from 1.
 *   They may use `values` from `$3` on.
 * @returns the ids of the copies.
 */
export async function copyMessage(
  id: string,
  count: number,
  fields: { id: string } & Record<string, string>,
  values: readonly unknown[] = [],
): Promise<string[]> {
  const changes = Object.entries(fields).map(([column, sql]) => `'${column}', ${sql}`);
  // As a table, the function is called once for a copy; `(jsonb_populate_record(…)).*` would call it once for each column.
  const { rows } = await pool().query<{ id: string }>(
    `INSERT INTO messages SELECT copy.*
     FROM messages m, generate_series(1, $2) n, jsonb_populate_record(m, jsonb_build_object(${changes.join(", ")})) copy
     WHERE m.id = $1 RETURNING id`,
    [id, count, ...values],
  );
  return rows.map((row) => row.id);
}
