/** Databases on which the service would run, and do harm. Neither cause is one that the service itself can remove. */
import type { Queryable } from "../core/db";

/**
 * `session_replication_role = replica` skips triggers: a setting for loading a dump that is easily forgotten on a user or database, and that only
 * a superuser may reset. Triggers maintain the lists of messages by status, and foreign keys, which are also triggers, delete what belongs to a
 * deleted row. An encoding of some alphabets refuses the characters of all others; SQL_ASCII takes every one.
 */
const STATE = `SELECT current_setting('session_replication_role') = 'replica' AS "isIdle", current_setting('server_encoding') AS encoding`;
const ENCODINGS: readonly string[] = ["UTF8", "SQL_ASCII"];

/** An error line about a database that skips triggers, or cannot store every text; null: it does neither. */
export async function unfitDatabaseLine(on: Queryable): Promise<string | null> {
  const { rows } = await on.query<{ isIdle: boolean; encoding: string }>(STATE);
  const [{ isIdle, encoding } = { isIdle: false, encoding: "UTF8" }] = rows;
  if (isIdle) {
    return (
      "The database leaves out triggers (session_replication_role = replica), so lists of messages would become wrong: have a superuser take " +
      "the setting from the user and the database (ALTER ROLE … RESET session_replication_role, ALTER DATABASE … RESET session_replication_role)."
    );
  }
  if (ENCODINGS.includes(encoding)) return null;
  return (
    `The database has the encoding ${encoding}, which lacks most characters, so many messages could not be stored: create it with the ` +
    "encoding UTF8 (docs/operations.md, The database)."
  );
}

/** An error line about a user of the database who may not create the tables of the service; null: they may. */
export async function missingRightsLine(on: Queryable): Promise<string | null> {
  const { rows } = await on.query<{ user: string; database: string; mayCreate: boolean }>(
    `SELECT current_user AS user, current_database() AS database,
       has_database_privilege(current_database(), 'CREATE') AND has_schema_privilege(current_schema(), 'CREATE') AS "mayCreate"`,
  );
  const [found] = rows;
  if (!found || found.mayCreate) return null;
  const { user, database } = found;
  return (
    `The user "${user}" may not create tables in the database "${database}": have its owner run ` +
    `ALTER DATABASE "${database}" OWNER TO "${user}" (docs/operations.md, The database).`
  );
}
