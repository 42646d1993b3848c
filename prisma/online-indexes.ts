/**
 * Builds indexes while the service runs. Within a transaction, every write to the table would wait for the whole build: minutes
 * for a hundred million rows.
 */
import pg from "pg";
import { beginSession } from "../server/core/database/session";

type Queryable = Pick<pg.Client, "query">;

/** `table` and `name` as SQL; `statement` builds the index, outside of a transaction. */
export type OnlineIndex = { name: string; table: string; statement: string };

const COMMENTS = /--.*$/gm;
const OPTIONAL_INDEX =
  /\bCREATE\s+(UNIQUE\s+)?INDEX\s+IF\s+NOT\s+EXISTS\s+("?\w+"?)\s+ON\s+("?\w+"?)((?:'[^']*'|[^';])*)/gi;

/**
 * The indexes that a migration's script creates only if they do not exist: they are built before it. They stay in the script
 * for tables that the same script creates, and for other programs that apply it.
 */
export const onlineIndexesOf = (sql: string): OnlineIndex[] =>
  [...sql.replace(COMMENTS, "").matchAll(OPTIONAL_INDEX)].map(([, unique = "", name = "", table = "", rest = ""]) => {
    return { name, table, statement: `CREATE ${unique}INDEX CONCURRENTLY ${name} ON ${table}${rest}` };
  });

/** Whether a build of the index ended well; undefined: there is no such index. */
async function isValid(on: Queryable, name: string): Promise<boolean | undefined> {
  const { rows } = await on.query<{ isValid: boolean }>(
    'SELECT indisvalid AS "isValid" FROM pg_index WHERE indexrelid = to_regclass($1)',
    [name],
  );
  return rows[0]?.isValid;
}

/**
 * Waits for a build on the table that the database still executes although its process is gone. Holds no snapshot meanwhile.
 */
async function waitForBuilds(on: Queryable, table: string): Promise<void> {
  try {
    await on.query(`BEGIN; LOCK TABLE ${table} IN SHARE UPDATE EXCLUSIVE MODE; COMMIT`);
  } catch (thrown) {
    await on.query("ROLLBACK");
    throw thrown;
  }
}

/**
 * Builds an index, if its table exists and the index does not. Remains of a failed or killed build are dropped first. Waits for
 * earlier transactions, however long they take, and nothing waits for it.
 * @param on a connection outside of a transaction, which has no time-outs afterwards. It must hold no lock that others wait
 * for: the database may go on building after the process is gone.
 */
export async function buildOnline(on: Queryable, { name, table, statement }: OnlineIndex): Promise<void> {
  const { rows } = await on.query("SELECT 1 WHERE to_regclass($1) IS NOT NULL", [table]);
  if (rows.length === 0 || (await isValid(on, name))) return;
  await on.query("SET lock_timeout = 0; SET statement_timeout = 0");
  await waitForBuilds(on, table);
  const isLeftValid = await isValid(on, name);
  if (isLeftValid) return;
  if (isLeftValid === false) await on.query(`DROP INDEX CONCURRENTLY ${name}`);
  await on.query(statement);
}

/** Runs `work` on a separate connection. */
export async function onOwnConnection(
  connectionString: string,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await beginSession(client);
    await work(client);
  } finally {
    await client.end();
  }
}

/** Runs {@link buildOnline} for all indexes of a migration's script. */
export async function buildIndexesOf(connectionString: string, sql: string): Promise<void> {
  const indexes = onlineIndexesOf(sql);
  if (indexes.length === 0) return;
  await onOwnConnection(connectionString, async (client) => {
    for (const index of indexes) await buildOnline(client, index);
  });
}
