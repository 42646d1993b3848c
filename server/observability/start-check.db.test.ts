import { afterEach, expect, test, vi } from "vitest";
import { pool } from "../core/db";
import { secretKeys } from "../core/env";
import * as logger from "../core/log";
import { seal } from "../core/seal";
import { checkMigrations, waitForMigrations, warnOfOtherKey, warnOfServer } from "./start-check";

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

test("a web process that starts before the migrations says so, once it can look", async () => {
  const logged = vi.spyOn(logger, "log");
  expect(await checkMigrations()).toBe(true);
  expect(logged).not.toHaveBeenCalled();
  await pool().query(`UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = ${NEWEST}`);
  vi.spyOn(pool(), "query").mockRejectedValueOnce(new Error("connect ECONNREFUSED") as never);
  expect(await checkMigrations()).toBe(false);
  expect(await checkMigrations()).toBe(true);
  expect(logged).toHaveBeenLastCalledWith("warn", "migrations.pending", { pending: [expect.any(String)] });
  await pool().query(`UPDATE _prisma_migrations SET finished_at = now() WHERE migration_name = ${NEWEST}`);
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

test("a server that may lose what it has acknowledged is warned of, and so are texts that sort as a language does", async () => {
  const logged = vi.spyOn(logger, "log");
  const see = expect.anything();
  const off = ["fsync", "full_page_writes"];
  // The server of these tests need not survive a crash.
  await warnOfServer();
  expect(logged.mock.calls).toEqual([["warn", "database.not_crash_safe", { off, see }]]);
  logged.mockClear();
  // The order of English, as most installers of PostgreSQL choose it for a whole database.
  const plain = pool().query.bind(pool()) as (text: string) => Promise<unknown>;
  vi.spyOn(pool(), "query").mockImplementationOnce(((text: string) =>
    plain(text.replace("'B'", `'B' COLLATE "en-x-icu"`).replace("'off'", "'other'"))) as never);
  await warnOfServer();
  expect(logged.mock.calls).toEqual([["warn", "database.language_order", { see }]]);
});

test("a database that is away at the start is looked at later", async () => {
  vi.spyOn(pool(), "query").mockRejectedValue(new Error("connect ECONNREFUSED") as never);
  expect(await Promise.all([warnOfServer(), warnOfOtherKey(), checkMigrations()])).toEqual([false, false, false]);
  vi.restoreAllMocks();
  expect(await Promise.all([warnOfServer(), warnOfOtherKey(), checkMigrations()])).toEqual([true, true, true]);
});

test("a process whose SECRET_KEY opens none of the stored secrets says so; one that opens some does not", async () => {
  const logged = vi.spyOn(logger, "log");
  const store = (id: string, key: string) =>
    pool().query("INSERT INTO providers (id, settings_sealed) VALUES ($1, $2)", [
      ...[id, seal(key, "provider settings", "{}")],
    ]);
  await pool().query("DELETE FROM providers");
  await warnOfOtherKey();
  expect(logged).not.toHaveBeenCalled();
  await store("twilio", "another key");
  await warnOfOtherKey();
  expect(logged).toHaveBeenCalledExactlyOnceWith("error", "secret_key.differs", expect.anything());
  await store("vonage", secretKeys()[0]);
  await warnOfOtherKey();
  expect(logged).toHaveBeenCalledTimes(1);
});
