/**
 * Reads on a streaming standby that are as current as reads on the primary: each waits until the standby has replayed
 * everything that was committed when it began. A standby that lags, fails or was promoted is not used for a while; the
 * primary is read instead.
 */
import type pg from "pg";
import { errorCodeOf } from "../errors";
import { errorFields, log } from "../log";
import { isConnectionFailure } from "./connection-failure";

type Query = (...args: unknown[]) => Promise<unknown>;

/** A standby in the same network replays a commit within a few milliseconds. */
const CATCH_UP_MS = 250;
const LOOK_EVERY_MS = 5;
/** How long the primary is read instead after a failure. */
const REST_MS = 5_000;
/** The replay removed rows that the statement still needed. */
const CONFLICT_WITH_RECOVERY = "40001";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

class NotCurrent extends Error {}

/** The identifier of an installation, which its standbys share; null where the host withholds it or has none. */
async function systemOf(on: Pick<pg.Pool, "query">): Promise<string | null> {
  try {
    const { rows } = await on.query<{ id: string }>("SELECT system_identifier::text AS id FROM pg_control_system()");
    return rows[0]?.id ?? null;
  } catch (thrown) {
    if (isConnectionFailure(thrown)) throw thrown;
    return null;
  }
}

async function identityOf(on: Pick<pg.Pool, "query">) {
  const { rows } = await on.query<{ database: string }>(
    "SELECT concat_ws(' ', oid, datname) AS database FROM pg_database WHERE datname = current_database()",
  );
  return { system: await systemOf(on), database: rows[0]?.database };
}

/** Whether one of two addresses leads to a database, and the other to the same one or to its copy on a standby. */
export async function haveOneDatabase(one: Pick<pg.Pool, "query">, other: Pick<pg.Pool, "query">): Promise<boolean> {
  const [a, b] = await Promise.all([identityOf(one), identityOf(other)]);
  // Two users of one database may have different rights.
  const areOneSystem = a.system === null || b.system === null || a.system === b.system;
  return areOneSystem && a.database === b.database;
}

/**
 * Position in the WAL up to which commits have been acknowledged. Calls made while a query is in flight share the next one,
 * because the result in flight may predate their last write.
 */
function sharedPosition(primary: pg.Pool): () => Promise<string> {
  const ask = async () => {
    const { rows } = await primary.query<{ lsn: string }>("SELECT pg_current_wal_flush_lsn()::text AS lsn");
    return rows[0]?.lsn ?? "";
  };
  let underWay: Promise<unknown> | null = null;
  let next: Promise<string> | null = null;
  return () => {
    next ??= (async () => {
      await underWay?.catch(() => undefined);
      const asked = ask();
      next = null;
      underWay = asked;
      return asked;
    })();
    return next;
  };
}

/** @throws NotCurrent when it is a standby of another database. */
async function requireStandbyOf(primary: pg.Pool, client: pg.PoolClient): Promise<void> {
  if (await haveOneDatabase(primary, client)) return;
  throw new NotCurrent("DATABASE_READ_URL leads to another database than DATABASE_URL.");
}

/** @throws NotCurrent when the standby does not get there in time, or is no longer a standby. */
async function catchUp(client: pg.PoolClient, lsn: string): Promise<void> {
  const isCurrent = async () => {
    const { rows } = await client.query<{ isCurrent: boolean }>({
      name: "standby.is_current",
      text: 'SELECT pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= $1::pg_lsn AS "isCurrent"',
      values: [lsn],
    });
    return rows[0]?.isCurrent ?? false;
  };
  for (const until = performance.now() + CATCH_UP_MS; !(await isCurrent()); await pause(LOOK_EVERY_MS)) {
    if (performance.now() > until) throw new NotCurrent(`The standby had not replayed ${lsn} after ${CATCH_UP_MS} ms.`);
  }
}

/**
 * Makes a function that runs a read on the standby, or else through `onPrimary`.
 * @param connect connects to the standby, or rejects soon.
 * @param primary is asked for the position of the last commit.
 * @throws what the statement itself throws.
 */
export function readFromStandby(connect: () => Promise<pg.PoolClient>, primary: pg.Pool, onPrimary: Query): Query {
  const position = sharedPosition(primary);
  const known = new WeakSet<pg.PoolClient>();
  let restsUntil = 0;
  return async (...args) => {
    if (performance.now() < restsUntil) return onPrimary(...args);
    let client: pg.PoolClient | null = null;
    let broken = true;
    let isReady = false;
    try {
      const lsn = await position();
      client = await connect();
      // Positions of two databases cannot be compared, and the lists of another database belong to strangers.
      if (!known.has(client)) await requireStandbyOf(primary, client);
      known.add(client);
      await catchUp(client, lsn);
      isReady = true;
      const query = client.query.bind(client) as unknown as Query;
      const result = await query(...args);
      broken = false;
      return result;
    } catch (thrown) {
      // A failure before the statement is sent is one of the standby: its address, its certificate, its user.
      const isStandbys = !isReady || isConnectionFailure(thrown) || errorCodeOf(thrown) === CONFLICT_WITH_RECOVERY;
      if (!isStandbys) {
        broken = false;
        throw thrown;
      }
      restsUntil = performance.now() + REST_MS;
      log("warn", "db.standby_not_read", { ...errorFields(thrown), rest_ms: REST_MS });
      return await onPrimary(...args);
    } finally {
      client?.release(broken);
    }
  };
}
