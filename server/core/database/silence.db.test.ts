import net from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { hasPooler, startPooler } from "@/test/database/servers/pooler";
import { type DatabaseProxy, startDatabaseProxy } from "@/test/network/database-proxy";
import { failLookUps } from "@/test/network/look-ups";
import { env } from "../env";
import { isConnectionFailure } from "./connection-failure";
import { PatientPool } from "./patient-pool";
import { beginSession, SessionClient } from "./session";
import { isOwed, watchSilence } from "./silence";

const SOON = { silentForMs: 500, probeWithinMs: 1_000 };
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A pool whose connections may be lost, even when the database is dropped at the end. */
function openPool(name: string, config: ConstructorParameters<typeof PatientPool>[1]): PatientPool {
  const pool = new PatientPool(name, { Client: SessionClient, ...config });
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

/** A pool through a proxy, whose statements have no time limit of their own. */
async function startWatched(): Promise<{ proxy: DatabaseProxy; pool: PatientPool }> {
  const proxy = await startDatabaseProxy(env().DATABASE_URL);
  const pool = openPool("watched", { connectionString: proxy.url, pipeline: true, connectionTimeoutMillis: 500 });
  ends.push(watchSilence(pool, proxy.url, SOON), () => proxy.close());
  return { proxy, pool };
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (thrown: unknown) => thrown,
  );

test("a statement that the network swallows fails as if its connection were lost", async () => {
  const { proxy, pool } = await startWatched();
  const client = await pool.connect();
  await client.query("SELECT 1");
  void proxy.fallSilent();
  const thrown = await failureOf(client.query("SELECT 2"));
  expect(thrown).toMatchObject({ message: expect.stringContaining("no response") });
  expect(isConnectionFailure(thrown)).toBe(true);
  client.release(true);
});

test("a statement fails too if only its connection is silent and the database can be reached", async () => {
  const { proxy, pool } = await startWatched();
  const client = await pool.connect();
  await client.query("SELECT 1");
  void proxy.fallSilent("new");
  expect(await failureOf(client.query("SELECT 2"))).toMatchObject({ message: expect.stringContaining("no response") });
  client.release(true);
});

test("a statement that the database is working on is not ended, however long it takes", async () => {
  const { pool } = await startWatched();
  expect((await pool.query("SELECT 'done' AS result FROM pg_sleep(4)")).rows).toEqual([{ result: "done" }]);
  await pool.end();
});

// EBUSY: the process has no open files left.
test.each(["EAI_AGAIN", "EBUSY"])(
  "while no name can be looked up (%s), a long statement is not ended",
  async (code) => {
    const pool = openPool("unnamed", { connectionString: env().DATABASE_URL, pipeline: true });
    const elsewhere = Object.assign(new URL(env().DATABASE_URL), { hostname: "database.example" });
    ends.push(watchSilence(pool, elsewhere.href, SOON), () => pool.end());
    const client = await pool.connect();
    const lookUps = failLookUps(code);
    expect((await client.query("SELECT 'done' AS result FROM pg_sleep(3)")).rows).toEqual([{ result: "done" }]);
    expect(lookUps).toHaveBeenCalled();
    client.release();
  },
);

test.skipIf(!hasPooler)(
  "a long statement is not ended behind a pooler either, which has its own session numbers (skipped without pgbouncer)",
  async () => {
    const pooler = await startPooler(env().DATABASE_URL, {});
    const connectionString = pooler.through(env().DATABASE_URL);
    const pool = openPool("pooled", { connectionString, pipeline: true });
    ends.push(
      watchSilence(pool, connectionString, SOON),
      () => pool.end(),
      () => pooler.stop(),
    );
    expect((await pool.query("SELECT 'done' AS result FROM pg_sleep(4)")).rows).toEqual([{ result: "done" }]);
  },
);

test("a connection owes a response from the statement until the last row", async () => {
  const client = new SessionClient({ connectionString: env().DATABASE_URL, pipeline: true });
  await client.connect();
  expect(isOwed(client)).toBe(false);
  const asked = [client.query("SELECT 1"), client.query("SELECT 2")];
  expect(isOwed(client)).toBe(true);
  await Promise.all(asked);
  expect(isOwed(client)).toBe(false);
  await client.end();
});

test("both sides test an idle connection, so that a listening one is not deaf for hours", async () => {
  const kept = vi.spyOn(net.Socket.prototype, "setKeepAlive");
  const pool = openPool("kept", { connectionString: env().DATABASE_URL, onConnect: beginSession });
  ends.push(
    () => pool.end(),
    () => kept.mockRestore(),
  );
  const { rows } = await pool.query("SELECT current_setting('tcp_keepalives_idle') AS idle");
  expect(rows).toEqual([{ idle: "10" }]);
  expect(kept).toHaveBeenCalledWith(true, 10_000);
});
