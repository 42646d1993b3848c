/** The checks for dead workers, one by one, on a clock that the tests move. */
import pg from "pg";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { pool } from "@/server/core/db";
import { env } from "@/server/core/env";
import { claimed, prepareAttempts } from "@/test/database/attempts";
import { failStatements } from "@/test/database/intercepted-statements";
import { LOCK_SPACE } from "./lease";
import { keepTakingOver } from "./take-over";

const own = vi.hoisted(() => ({ leaseHeldMs: 0, check: async () => 0 }));

vi.mock("@/server/core/process", async (load) => ({
  ...(await load<object>()),
  keepDoing: (check: () => Promise<number>) => {
    own.check = check;
    return async () => undefined;
  },
}));
vi.mock("./lease", async (load) => ({ ...(await load<object>()), leaseHeldMs: () => own.leaseHeldMs }));

let nowMs = 0;

/** Lets a second pass before each of so many checks. */
async function checkFor(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    nowMs += 1_000;
    await own.check();
  }
}

beforeAll(async () => {
  process.env.ON_UNKNOWN_OUTCOME = "hold";
  await prepareAttempts();
});

beforeEach(() => {
  nowMs = Math.ceil(performance.now());
  vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  own.leaseHeldMs = 60_000;
  keepTakingOver();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await pool().query("DELETE FROM workers");
});

/** Writes a heartbeat. */
const beat = (id: string) =>
  pool().query(
    `INSERT INTO workers (id, seen_at) VALUES ($1, clock_timestamp())
     ON CONFLICT (id) DO UPDATE SET seen_at = clock_timestamp() + interval '1 millisecond'`,
    [id],
  );

/** Has `act` done after the next statement of that name, before its result is known. */
function meanwhile(name: string, act: () => unknown): void {
  const connections = pool();
  const query = connections.query.bind(connections) as (...args: unknown[]) => Promise<unknown>;
  const spy = vi.spyOn(connections, "query").mockImplementation((async (...args: unknown[]) => {
    const result = await query(...args);
    if ((args[0] as { name?: string }).name !== name) return result;
    spy.mockRestore();
    await act();
    return result;
  }) as never);
}

const isListed = async (id: string) => (await pool().query("SELECT FROM workers WHERE id = $1", [id])).rowCount === 1;

/** The attempt of a new message, claimed by the worker; `begun`: and begun. @returns reads its outcome; undefined: it is gone. */
async function attemptOf(workerId: string, begun: "begun" | "claimed") {
  const { id } = await claimed();
  await pool().query(
    "UPDATE message_attempts SET worker_id = $2, begun_at = CASE WHEN $3 THEN now() END WHERE message_id = $1",
    [id, workerId, begun === "begun"],
  );
  return async () =>
    (await pool().query<{ outcome: string | null }>("SELECT outcome FROM message_attempts WHERE message_id = $1", [id]))
      .rows[0]?.outcome;
}

test("a worker without its lock is dead after its lease; one with it loses its claims then, and the rest after a minute", async () => {
  const session = new pg.Client({ connectionString: env().DATABASE_URL });
  const ended = new Promise((resolve) => session.on("error", resolve));
  await session.connect();
  await session.query("SELECT pg_advisory_lock($1, hashtext($2))", [LOCK_SPACE, "stopped"]);
  for (const id of ["stopped", "killed"]) await beat(id);
  const [begun, onlyClaimed] = [await attemptOf("stopped", "begun"), await attemptOf("stopped", "claimed")];
  const ofKilled = await attemptOf("killed", "begun");
  await checkFor(4);
  expect([await isListed("killed"), await ofKilled(), await onlyClaimed()]).toEqual([true, null, null]);
  await checkFor(1);
  expect([await isListed("killed"), await ofKilled(), await onlyClaimed()]).toEqual([false, "unknown", undefined]);
  await checkFor(55);
  expect([await isListed("stopped"), await begun()]).toEqual([true, null]);
  await checkFor(1);
  expect([await isListed("stopped"), await begun()]).toEqual([false, "unknown"]);
  await ended;
});

test("a worker that sends a heartbeat while it is looked at keeps its work", async () => {
  await beat("late");
  const outcome = await attemptOf("late", "begun");
  await checkFor(4);
  meanwhile("worker.heartbeats", () => beat("late"));
  await checkFor(1);
  expect([await isListed("late"), await outcome()]).toEqual([true, null]);
});

test("a worker that sends a heartbeat while it is taken over keeps its row", async () => {
  await beat("late");
  await checkFor(4);
  meanwhile("worker.end_sessions", () => beat("late"));
  await checkFor(1);
  expect(await isListed("late")).toBe(true);
});

test("the silence during an outage of the database does not count", async () => {
  await beat("cut off");
  await checkFor(1);
  failStatements("FROM workers");
  await checkFor(20);
  vi.restoreAllMocks();
  vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  await checkFor(4);
  expect(await isListed("cut off")).toBe(true);
  await checkFor(1);
  expect(await isListed("cut off")).toBe(false);
});

test("nothing is taken over for a while after a stall of this process, or while it holds its own lease only briefly", async () => {
  await beat("silent");
  own.leaseHeldMs = 4_999;
  await checkFor(10);
  expect(await isListed("silent")).toBe(true);
  own.leaseHeldMs = 60_000;
  // All others may have stood still too.
  nowMs += 10_000;
  await checkFor(5);
  expect(await isListed("silent")).toBe(true);
  await checkFor(1);
  expect(await isListed("silent")).toBe(false);
});

test("a check that takes long is no stall: the next one takes over", async () => {
  await beat("silent");
  await checkFor(4);
  meanwhile("worker.heartbeats", () => (nowMs += 10_000));
  await own.check();
  await checkFor(1);
  expect(await isListed("silent")).toBe(false);
});
