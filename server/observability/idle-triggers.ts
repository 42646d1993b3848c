/**
 * Connections on which PostgreSQL skips triggers because of `session_replication_role = replica`, a setting for loading a dump
 * that is easily forgotten on a user or database. Triggers maintain the lists of messages by status, and foreign keys, which
 * are also triggers, delete what belongs to a deleted row. The service cannot reset it, because only a superuser may.
 */
import type { Queryable } from "../core/db";

/** An error line about a connection without triggers; null: it has them. */
export async function idleTriggersLine(on: Queryable): Promise<string | null> {
  const { rows } = await on.query<{ isIdle: boolean }>(
    `SELECT current_setting('session_replication_role') = 'replica' AS "isIdle"`,
  );
  if (!rows[0]?.isIdle) return null;
  return (
    "The database leaves out triggers (session_replication_role = replica), so lists of messages would become wrong: have a superuser take " +
    "the setting from the user and the database (ALTER ROLE … RESET session_replication_role, ALTER DATABASE … RESET session_replication_role)."
  );
}
