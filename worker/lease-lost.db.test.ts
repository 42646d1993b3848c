import { beforeAll, expect, test } from "vitest";
import { pool } from "@/server/core/db";
import { workerId } from "@/server/core/worker-id";
import { claimed, prepareAttempts } from "@/test/database/attempts";
import { keepLease, LOCK_SPACE, leasedPools, leaseHeldMs } from "./lease";

beforeAll(prepareAttempts);

/** The database process that holds the lock of this worker's lease. */
async function holder(): Promise<number | undefined> {
  const { rows } = await pool().query<{ pid: number }>(
    `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = $1::oid
       AND objid::bigint = (hashtext($2)::bigint & 4294967295)
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [LOCK_SPACE, workerId()],
  );
  return rows[0]?.pid;
}

test("a worker that lost its lease holds its own lock again, and has held its lease only since then", async () => {
  let regained = 0;
  const release = await keepLease(() => (regained += 1));
  try {
    const before = await holder();
    expect(before).toBeDefined();
    await pool().query("SELECT pg_terminate_backend($1)", [before]);
    const endedAtMs = performance.now();
    await expect.poll(() => regained).toBe(1);
    // Without the lock it would count as dead after the shortest interruption of its heartbeats.
    await expect.poll(holder).toEqual(expect.any(Number));
    expect(await holder()).not.toBe(before);
    expect(leaseHeldMs()).toBeGreaterThan(0);
    expect(leaseHeldMs()).toBeLessThan(performance.now() - endedAtMs);
  } finally {
    await release();
  }
  expect(await holder()).toBeUndefined();
});

test("a worker that ends with open attempts leaves its row, by which others take them over; otherwise none", async () => {
  const hasRow = async () => (await pool().query("SELECT FROM workers WHERE id = $1", [workerId()])).rowCount === 1;
  const message = await claimed();
  await (await keepLease(() => undefined))();
  expect(await hasRow()).toBe(true);
  await pool().query("DELETE FROM message_attempts WHERE message_id = $1", [message.id]);
  await (await keepLease(() => undefined))();
  expect(await hasRow()).toBe(false);
});

test("a pool that begins later is listed in the lease, so that nobody unlocks its jobs", async () => {
  const release = await keepLease(() => undefined);
  const pools = async () =>
    (await pool().query<{ pools: string[] }>("SELECT pools FROM workers WHERE id = $1", [workerId()])).rows[0]?.pools;
  try {
    expect(await pools()).toEqual([]);
    leasedPools().add("pool-later");
    await expect.poll(pools).toEqual(["pool-later"]);
  } finally {
    leasedPools().clear();
    await release();
  }
});
