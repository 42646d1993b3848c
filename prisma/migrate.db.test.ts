import { spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { runProgram } from "@/test/commands";

/** A copy of what `migrate` reads, to which tests add migrations, and a database of its own. */
let folder = "";
let url = "";
let database: pg.Client;

const run = (...args: string[]) =>
  runProgram([inject("programs").migrate, ...args], { cwd: folder, env: { DATABASE_URL: url } });

async function addMigration(name: string, sql: string): Promise<void> {
  const own = path.join(folder, "prisma", "migrations", name);
  await mkdir(own, { recursive: true });
  await writeFile(path.join(own, "migration.sql"), sql);
}

const removeMigration = (name: string) => rm(path.join(folder, "prisma", "migrations", name), { recursive: true });

/** Begins to migrate in a process without parents in between, which can be killed. */
function begin() {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [inject("programs").migrate], {
    cwd: folder,
    env: { PATH, HOME, NODE_ENV: "test", DATABASE_URL: url },
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

test("--check of a database that cannot be asked ends with an exit code of its own", async () => {
  const env = { DATABASE_URL: "postgresql://nobody@127.0.0.1:9/none" };
  const failed = await runProgram([inject("programs").migrate, "--check"], { cwd: folder, env });
  expect(failed).toEqual({ code: 4, output: expect.stringContaining("ECONNREFUSED") });
});

test.each([["--chekc"], ["--check", "extra"], ["--foo"], ["new", "one", "two"]])(
  "arguments that it does not know (%s %s) migrate nothing",
  async (...args) => {
    const refused = await run(...args.filter(Boolean));
    expect(refused.code).toBe(1);
    expect(refused.output).toMatch(/^Usage: npm run migrate/);
  },
);

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

describe("an index that a migration makes if it does not exist", () => {
  const name = "29990101500000_one_key";
  const SWAP = `LOCK TABLE rows_to_index IN ACCESS EXCLUSIVE MODE;
    CREATE UNIQUE INDEX IF NOT EXISTS "rows_key" ON "rows_to_index" ("kind", "id");
    ALTER TABLE rows_to_index DROP CONSTRAINT rows_pkey;
    ALTER TABLE rows_to_index ADD CONSTRAINT rows_pkey PRIMARY KEY USING INDEX rows_key;`;
  const SECOND = `CREATE INDEX IF NOT EXISTS rows_to_index_id ON rows_to_index (id) WHERE kind <> ';';`;

  const indexed = async () => {
    const { rows } = await database.query<{ oid: number; name: string; isValid: boolean }>(
      `SELECT indexrelid::int8::int4 AS oid, indexrelid::regclass::text AS name, indisvalid AS "isValid" FROM pg_index
       WHERE indrelid = 'rows_to_index'::regclass ORDER BY name`,
    );
    return rows;
  };
  const write = () => database.query("INSERT INTO rows_to_index (kind) VALUES ('a')");
  const readers = new Set<pg.Client>();
  const openReader = async (level: string) => {
    const reader = new pg.Client({ connectionString: url });
    await reader.connect();
    readers.add(reader);
    await reader.query(`BEGIN ISOLATION LEVEL ${level}; SELECT count(*) FROM rows_to_index`);
    return reader;
  };

  beforeEach(async () => {
    await database.query(
      "CREATE TABLE rows_to_index (id bigserial NOT NULL, kind text NOT NULL, CONSTRAINT rows_pkey PRIMARY KEY (id))",
    );
    await database.query("INSERT INTO rows_to_index (kind) SELECT 'a' FROM generate_series(1, 1000)");
  });

  afterEach(async () => {
    for (const reader of readers) await reader.end();
    readers.clear();
    await database.query("SET lock_timeout = 0");
    await removeMigration(name);
    await database.query("DROP TABLE rows_to_index");
    await database.query("DELETE FROM _prisma_migrations WHERE migration_name = $1", [name]);
  });

  test("is built while rows are written, however long a backup reads", async () => {
    await addMigration(name, SECOND);
    const backup = await openReader("REPEATABLE READ");
    const running = run();
    await expect.poll(indexed).toHaveLength(2);
    await expect.poll(isLocked).toBe(true);
    await database.query("SET lock_timeout = '1s'");
    await write();
    await backup.end();
    expect(await running).toEqual({ code: 0, output: `applied ${name}\n` });
    expect(await indexed()).toEqual([
      expect.objectContaining({ name: "rows_pkey", isValid: true }),
      expect.objectContaining({ name: "rows_to_index_id", isValid: true }),
    ]);
    expect(await triesOf(name)).toEqual(["finished"]);
  });

  test("is built once, however often a reader has its migration tried again, and writers wait for no longer than a try", async () => {
    await addMigration(name, SWAP);
    const reader = await openReader("READ COMMITTED");
    const running = run();
    await expect.poll(() => triesOf(name)).toContain("rolled back");
    const [built] = await indexed();
    expect(built).toMatchObject({ name: "rows_key", isValid: true });
    await expect.poll(isLocked).toBe(true);
    await database.query("SET lock_timeout = '5s'");
    await write();
    await reader.end();
    expect(await running).toEqual({ code: 0, output: `applied ${name}\n` });
    expect(await indexed()).toEqual([{ oid: built?.oid, name: "rows_pkey", isValid: true }]);
  });

  test("is built anew when a build was killed", async () => {
    await addMigration(name, SWAP);
    const backup = await openReader("REPEATABLE READ");
    const kill = begin();
    await expect.poll(indexed).toHaveLength(2);
    await kill();
    await database.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%INDEX CONCURRENTLY%' AND pid <> pg_backend_pid()",
    );
    await backup.end();
    const [left] = await indexed();
    expect(left).toMatchObject({ name: "rows_key", isValid: false });
    expect(await run()).toEqual({ code: 0, output: `applied ${name}\n` });
    const [made] = await indexed();
    expect(made).toMatchObject({ name: "rows_pkey", isValid: true });
    expect(made?.oid).not.toBe(left?.oid);
  });

  test("and that the database goes on building for a killed process is waited for", async () => {
    await addMigration(name, SWAP);
    const backup = await openReader("REPEATABLE READ");
    const kill = begin();
    await expect.poll(indexed).toHaveLength(2);
    await kill();
    const [begun] = await indexed();
    const again = run();
    const isWaitedFor = async () =>
      (
        await database.query(
          "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%LOCK TABLE%'",
        )
      ).rowCount;
    await expect.poll(isWaitedFor).toBe(1);
    await backup.end();
    expect(await again).toEqual({ code: 0, output: `applied ${name}\n` });
    expect(await indexed()).toEqual([{ oid: begun?.oid, name: "rows_pkey", isValid: true }]);
  });

  test("is built by one of two processes, and the other does not keep it from ending", async () => {
    await addMigration(name, SWAP);
    const backup = await openReader("REPEATABLE READ");
    const runs = [run(), run()];
    await expect.poll(indexed).toHaveLength(2);
    await backup.end();
    const outputs = (await Promise.all(runs)).map(({ output }) => output).sort();
    expect(outputs).toEqual([`applied ${name}\n`, "up to date\n"]);
    expect(await triesOf(name)).toEqual(["finished"]);
  });
});

test("a migration that was applied in another form stays applied", async () => {
  const name = "29990101600000_in_another_form";
  await addMigration(name, "CREATE TABLE in_another_form (id text);");
  await run();
  await addMigration(name, "CREATE TABLE in_another_form (id int);");
  expect(await run()).toEqual({ code: 0, output: "up to date\n" });
  expect((await run("--check")).code).toBe(0);
  await removeMigration(name);
  await database.query("DELETE FROM _prisma_migrations WHERE migration_name = $1", [name]);
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

test.each(["web", "worker"] as const)("a %s process does not start on a database that is too new", async (name) => {
  const started = await runProgram([inject("programs")[name]], {
    cwd: folder,
    env: { DATABASE_URL: url, SECRET_KEY: "k".repeat(32), PORT: "1", NODE_ENV: "production" },
  });
  expect(started.code).toBe(1);
  expect(started.output).toMatch(/could not start: .*newer than this version of the service/);
});
