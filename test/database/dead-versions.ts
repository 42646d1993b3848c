/** An open transaction, like that of a dump, during which PostgreSQL keeps every row version that dies. */
import pg from "pg";
import { pool } from "@/server/core/db";

/**
 * Opens such a transaction, runs `churn`, which leaves dead versions, vacuums and analyzes the tables, and then does `work`.
 * Autovacuum is off for these tables until the end of the test file.
 * @param churn SQL statements, each committed separately.
 */
export async function besideOpenTransaction(churn: readonly string[], work: () => Promise<void>): Promise<void> {
  const other = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await other.connect();
  try {
    await other.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await other.query("SELECT count(*) FROM accounts");
    const tables = [...new Set(churn.map((statement) => /(?:INTO|FROM|UPDATE) ([\w.]+)/.exec(statement)?.[1] ?? ""))];
    for (const table of tables) await pool().query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
    for (const statement of churn) await pool().query(statement);
    await pool().query(`VACUUM ANALYZE ${tables.join(", ")}`);
    await work();
  } finally {
    await other.end();
  }
}
