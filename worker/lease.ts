/**
 * The lease proves that a worker is alive. It consists of a session lock in the database under the worker's id, and a heartbeat. A
 * killed worker loses the lock at once; a suspended or disconnected one stops sending its heartbeat.
 */
import type pg from "pg";
import { SECOND_MS } from "../server/core/clock";
import { beginSession, SessionClient } from "../server/core/database/session";
import { directDatabaseUrl } from "../server/core/env";
import { errorFields, log } from "../server/core/log";
import { defineProcessValue, keepDoing } from "../server/core/process";
import { workerId } from "../server/core/worker-id";

/** Namespace of our advisory locks. */
export const LOCK_SPACE = 7_461;
const BEAT_MS = SECOND_MS;

type Lease = {
  client: pg.Client | null;
  hasLock: boolean;
  /** `performance.now()` when this process got the lease that it still holds; null: it holds none. */
  heldSinceMs: number | null;
  /** Ids of our worker pools, under which they lock jobs. */
  pools: Set<string>;
  /** Exclusive work that this process is running. */
  exclusive: Set<string>;
};

const lease = defineProcessValue(
  "worker.lease",
  (): Lease => ({
    client: null,
    hasLock: false,
    heldSinceMs: null,
    pools: new Set<string>(),
    exclusive: new Set<string>(),
  }),
);

/** Ids of this process's worker pools, under which they lock jobs. The next heartbeat adds them to the lease. */
export const leasedPools = (): Set<string> => lease().pools;

/** Milliseconds for which this process has held its lease without interruption; 0 when it does not hold it. */
export function leaseHeldMs(): number {
  const { heldSinceMs } = lease();
  return heldSinceMs === null ? 0 : performance.now() - heldSinceMs;
}

async function connect(): Promise<pg.Client> {
  const client = new SessionClient({
    connectionString: directDatabaseUrl(),
    application_name: "worker-lease",
    // Heartbeats and locks share the connection, and do not wait for each other.
    pipeline: true,
    query_timeout: 5 * SECOND_MS,
    connectionTimeoutMillis: 5 * SECOND_MS,
  });
  client.on("error", (thrown) => lose(client, thrown));
  client.on("end", () => lose(client, new Error("The connection was closed.")));
  try {
    await client.connect();
    await beginSession(client);
    return client;
  } catch (thrown) {
    void client.end().catch(() => undefined);
    throw thrown;
  }
}

function lose(client: pg.Client, thrown: unknown): void {
  const own = lease();
  if (own.client !== client) return;
  own.client = null;
  own.hasLock = false;
  own.heldSinceMs = null;
  log("warn", "worker.lease_lost", errorFields(thrown));
}

/** Ends a connection whose locks are uncertain: they end with it. */
function drop(client: pg.Client, thrown: unknown): void {
  lose(client, thrown);
  void client.end().catch(() => undefined);
}

/** Renews the lease once. @throws when the database is unavailable. */
async function beat(): Promise<void> {
  const own = lease();
  own.client ??= await connect();
  const { client } = own;
  try {
    // Our own former connection may hold the lock until the database notices that it is gone.
    if (!own.hasLock) {
      const { rows } = await client.query<{ ok: boolean }>("SELECT pg_try_advisory_lock($1, hashtext($2)) AS ok", [
        LOCK_SPACE,
        workerId(),
      ]);
      own.hasLock = rows[0]?.ok ?? false;
    }
    await client.query(
      `INSERT INTO workers (id, pools, seen_at) VALUES ($1, $2, clock_timestamp())
       ON CONFLICT (id) DO UPDATE SET pools = excluded.pools, seen_at = excluded.seen_at`,
      [workerId(), [...own.pools]],
    );
    own.heldSinceMs ??= performance.now();
  } catch (thrown) {
    drop(client, thrown);
    throw thrown;
  }
}

/** How long a starting worker waits for the database. */
const FIRST_WITHIN_MS = 60 * SECOND_MS;

/** Takes the lease for the first time. @throws when the database is unavailable for a minute. */
async function takeLease(): Promise<void> {
  for (const until = performance.now() + FIRST_WITHIN_MS; ; ) {
    try {
      await beat();
      return;
    } catch (thrown) {
      if (performance.now() > until) throw thrown;
      log("warn", "worker.waits_for_database", errorFields(thrown));
      await new Promise((resolve) => setTimeout(resolve, BEAT_MS));
    }
  }
}

/**
 * Takes the lease and renews it until the returned function is called, which releases it.
 * @param onRegained called when the lease is held again after it was lost, through an outage of the database or a stall.
 * @throws when the database is unavailable for a minute.
 */
export async function keepLease(onRegained: () => void): Promise<() => Promise<void>> {
  await takeLease();
  let wasLost = false;
  const stop = keepDoing(async () => {
    wasLost ||= lease().client === null;
    try {
      await beat();
      if (wasLost) {
        wasLost = false;
        onRegained();
      }
    } catch (thrown) {
      wasLost = true;
      log("warn", "worker.lease_not_renewed", errorFields(thrown));
    }
    return BEAT_MS;
  });
  return async () => {
    await stop();
    const { client } = lease();
    // While attempts are still open, the row stays: other workers find the lease expired, and take them over.
    await client
      ?.query(
        `DELETE FROM workers WHERE id = $1
           AND NOT EXISTS (SELECT 1 FROM message_attempts WHERE outcome IS NULL AND worker_id = $1)`,
        [workerId()],
      )
      .catch(() => undefined);
    lease().client = null;
    await client?.end().catch(() => undefined);
  };
}

/**
 * Runs `work` unless it is already running, in this worker or another. The lock ends with the lease's connection, so a dead worker
 * cannot keep it. Without that connection only this worker's runs exclude each other: `work` must be safe to run twice at once.
 * @returns whether it was run.
 */
export async function exclusively(name: string, work: () => Promise<unknown>): Promise<boolean> {
  const { client, exclusive } = lease();
  if (exclusive.has(name)) return false;
  exclusive.add(name);
  const key = [LOCK_SPACE, `exclusive:${name}`];
  let isLocked = false;
  try {
    if (client) {
      const locking = client.query<{ ok: boolean }>("SELECT pg_try_advisory_lock($1, hashtext($2)) AS ok", key);
      const { rows } = await locking.catch((thrown) => {
        // A reply that came too late may have said yes, and the connection would keep the lock for as long as this worker lives.
        drop(client, thrown);
        throw thrown;
      });
      isLocked = rows[0]?.ok ?? false;
      if (!isLocked) return false;
    }
    await work();
    return true;
  } finally {
    exclusive.delete(name);
    if (isLocked) await client?.query("SELECT pg_advisory_unlock($1, hashtext($2))", key).catch(() => undefined);
  }
}
