import { randomUUID } from "node:crypto";
import { afterEach, expect, test, vi } from "vitest";
import { moveClockAhead } from "@/test/clock";
import { addJob } from "../core/add-jobs";
import { pool, type Tx, transaction } from "../core/db";
import { newId } from "../core/ids";
import { seal } from "../core/seal";
import { pagesProcess } from "./pages-state";
import { checkReadiness, invalidateReadiness } from "./readiness";
import { warnOfOtherKey } from "./start-check";

const heartbeat = (ageS: number) =>
  pool().query("INSERT INTO workers (id, seen_at) VALUES ($1, clock_timestamp() - $2 * interval '1 second')", [
    `worker-${randomUUID()}`,
    ageS,
  ]);

const dueJob = (ageS: number) =>
  transaction((tx) =>
    addJob(tx, "review_sender", { senderId: newId("sender") }, { runAt: new Date(Date.now() - ageS * 1_000) }),
  );

const addMigration = (name: string, isFinished = true) =>
  pool().query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, started_at, applied_steps_count)
     VALUES ($1, '', $2, CASE WHEN $3::bool THEN now() END, now(), $3::bool::int)`,
    [randomUUID(), name, isFinished],
  );

/** A transaction that does `work` in its first run only. */
async function repeated(work: (tx: Tx) => Promise<unknown>): Promise<void> {
  let runs = 0;
  await transaction(async (tx) => {
    runs += 1;
    if (runs === 1) await work(tx);
  });
}

const look = () => {
  invalidateReadiness();
  return checkReadiness();
};

afterEach(async () => {
  await pool().query("DELETE FROM workers");
  await pool().query("DELETE FROM graphile_worker._private_jobs");
  await pool().query("DELETE FROM _prisma_migrations WHERE migration_name LIKE '2999%'");
});

test("an installation with its migrations, a worker and no backlog is ready", async () => {
  await heartbeat(1);
  expect(await look()).toEqual({
    ok: true,
    failing: [],
    checks: {
      database: { ok: true, latency_ms: expect.any(Number) },
      migrations: { ok: true, pending: 0, newer: 0, too_new: 0 },
      queue: { ok: true, due_jobs: 0, lag_s: 0, max_lag_s: 300 },
      workers: { ok: true, alive: 1, heartbeat_age_s: expect.any(Number), max_age_s: 30 },
    },
  });
});

test("without a worker, and with one that is silent, the workers fail", async () => {
  expect(await look()).toMatchObject({
    ok: false,
    failing: ["workers"],
    checks: { workers: { alive: 0, heartbeat_age_s: null } },
  });
  await heartbeat(90);
  expect((await look()).failing).toEqual(["workers"]);
});

test("a job that has been due for too long fails the queue", async () => {
  await heartbeat(0);
  await dueJob(100);
  expect((await look()).failing).toEqual([]);
  await dueJob(400);
  const { failing, checks } = await look();
  expect(failing).toEqual(["queue"]);
  expect(checks.queue?.due_jobs).toBe(2);
  expect(checks.queue?.lag_s).toBeGreaterThanOrEqual(399);
});

test("a database that lacks a migration fails by it, without a look at tables that may be missing", async () => {
  await heartbeat(0);
  const newest = "SELECT max(migration_name) FROM _prisma_migrations";
  await pool().query(`UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = (${newest})`);
  try {
    const { failing, checks } = await look();
    expect(failing).toEqual(["migrations"]);
    expect(checks).toMatchObject({ migrations: { pending: 1 }, queue: null, workers: null });
  } finally {
    await pool().query(`UPDATE _prisma_migrations SET finished_at = now() WHERE migration_name = (${newest})`);
  }
});

test("a database that a newer version has widened is served, and one that it has narrowed is not", async () => {
  await heartbeat(0);
  await addMigration("29990101000000_add_column");
  expect(await look()).toMatchObject({ ok: true, checks: { migrations: { newer: 1 } } });
  await addMigration("29990201000000_contract_column");
  expect(await look()).toMatchObject({ ok: false, failing: ["migrations"], checks: { migrations: { too_new: 1 } } });
});

test("a database to which a newer version is applying a migration is served", async () => {
  await heartbeat(0);
  await addMigration("29990101000000_add_column", false);
  expect(await look()).toMatchObject({ ok: true, failing: [], checks: { migrations: { ok: true, pending: 0 } } });
});

test("a database that was made read-only is named, though it is no standby", async () => {
  await heartbeat(0);
  const client = await pool().connect();
  await client.query("SET default_transaction_read_only = on");
  const release = client.release.bind(client);
  const readOnly = Object.assign(client, { release: () => release(true) });
  const reached = vi.spyOn(pool(), "reachAtOnce").mockResolvedValue(readOnly);
  try {
    expect(await look()).toMatchObject({ ok: false, failing: ["database"], checks: { migrations: { ok: true } } });
  } finally {
    reached.mockRestore();
  }
  expect(await look()).toMatchObject({ ok: true, failing: [] });
});

test("a database that takes writes again is ready, though no other caller has replaced the connections from before", async () => {
  await heartbeat(0);
  const most = pool().options.max;
  const clients = await Promise.all(Array.from({ length: most }, () => pool().connect()));
  for (const client of clients) await client.query("SET default_transaction_read_only = on");
  for (const client of clients) client.release();
  expect(await look()).toMatchObject({ ok: false, failing: ["database"] });
  for (let looks = 1; looks < most; looks += 1) await look();
  expect(await look()).toMatchObject({ ok: true, failing: [] });
});

test("a flood of checks asks the database once", async () => {
  await heartbeat(0);
  invalidateReadiness();
  const reached = vi.spyOn(pool(), "reachAtOnce");
  try {
    await Promise.all(Array.from({ length: 1_000 }, checkReadiness));
    expect(reached).toHaveBeenCalledTimes(1);
  } finally {
    reached.mockRestore();
  }
});

test("what was checked before a check that throws is kept, and the connection is not used again", async () => {
  await heartbeat(0);
  const release = vi.fn();
  const { reachAtOnce } = pool();
  const reached = vi.spyOn(pool(), "reachAtOnce").mockImplementation(async () => {
    const client = await reachAtOnce.call(pool());
    const released = client.release.bind(client);
    return Object.assign(client, { release: release.mockImplementation(released) });
  });
  await pool().query("ALTER TABLE workers RENAME TO workers_gone");
  try {
    const { failing, checks } = await look();
    expect(failing).toEqual(["workers"]);
    expect(checks).toMatchObject({
      database: { ok: true },
      migrations: { ok: true },
      queue: { ok: true },
      workers: null,
    });
    await expect.poll(() => release.mock.calls).toEqual([[true]]);
  } finally {
    await pool().query("ALTER TABLE workers_gone RENAME TO workers");
    reached.mockRestore();
  }
});

test("a database that does not respond in time is named, and its connection is not used again", async () => {
  const client = { query: () => new Promise(() => undefined), release: vi.fn() };
  const reached = vi.spyOn(pool(), "reachAtOnce").mockResolvedValue(client as never);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const looking = look();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await looking).toMatchObject({ ok: false, failing: ["database"], checks: { migrations: null } });
    expect(client.release.mock.calls).toEqual([[true]]);
  } finally {
    vi.useRealTimers();
    reached.mockRestore();
  }
});

test("a database that cannot be reached is named, and nothing of its address", async () => {
  const reached = vi.spyOn(pool(), "reachAtOnce").mockRejectedValue(new Error("connect ECONNREFUSED secret@10.0.0.1"));
  try {
    const readiness = await look();
    expect(readiness).toMatchObject({ ok: false, failing: ["database"], checks: { queue: null } });
    expect(JSON.stringify(readiness)).not.toMatch(/secret|10\.0\.0\.1/);
  } finally {
    reached.mockRestore();
  }
});

// Last in this file: the process remembers it for ten seconds.
const FULL = "DO $$ BEGIN RAISE 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$";

test.each([
  ["statement", () => pool().query(FULL)],
  ["transaction", () => repeated((tx) => tx.query(FULL))],
])("a database without space for a %s is named for ten seconds, though it can be read", async (_, write) => {
  await heartbeat(0);
  await write().catch(() => undefined);
  expect(await look()).toMatchObject({ ok: false, failing: ["database"], checks: { database: { ok: false } } });
  moveClockAhead(10_001);
  expect(await look()).toMatchObject({ ok: true, failing: [] });
});

test("a process whose pages hear of no changes says so, and is ready all the same", async () => {
  expect((await look()).checks.live).toBeUndefined();
  for (const hears of [true, false]) {
    pagesProcess().hearsChanges = hears;
    const { failing, checks } = await look();
    expect([failing.includes("live"), checks.live]).toEqual([false, { ok: hears }]);
  }
});

test("a process with another SECRET_KEY says so, and is ready all the same: the right one may be lost", async () => {
  expect((await look()).checks.secret_key).toBeUndefined();
  const sealed = seal("another key", "provider settings", "{}");
  await pool().query("INSERT INTO providers (id, settings_sealed) VALUES ('twilio', $1)", [sealed]);
  await warnOfOtherKey();
  const { failing, checks } = await look();
  expect([failing.includes("secret_key"), checks.secret_key]).toEqual([false, { ok: false }]);
});
