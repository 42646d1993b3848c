import { afterEach, expect, test, vi } from "vitest";
import { pool } from "../core/db";
import { waitForMigrations } from "./start-check";

const NEWEST = "(SELECT max(migration_name) FROM _prisma_migrations)";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test("a worker that starts while the database is away waits for its migrations all the same", async () => {
  await pool().query(`UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = ${NEWEST}`);
  const queried = vi.spyOn(pool(), "query").mockRejectedValueOnce(new Error("connect ECONNREFUSED") as never);
  let isOver = false;
  const waiting = waitForMigrations().then(() => {
    isOver = true;
  });
  // The refused one, then two for each look at a database that lacks a migration.
  await expect.poll(() => queried.mock.calls.length).toBeGreaterThan(4);
  expect(isOver).toBe(false);
  await pool().query(`UPDATE _prisma_migrations SET finished_at = now() WHERE migration_name = ${NEWEST}`);
  await waiting;
});

test("a worker whose database is away for a minute ends, and says so", async () => {
  const queried = vi.spyOn(pool(), "query").mockRejectedValue(new Error("connect ECONNREFUSED") as never);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const ended = waitForMigrations().catch(String);
  await vi.advanceTimersByTimeAsync(59_000);
  expect(queried.mock.calls.length).toBeGreaterThan(30);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await ended).toBe("Error: The database was not reached for a minute.");
});
