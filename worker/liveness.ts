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
const RECONNECT_AFTER_MS = 1_000;

const held = new Set<string>();
let holder: pg.Client | null = null;

/** Holds the locks of this process's pools on a connection of its own, and takes them again when it breaks. */
export async function declareAlive(poolId: string): Promise<void> {
  held.add(poolId);
  if (!holder) await connect();
  else await lock(holder, poolId);
}

async function connect(): Promise<void> {
  const client = new pg.Client({ connectionString: env().DATABASE_URL, application_name: "worker-liveness" });
  client.on("error", (thrown) => {
    log("warn", "worker.liveness_lost", errorFields(thrown));
    if (holder === client) holder = null;
    setTimeout(() => void connect().catch(() => undefined), RECONNECT_AFTER_MS).unref();
  });
  await client.connect();
  holder = client;
  for (const poolId of held) await lock(client, poolId);
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

/** Looks for dead workers now and every few seconds. */
export async function watchForDeadWorkers(): Promise<void> {
  await reapDeadWorkers();
  const timer = setInterval(
    () => void reapDeadWorkers().catch((thrown) => log("warn", "worker.reap_failed", errorFields(thrown))),
    REAP_EVERY_MS,
  );
  onShutdown(async () => {
    clearInterval(timer);
    await holder?.end();
  });
}
