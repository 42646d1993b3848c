/** Where PostgreSQL's time goes, statement by statement, as `pg_stat_statements` counts it. */
import type { Client } from "pg";

const SHOWN = 25;
const TEXT_LENGTH = 100;

/** Settings of a server that counts its statements. */
export const COUNTING_STATEMENTS = {
  shared_preload_libraries: "pg_stat_statements",
  "pg_stat_statements.track_planning": "on",
};

/** Times are wall-clock times, including waits for locks, for the disk and for a processor. */
export type StatementCost = { text: string; calls: number; rows: number; usPerCall: number; usPerMessage: number };

/** Resets the counts. The server must have {@link COUNTING_STATEMENTS}. */
export async function countStatements(database: Client): Promise<void> {
  await database.query("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
  await database.query("SELECT pg_stat_statements_reset()");
}

/** The statements that took most time since {@link countStatements}. */
export async function readStatements(database: Client, messages: number): Promise<StatementCost[]> {
  const { rows } = await database.query<{ text: string; calls: number; rows: number; ms: number }>(
    `SELECT query AS text, sum(calls)::float8 AS calls, sum(rows)::float8 AS rows,
            sum(total_exec_time + total_plan_time)::float8 AS ms
     FROM pg_stat_statements WHERE query NOT ILIKE '%pg_stat_statements%' GROUP BY query ORDER BY ms DESC LIMIT $1`,
    [SHOWN],
  );
  return rows.map(({ text, calls, rows: count, ms }) => ({
    text: text.replaceAll(/\s+/g, " ").slice(0, TEXT_LENGTH),
    calls,
    rows: count / calls,
    usPerCall: (ms * 1_000) / calls,
    usPerMessage: (ms * 1_000) / messages,
  }));
}

/** One line per statement, under a heading. */
export const statementLines = (statements: readonly StatementCost[]): string[] => [
  "µs/message     calls  rows/call    µs/call  statement",
  ...statements.map(({ text, calls, rows, usPerCall, usPerMessage }) => {
    const cells = [usPerMessage.toFixed(1), calls.toFixed(0), rows.toFixed(1), usPerCall.toFixed(0)];
    return `${cells.map((cell) => cell.padStart(10)).join(" ")}  ${text}`;
  }),
];
