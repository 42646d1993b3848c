/**
 * A killed worker leaves its jobs locked, and graphile-worker waits four hours before it believes it. Here every pool
 * of workers holds a session lock of the database under its own name: whose lock is free is dead, and its jobs are
 * given back at once.
 */
import pg from "pg";
import { pool } from "../server/core/db";
import { env } from "../server/core/env";
import { errorFields, log } from "../server/core/log";
import { onShutdown } from "../server/core/process";

/** Keeps our advisory locks apart from anybody else's. */
const LOCK_SPACE = 7_461;
const REAP_EVERY_MS = 5_000;

const held = new Set<string>();
let holder: pg.Client | null = null;
let connecting: Promise<pg.Client> | null = null;

/** Holds the lock of one of this process's pools. When the connection breaks, the next look at the dead takes all again. */
export async function declareAlive(poolId: string): Promise<void> {
  held.add(poolId);
  await lock(await ensureHeld(), poolId);
}

/** The connection that holds our locks, made anew when the former is gone. @throws when the database cannot be reached. */
async function ensureHeld(): Promise<pg.Client> {
  if (holder) {
    try {
      await holder.query("SELECT 1");
      return holder;
    } catch {
      await drop();
    }
  }
  connecting ??= connect().finally(() => {
    connecting = null;
  });
  return connecting;
}

async function drop(): Promise<void> {
  const lost = holder;
  holder = null;
  await lost?.end().catch(() => undefined);
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: env().DATABASE_URL,
    application_name: "worker-liveness",
    keepAlive: true,
    query_timeout: 5_000,
    connectionTimeoutMillis: 5_000,
  });
  client.on("error", (thrown) => {
    if (holder !== client) return;
    holder = null;
    log("warn", "worker.liveness_lost", errorFields(thrown));
  });
  await client.connect();
  for (const poolId of held) await lock(client, poolId);
  holder = client;
  return client;
}

const lock = (client: pg.Client, poolId: string) =>
  client.query("SELECT pg_try_advisory_lock($1, hashtext($2))", [LOCK_SPACE, poolId]);

/** Gives back the jobs of pools that are gone. @returns the ids of those pools. */
async function reapDeadWorkers(): Promise<string[]> {
  const { rows } = await pool().query<{ poolId: string }>({
    name: "worker.dead_pools",
    text: `SELECT l.locked_by AS "poolId" FROM (SELECT DISTINCT locked_by FROM graphile_worker.jobs
             WHERE locked_at < now() - interval '2 seconds') l
           WHERE NOT EXISTS (SELECT 1 FROM pg_locks p WHERE p.locktype = 'advisory' AND p.objsubid = 2
             AND p.classid = $1::oid AND p.objid::bigint = (hashtext(l.locked_by)::bigint & 4294967295)
             AND p.database = (SELECT oid FROM pg_database WHERE datname = current_database()))`,
    values: [LOCK_SPACE],
  });
  const dead = rows.map((row) => row.poolId).filter((poolId) => !held.has(poolId));
  if (dead.length === 0) return [];
  await pool().query("SELECT graphile_worker.force_unlock_workers($1::text[])", [dead]);
  log("warn", "worker.jobs_given_back", { pools: dead });
  return dead;
}

/** Looks for dead workers now and every few seconds. Who cannot hold its own locks declares nobody dead. */
export async function watchForDeadWorkers(): Promise<void> {
  const look = async () => {
    await ensureHeld();
    await reapDeadWorkers();
  };
  await look();
  const timer = setInterval(
    () => void look().catch((thrown) => log("warn", "worker.reap_failed", errorFields(thrown))),
    REAP_EVERY_MS,
  );
  onShutdown(async () => {
    clearInterval(timer);
    await drop();
  });
}
