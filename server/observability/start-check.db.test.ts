import { afterEach, expect, test, vi } from "vitest";
import { pool } from "../core/db";
import { secretKeys } from "../core/env";
import * as logger from "../core/log";
import { seal } from "../core/seal";
import { waitForMigrations, warnOfLanguageOrder, warnOfLosses, warnOfOtherKey } from "./start-check";

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

test("a database that sorts texts as a language does is warned of, one that compares bytes is not", async () => {
  const logged = vi.spyOn(logger, "log");
  await warnOfLanguageOrder();
  expect(logged).not.toHaveBeenCalled();
  // The order of English, as most installers of PostgreSQL choose it for a whole database.
  const plain = pool().query.bind(pool()) as (text: string) => Promise<unknown>;
  vi.spyOn(pool(), "query").mockImplementation(((text: string) =>
    plain(text.replace("'B'", `'B' COLLATE "en-x-icu"`))) as never);
  await warnOfLanguageOrder();
  expect(logged).toHaveBeenCalledWith("warn", "database.language_order", expect.anything());
});

test("a server that may lose what it has acknowledged is warned of", async () => {
  const logged = vi.spyOn(logger, "log");
  // The server of these tests need not survive a crash.
  await warnOfLosses();
  const off = ["fsync", "full_page_writes"];
  expect(logged).toHaveBeenCalledWith("warn", "database.not_crash_safe", { off, see: expect.anything() });
  logged.mockClear();
  vi.spyOn(pool(), "query").mockResolvedValueOnce({ rows: [] } as never);
  await warnOfLosses();
  expect(logged).not.toHaveBeenCalled();
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
