import pg from "pg";
import { afterEach, expect, test } from "vitest";
import { addJob } from "@/server/core/add-jobs";
import { pool } from "@/server/core/db";
import { env } from "@/server/core/env";
import { keepLease, LOCK_SPACE, leasedPools } from "./lease";
import { endSessions, keepTakingOver, unlockOrphanedJobs } from "./take-over";

const stops: Array<() => unknown> = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const idsOf = async () => (await pool().query<{ id: string }>("SELECT id FROM workers")).rows.map(({ id }) => id);

/** Writes the heartbeat of a worker by an earlier clock, which the database's is now `aheadS` seconds ahead of. */
const beat = (id: string, aheadS: number) =>
  pool().query(
    `INSERT INTO workers (id, seen_at) VALUES ($1, clock_timestamp() - $2 * interval '1 second')
     ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`,
    [id, aheadS],
  );

test("a step of the database's clock declares no beating worker dead, and a dead one is still found", async () => {
  // Simulates a clock that is set forward, or back, right after each heartbeat; no worker holds a lock.
  const alive = { forward: 90, back: -90 };
  const beats = setInterval(() => {
    for (const [id, aheadS] of Object.entries(alive)) void beat(id, aheadS);
  }, 500);
  stops.push(() => clearInterval(beats));
  for (const id of ["dead", "dead-in-future"]) await beat(id, id === "dead" ? 0 : -90);
  // One that is as silent, but holds its lock, may only be suspended.
  const suspended = await openSession("suspended", "exclusive:sweep");
  stops.push(() => suspended.end());
  await beat("suspended", 0);
  stops.push(await keepLease(() => undefined));
  stops.push(keepTakingOver());
  await expect.poll(async () => (await idsOf()).filter((id) => id.startsWith("dead"))).toEqual([]);
  expect(await idsOf()).toEqual(expect.arrayContaining([...Object.keys(alive), "suspended"]));
});

test("jobs of pools that no lease lists are unlocked, but not those of this worker or of a pool that has just begun", async () => {
  await pool().query("INSERT INTO workers (id, pools) VALUES ('other', '{pool-listed}')");
  const locked = async () =>
    (
      await pool().query<{ pool: string }>(
        "SELECT locked_by AS pool FROM graphile_worker._private_jobs WHERE locked_by LIKE 'pool-%' ORDER BY 1",
      )
    ).rows.map((row) => row.pool);
  for (const [name, secondsAgo] of Object.entries({ gone: 11, new: 0, listed: 11, own: 11 })) {
    await addJob(pool(), "review_sender", { senderId: name });
    await pool().query(
      `UPDATE graphile_worker._private_jobs SET locked_by = 'pool-' || $1, locked_at = now() - $2 * interval '1 second'
       WHERE payload ->> 'senderId' = $1`,
      [name, secondsAgo],
    );
  }
  leasedPools().add("pool-own");
  stops.push(() => leasedPools().clear());
  await unlockOrphanedJobs();
  expect(await locked()).toEqual(["pool-listed", "pool-new", "pool-own"]);
});

const LOCK = "SELECT pg_try_advisory_lock($1, hashtext($2)) AS ok";

/** Opens a session that holds the locks of its lease and of a sweep. */
async function openSession(worker: string, sweep: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: env().DATABASE_URL });
  client.on("error", () => undefined);
  await client.connect();
  for (const name of [worker, sweep]) await client.query(LOCK, [LOCK_SPACE, name]);
  return client;
}

const isFree = async (sweep: string): Promise<boolean> => {
  const client = await pool().connect();
  try {
    const { rows } = await client.query<{ ok: boolean }>(LOCK, [LOCK_SPACE, sweep]);
    if (rows[0]?.ok) await client.query("SELECT pg_advisory_unlock($1, hashtext($2))", [LOCK_SPACE, sweep]);
    return rows[0]?.ok ?? false;
  } finally {
    client.release();
  }
};

test("a worker that is stalled in a sweep loses its locks, and no other does", async () => {
  const still = await openSession("worker-still", "exclusive:sweep-a");
  const alive = await openSession("worker-alive", "exclusive:sweep-b");
  expect(await isFree("exclusive:sweep-a")).toBe(false);
  await endSessions(["worker-still", "worker-gone"]);
  await expect.poll(() => isFree("exclusive:sweep-a")).toBe(true);
  expect(await isFree("exclusive:sweep-b")).toBe(false);
  await Promise.all([still, alive].map((client) => client.end().catch(() => undefined)));
});
