import { randomBytes, randomUUID } from "node:crypto";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { runCommand } from "@/test/commands";

/** A copy of what `migrate` reads, to which tests add migrations, and a database of its own. */
let folder = "";
let url = "";
let database: pg.Client;

const run = (...args: string[]) =>
  runCommand([path.resolve("prisma/migrate.ts"), ...args], { cwd: folder, env: { DATABASE_URL: url } });

async function addMigration(name: string, sql: string): Promise<void> {
  const own = path.join(folder, "prisma", "migrations", name);
  await mkdir(own, { recursive: true });
  await writeFile(path.join(own, "migration.sql"), sql);
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "messaging-migrate-"));
  await cp("prisma/migrations", path.join(folder, "prisma", "migrations"), { recursive: true });
  await cp("prisma/schema", path.join(folder, "prisma", "schema"), { recursive: true });
  const admin = new pg.Client({ connectionString: inject("adminUrl") });
  await admin.connect();
  const name = `migrate_${randomBytes(6).toString("hex")}`;
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  const own = new URL(inject("adminUrl"));
  own.pathname = `/${name}`;
  url = own.href;
  database = new pg.Client({ connectionString: url });
  await database.connect();
});

afterAll(async () => {
  await database.end();
  await rm(folder, { recursive: true, force: true });
});

test("--check says what is pending with exit code 1, and 0 once it is applied", async () => {
  const before = await run("--check");
  expect(before.code).toBe(1);
  expect(before.output).toMatch(/applied: 0\npending: .*_init, /);
  expect((await run()).output).toMatch(/^applied .*_init, /);
  const after = await run("--check");
  expect(after.code).toBe(0);
  expect(after.output).toMatch(/^applied: \d+\n$/);
});

test("a migration that waits for a lock lets others pass, and is applied when the lock is free", async () => {
  await addMigration("29990101000000_add_a_column", "ALTER TABLE senders ADD COLUMN extra text;");
  const reader = new pg.Client({ connectionString: url });
  await reader.connect();
  await reader.query("BEGIN; SELECT count(*) FROM senders");
  const running = run();
  const isRolledBack = async () =>
    (await database.query("SELECT 1 FROM _prisma_migrations WHERE rolled_back_at IS NOT NULL")).rowCount;
  // Between its tries others get through, though the reader still holds its lock.
  await expect.poll(isRolledBack).toBeGreaterThan(0);
  await database.query("SET lock_timeout = '10s'; SELECT count(*) FROM senders");
  await reader.query("COMMIT");
  await reader.end();
  expect((await running).output).toBe("applied 29990101000000_add_a_column\n");
  expect((await run("--check")).code).toBe(0);
});

test("a version that lacks a widening migration works on; one that lacks a narrowing one refuses in one clear line", async () => {
  await rm(path.join(folder, "prisma", "migrations", "29990101000000_add_a_column"), { recursive: true });
  const newer = await run("--check");
  expect(newer.code).toBe(0);
  expect(newer.output).toContain("newer, and harmless for this version: 29990101000000_add_a_column");
  await database.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
     VALUES ($1, '', '29990201000000_contract_a_column', now(), 1)`,
    [randomUUID()],
  );
  const tooNew = await run("--check");
  expect(tooNew.code).toBe(2);
  expect(tooNew.output).toContain("too new for this version: 29990201000000_contract_a_column");
  const refused = await run();
  expect(refused.code).toBe(1);
  expect(refused.output).toMatch(/^The database is newer than this version of the service: .*contract_a_column.*\n$/);
});

test.each(["server/main.ts", "worker/index.ts"])("%s does not start on a database that is too new", async (file) => {
  const started = await runCommand([path.resolve(file)], {
    cwd: folder,
    env: { DATABASE_URL: url, SECRET_KEY: "k".repeat(32), PORT: "1", NODE_ENV: "production" },
  });
  expect(started.code).toBe(1);
  expect(started.output).toMatch(/could not start: .*newer than this version of the service/);
});
