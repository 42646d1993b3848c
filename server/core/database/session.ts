/** Values that a connection of the service sets for its session, whatever the server, the database or the user has for others. */
import pg from "pg";

/**
 * Parameters that decide how values are written. Prisma's driver takes every time for one in UTC, and no driver reads other forms of dates.
 * A server takes its time zone from the system on which it was installed. They are part of the first message, since
 * PgBouncer keeps exactly these for each of its clients and refuses others there.
 */
const FORMS = { TimeZone: "UTC", DateStyle: "ISO, MDY" } as const;

/** A method of the driver that its types leave out. */
type StartingClient = { getStartupConf: () => Record<string, string> };
const inherited = pg.Client.prototype as unknown as StartingClient;

const NAMES_FILES = /[?&]ssl(rootcert|cert|key)=/;
const ENCRYPTION = ["sslmode", "sslrootcert", "sslcert", "sslkey"];
/** The last content of an address's files. */
const lastRead = new Map<string, pg.ClientConfig["ssl"]>();

/**
 * The driver reads the files that an address names for each connection, so a new certificate is taken without a restart. One that cannot be
 * read meanwhile must not fail a process that runs: what it last held counts then.
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
 * Idle for this long, a connection is tested by either side's system, and ends some 10 to 15 s later if the other does not answer. Without it a
 * connection that listens would be deaf for two hours after an interruption of the network, a session whose machine is lost would keep its place for
 * as long, and firewalls forget connections after some minutes without a byte.
 */
const KEEP_ALIVE_AFTER_MS = 10_000;
const SERVER_KEEP_ALIVE = [
  `SET tcp_keepalives_idle = ${KEEP_ALIVE_AFTER_MS / 1_000}`,
  "SET tcp_keepalives_interval = 5",
  "SET tcp_keepalives_count = 3",
];

/** A connection whose values have the forms that are read. */
export class SessionClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...withReadFiles(config), keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS });
  }

  getStartupConf(): Record<string, string> {
    return { ...inherited.getStartupConf.call(this), ...FORMS };
  }
}

/**
 * Statements look up rows by their keys, and connections keep the plans of named ones. One made while a table has a handful
 * of rows would read the whole table, and go on doing so as it grows, until autovacuum has analysed it. With the default cost
 * of a random page, meant for disks with heads, so would one made for a hundred rows of a table of some 20,000. JIT
 * takes a scan that is off, where no index fits, for a dear statement and compiles it.
 */
const KEY_LOOKUPS = ["random_page_cost = 1.1", "enable_seqscan = off", "jit = off"];

/**
 * Has the server plan a named statement once per connection, whatever its first values are. Left to itself it plans each of the first five
 * anew, and goes on so where the values of a quiet hour, arrays of one id, look cheaper than arrays of unknown length: a lone message then
 * costs twenty plans. Tests look at these plans, the generic ones, so nothing else runs (docs/decisions/0055-one-plan-per-statement.md).
 * Not for lists, whose statements are made of the filters that a caller gives.
 */
export const ONE_PLAN = "SET plan_cache_mode = force_generic_plan";

/** Limits at which the server ends a session: of one that listens or waits in a pool, and of a long check. Older servers lack them. */
const ENDS = "ARRAY['idle_session_timeout', 'transaction_timeout']";

/**
 * Its statements see what others have committed meanwhile, since rows are locked first and then read. And the server does not end it: a
 * statement may be on its way just then. What a transaction may take is limited by the service itself.
 */
const LASTING_SESSION = [
  ...SERVER_KEEP_ALIVE,
  "SET default_transaction_isolation = 'read committed'",
  `SELECT set_config(name, '0', false) FROM unnest(${ENDS}) AS name WHERE current_setting(name, true) <> '0'`,
];

/**
 * Several statements sent at once are a transaction, by default with the server's isolation. A standby that is not promoted yet takes no SELECT of a
 * serializable one, and the settings would be rolled back with it.
 */
const together = (statements: readonly string[]): string =>
  ["BEGIN ISOLATION LEVEL READ COMMITTED", ...statements, "COMMIT"].join("; ");

/** Sends what any connection needs before its first statement; `onConnect` of a pool. */
export async function beginSession(client: Pick<pg.ClientBase, "query">): Promise<void> {
  await client.query(together(LASTING_SESSION));
}

/** Begins a transaction. A pooler may hand it to a connection without {@link SESSION_SETTINGS}. */
export const BEGIN = [
  "BEGIN ISOLATION LEVEL READ COMMITTED",
  ...KEY_LOOKUPS.map((setting) => `SET LOCAL ${setting}`),
].join("; ");

/**
 * For a new connection that writes messages. A commit is on disk once it is acknowledged: a crash of the database would otherwise lose messages that were
 * accepted, and claims of those that were sent. Stronger settings than `on` stay.
 */
export const SESSION_SETTINGS = together([
  ...KEY_LOOKUPS.map((setting) => `SET ${setting}`),
  ...LASTING_SESSION,
  "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
]);
