/**
 * Connections on which PostgreSQL leaves out triggers, as it does for `session_replication_role = replica`: a setting for loading a dump, easily
 * left behind at a user or a database. Triggers keep the lists of messages by status, and foreign keys, which are triggers too, delete what belongs
 * to a deleted row. The service cannot set it back, since only a superuser may.
 */
import type { Queryable } from "../core/db";

/** A line for people about a connection without triggers; null: it has them. */
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
