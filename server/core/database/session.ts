/**
 * Values that a connection of the service sets for its session, whatever the defaults of the server, the database or the user.
 */
import pg from "pg";

/**
 * Parameters that decide how values are written. Prisma's driver takes every time as UTC, and neither driver reads other forms of
 * dates. A server takes its time zone from the system on which it was installed. These parameters are part of the startup message:
 * PgBouncer keeps exactly these for each of its clients, and refuses others there.
 */
const FORMS = { TimeZone: "UTC", DateStyle: "ISO, MDY" } as const;

/** A method of the driver that its types leave out. */
type StartingClient = { getStartupConf: () => Record<string, string> };
const inherited = pg.Client.prototype as unknown as StartingClient;

const NAMES_FILES = /[?&]ssl(rootcert|cert|key)=/;
const ENCRYPTION = ["sslmode", "sslrootcert", "sslcert", "sslkey"];
/** The last content of the files that an address names. */
const lastRead = new Map<string, pg.ClientConfig["ssl"]>();

/**
 * For each connection the driver reads the files that the address names, so a new certificate is used without a restart. A file
 * that can no longer be read must not break a running process: its last content is used instead.
 * @throws the system's error for a file that was never read.
 */
function withReadFiles(config: pg.ClientConfig | undefined): pg.ClientConfig | undefined {
  const address = config?.connectionString;
  if (!address || !NAMES_FILES.test(address)) return config;
  try {
    lastRead.set(address, new pg.Client({ connectionString: address }).ssl);
  } catch (thrown) {
    if (!lastRead.has(address)) throw thrown;
  }
  const url = new URL(address);
  for (const name of ENCRYPTION) url.searchParams.delete(name);
  return { ...config, connectionString: url.href, ssl: lastRead.get(address) };
}

/**
 * When a connection has been idle for this long, the operating systems of both sides test it, and end it some 10 to 15 s later
 * if the other side does not respond. Without this, a listening connection would receive nothing for two hours after a network
 * interruption, the session of a lost machine would stay open for as long, and firewalls would drop connections after some
 * minutes without traffic.
 */
const KEEP_ALIVE_AFTER_MS = 10_000;
const SERVER_KEEP_ALIVE = [
  `SET tcp_keepalives_idle = ${KEEP_ALIVE_AFTER_MS / 1_000}`,
  "SET tcp_keepalives_interval = 5",
  "SET tcp_keepalives_count = 3",
];

/** A connection whose values have the forms that the drivers read. */
export class SessionClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...withReadFiles(config), keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS });
  }

  getStartupConf(): Record<string, string> {
    return { ...inherited.getStartupConf.call(this), ...FORMS };
  }
}

/**
 * Statements look up rows by their keys, and connections keep the plans of named statements. A plan made while a table has a handful
 * of rows would read the whole table, and would go on doing so as the table grows, until autovacuum has analyzed it. So would a plan
 * for a hundred rows of a table of some 20,000, at the default cost of a random page, which is meant for spinning disks. Where no
 * index fits, JIT would take a disabled scan for an expensive statement and compile it.
 */
const KEY_LOOKUPS = ["random_page_cost = 1.1", "enable_seqscan = off", "jit = off"];

/**
 * Makes the server plan a named statement once per connection, whatever its first values are. By default it plans each of the
 * first five uses separately, and continues to do so where the values of a quiet hour, arrays of one id, look cheaper than arrays
 * of unknown length: a lone message then costs twenty plans. Tests check these generic plans, so no others run
 * (docs/decisions/0055-one-plan-per-statement.md). Not used for lists, whose statements depend on the caller's filters.
 */
export const ONE_PLAN = "SET plan_cache_mode = force_generic_plan";

/** Server limits that would end a session that listens or waits in a pool, or a long check. Older servers lack them. */
const ENDS = "ARRAY['idle_session_timeout', 'transaction_timeout']";

/**
 * Settings of the whole session. A statement sees what others have committed meanwhile, since rows are locked first and then read.
 * The server must not end the session, because a statement may be on its way at that moment; the service itself limits how long a
 * transaction may take.
 */
const LASTING_SESSION = [
  ...SERVER_KEEP_ALIVE,
  "SET default_transaction_isolation = 'read committed'",
  `SELECT set_config(name, '0', false) FROM unnest(${ENDS}) AS name WHERE current_setting(name, true) <> '0'`,
];

/**
 * Several statements sent at once are one transaction, by default with the server's isolation. A standby that is not promoted yet
 * refuses a SELECT in a serializable transaction, and the settings would be rolled back with it.
 */
const together = (statements: readonly string[]): string =>
  ["BEGIN ISOLATION LEVEL READ COMMITTED", ...statements, "COMMIT"].join("; ");

/** Sends the settings that every connection needs before its first statement; `onConnect` of a pool. */
export async function beginSession(client: Pick<pg.ClientBase, "query">): Promise<void> {
  await client.query(together(LASTING_SESSION));
}

/** Begins a transaction. A pooler may hand it to a connection without {@link SESSION_SETTINGS}. */
export const BEGIN = [
  "BEGIN ISOLATION LEVEL READ COMMITTED",
  ...KEY_LOOKUPS.map((setting) => `SET LOCAL ${setting}`),
].join("; ");

/**
 * For a new connection that writes messages. A commit is on disk once it is acknowledged; otherwise a crash of the database would
 * lose accepted messages, and the claims of messages that were sent. Stronger settings than `on` stay.
 */
export const SESSION_SETTINGS = together([
  ...KEY_LOOKUPS.map((setting) => `SET ${setting}`),
  ...LASTING_SESSION,
  "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
]);
