/**
 * Refuses addresses that lead to different databases. A worker would take its jobs from one and write to the other, and lists would show what
 * a third one holds.
 */
import { randomInt } from "node:crypto";
import type pg from "pg";
import { haveOneDatabase } from "../core/database/standby-reads";
import { env } from "../core/env";
import { errorFields, log } from "../core/log";
import { plainError } from "../core/process";
import { withConnections } from "./pooled-sessions";

/** Namespace of these locks. */
const LOCK_SPACE = 7_462;

async function nameOf(client: pg.Client): Promise<{ name: string; isStandby: boolean }> {
  const { rows } = await client.query<{ name: string; isStandby: boolean }>(
    'SELECT current_database() AS name, pg_is_in_recovery() AS "isStandby"',
  );
  return rows[0] ?? { name: "", isStandby: true };
}

/**
 * Whether a lock taken at one address is seen at the other. Names and the installation's identifier do not suffice: a restored
 * copy has the same ones.
 */
async function seesLockOf(main: pg.Client, other: pg.Client): Promise<boolean> {
  const key = randomInt(2 ** 31 - 1);
  // A transaction makes a pooler keep one server connection.
  await other.query("BEGIN");
  try {
    await other.query("SELECT pg_advisory_xact_lock($1, $2)", [LOCK_SPACE, key]);
    const { rowCount } = await main.query(
      `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND granted AND classid = $1::oid AND objid = $2::oid
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      [LOCK_SPACE, key],
    );
    return rowCount === 1;
  } finally {
    await other.query("ROLLBACK");
  }
}

/** The line that refuses an address. @param own name of its database. @param main name of that of DATABASE_URL. */
const otherLine = (setting: string, own: string, main: string): string =>
  own === main
    ? `${setting} and DATABASE_URL lead to different databases, both called ${main}: set both to the same one.`
    : `${setting} leads to the database ${own}, and DATABASE_URL to ${main}: set both to the same one.`;

/** @returns a line for people; null: both connections lead to the same database. @throws when they cannot be compared. */
type Compare = (main: pg.Client, other: pg.Client) => Promise<string | null>;

/** Compares what is at two addresses. */
const compareAt = (mainUrl: string, otherUrl: string, compare: Compare): Promise<string | null> =>
  withConnections({ connectionString: mainUrl }, async (openMain) =>
    withConnections({ connectionString: otherUrl }, async (openOther) => compare(await openMain(), await openOther())),
  );

/**
 * Compares a DATABASE_URL with a DATABASE_DIRECT_URL.
 * @returns a line for people; null: they lead to the same database.
 * @throws when they cannot be compared.
 */
export const compareDirectUrl = (mainUrl: string, directUrl: string): Promise<string | null> =>
  compareAt(mainUrl, directUrl, compareDirect);

async function compareDirect(main: pg.Client, other: pg.Client): Promise<string | null> {
  const [own, known] = [await nameOf(other), await nameOf(main)];
  // One of them is about to change, and a standby's lock is seen nowhere else.
  if (own.isStandby || known.isStandby) throw new Error("An address leads to a standby.");
  return (await seesLockOf(main, other)) ? null : otherLine("DATABASE_DIRECT_URL", own.name, known.name);
}

/** Compares a DATABASE_URL with a DATABASE_READ_URL, as {@link compareDirectUrl} does. */
export const compareReadUrl = (mainUrl: string, readUrl: string): Promise<string | null> =>
  compareAt(mainUrl, readUrl, compareStandby);

async function compareStandby(main: pg.Client, other: pg.Client): Promise<string | null> {
  // A standby takes no SELECT of a serializable transaction.
  await other.query("SET default_transaction_isolation = 'read committed'");
  if (await haveOneDatabase(main, other)) return null;
  return otherLine("DATABASE_READ_URL", (await nameOf(other)).name, (await nameOf(main)).name);
}

/**
 * Refuses a DATABASE_DIRECT_URL or DATABASE_READ_URL of another database than that of DATABASE_URL.
 * @returns whether all of them could be compared.
 * @throws Error with one line for people.
 */
export async function refuseOtherDatabase(): Promise<boolean> {
  const { DATABASE_DIRECT_URL, DATABASE_READ_URL } = env();
  const direct = await lineOf(DATABASE_DIRECT_URL, compareDirectUrl);
  const standby = await lineOf(DATABASE_READ_URL, compareReadUrl);
  const line = direct || standby;
  if (line) throw plainError(line);
  return direct !== undefined && standby !== undefined;
}

/**
 * @returns what `compare` does; null without an address, undefined when it cannot be compared: callers that need the database wait
 * for it.
 */
async function lineOf(url: string | undefined, compare: typeof compareDirectUrl): Promise<string | null | undefined> {
  if (url === undefined) return null;
  return compare(env().DATABASE_URL, url).catch((thrown) => {
    log("warn", "database.not_compared", errorFields(thrown));
    return undefined;
  });
}
