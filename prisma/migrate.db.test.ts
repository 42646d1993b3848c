import { spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
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

const removeMigration = (name: string) => rm(path.join(folder, "prisma", "migrations", name), { recursive: true });

/** Begins to migrate in a process without parents in between, which can be killed. */
function begin() {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, ["--import", import.meta.resolve("tsx"), path.resolve("prisma/migrate.ts")], {
    cwd: folder,
    env: { PATH, HOME, NODE_ENV: "test", DATABASE_URL: url, TSX_TSCONFIG_PATH: path.resolve("tsconfig.json") },
    stdio: "ignore",
  });
  return async () => {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  };
}

/** A script that ends once the table `gate` is empty, and its backend. */
const AT_GATE = `DO $$ BEGIN WHILE EXISTS (SELECT FROM gate) LOOP PERFORM pg_sleep(0.02); END LOOP; END $$;`;
const backendAtGate = async () => {
  const { rows } = await database.query<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%FROM gate) LOOP%' AND pid <> pg_backend_pid()",
  );
  return rows[0]?.pid;
};
const isLocked = async () =>
  (await database.query("SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"))
    .rowCount === 1;
const triesOf = async (name: string) => {
  const { rows } = await database.query<{ end: string }>(
    `SELECT CASE WHEN finished_at IS NOT NULL THEN 'finished' WHEN rolled_back_at IS NOT NULL THEN 'rolled back' ELSE 'open' END AS end
     FROM _prisma_migrations WHERE migration_name = $1 ORDER BY started_at`,
    [name],
  );
  return rows.map(({ end }) => end);
};

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

describe("a migration whose process is killed", () => {
  const name = "29990102000000_add_another_column";
  const begun = async () => {
    await database.query("CREATE TABLE gate AS SELECT 1 AS closed");
    await addMigration(name, `ALTER TABLE senders ADD COLUMN another text;\n${AT_GATE}\n-- The end`);
    const kill = begin();
    await expect.poll(backendAtGate).toBeGreaterThan(0);
    await kill();
  };

  afterEach(async () => {
    await removeMigration(name);
    await database.query("DROP TABLE gate; ALTER TABLE senders DROP COLUMN another");
    await database.query("DELETE FROM _prisma_migrations WHERE migration_name = $1", [name]);
  });

  test("and which the database carries out to its end is waited for, and not applied again", async () => {
    await begun();
    const again = run();
    await expect.poll(isLocked).toBe(true);
    await database.query("DELETE FROM gate");
    expect(await again).toMatchObject({ code: 0 });
    expect(await triesOf(name)).toEqual(["finished"]);
    expect((await run("--check")).code).toBe(0);
  });

  test("and which the database did not carry out is applied anew", async () => {
    await begun();
    await database.query("SELECT pg_terminate_backend($1)", [await backendAtGate()]);
    await database.query("DELETE FROM gate");
    expect(await run()).toEqual({ code: 0, output: `applied ${name}\n` });
    expect(await triesOf(name)).toEqual(["rolled back", "finished"]);
    expect((await run("--check")).code).toBe(0);
  });
});

test.each([
  ["that runs outside of a transaction", "CREATE INDEX CONCURRENTLY senders_gone ON senders (id);"],
  ["that only another version knows", null],
])("a migration %s and was not finished is left to a person, by its name", async (_which, sql) => {
  const name = "29990103000000_half_done";
  if (sql) await addMigration(name, sql);
  await database.query("INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ($1, '', $2)", [
    randomUUID(),
    name,
  ]);
  expect((await run("--check")).code).toBe(3);
  const refused = await run();
  expect(refused.code).toBe(1);
  expect(refused.output).toMatch(/^Begun and not finished, and perhaps half done: 29990103000000_half_done\..*\n$/);
  expect(await triesOf(name)).toEqual(["open"]);
  if (sql) await removeMigration(name);
  await database.query("DELETE FROM _prisma_migrations WHERE migration_name = $1", [name]);
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
