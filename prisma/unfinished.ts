/**
 * Migrations that were begun and not finished: their process was killed, or its connection lost. One transaction executes a
 * script and records that it is finished, so an unfinished migration that nobody is executing has left nothing behind.
 */
import { readFile } from "node:fs/promises";
import path from "node:path";
import pg from "pg";

type Queryable = Pick<pg.Client, "query">;

const UNFINISHED = "finished_at IS NULL AND rolled_back_at IS NULL";

/** Whether one transaction contains the whole script; false when in doubt. */
const isTransactional = (sql: string): boolean => !/\b(CONCURRENTLY|COMMIT|ROLLBACK|VACUUM)\b/i.test(sql);

/**
 * Makes a migration's script record in its own transaction that it is finished. The record comes first: it locks the row of
 * this try, for which {@link noteRolledBack} waits, and ends a script that reaches the database only after another try has
 * begun.
 */
export async function withNote(on: Queryable, name: string, sql: string): Promise<string> {
  if (!isTransactional(sql)) return sql;
  const { rows } = await on.query<{ id: string }>(
    `SELECT id FROM _prisma_migrations WHERE migration_name = $1 AND ${UNFINISHED}`,
    [name],
  );
  const [open] = rows;
  if (!open) return sql;
  const note = `DO $note$ BEGIN
    UPDATE _prisma_migrations SET finished_at = clock_timestamp() WHERE id = ${pg.escapeLiteral(open.id)} AND ${UNFINISHED};
    IF NOT FOUND THEN RAISE EXCEPTION 'Another process has taken over this migration.'; END IF;
  END $note$;`;
  return `${note}\n${sql}`;
}

/**
 * Records that unfinished migrations were rolled back, so that they are applied again. If the database still executes a script
 * whose process is gone, it waits until that has finished or was rolled back.
 * @returns the names of those that were rolled back, and of those that may be half done, which stay unchanged: their statements
 * run outside of a transaction, or only another version knows them.
 */
export async function noteRolledBack(
  on: Queryable,
  folder: string,
): Promise<{ rolledBack: string[]; halfDone: string[] }> {
  const { rows } = await on.query<{ name: string }>(
    `SELECT DISTINCT migration_name AS name FROM _prisma_migrations WHERE ${UNFINISHED} ORDER BY name`,
  );
  const rolledBack: string[] = [];
  const halfDone: string[] = [];
  for (const { name } of rows) {
    const sql = await readFile(path.join(folder, name, "migration.sql"), "utf8").catch(() => null);
    if (sql === null || !isTransactional(sql)) {
      halfDone.push(name);
      continue;
    }
    const { rowCount } = await on.query(
      `UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = $1 AND ${UNFINISHED}`,
      [name],
    );
    if (rowCount) rolledBack.push(name);
  }
  return { rolledBack, halfDone };
}

/** An error line about migrations that may be half done. */
export const halfDoneLine = (names: readonly string[]): string =>
  `Begun and not finished, and perhaps half done: ${names.join(", ")}. The guide for operators says what to do ` +
  '("Upgrading without a stop", a migration that was not finished).';
