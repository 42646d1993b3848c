import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { pool } from "@/server/core/db";
import { runProgram } from "@/test/commands";
import { asSuperuser } from "@/test/database/superuser";

const LIMITS = "'statement_timeout', 'idle_in_transaction_session_timeout'";
const NAME = "29990101000000_looks_at_limits";
let folder = "";

const set = (change: string) =>
  asSuperuser(`DO $$ BEGIN
    EXECUTE format('ALTER DATABASE %I ${change}', current_database());
  END $$`);

/** A copy of what `migrate` reads, with one migration more, which fails under a limit. */
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "messaging-migrate-"));
  await cp("prisma/migrations", path.join(folder, "prisma", "migrations"), { recursive: true });
  await cp("prisma/schema", path.join(folder, "prisma", "schema"), { recursive: true });
  const own = path.join(folder, "prisma", "migrations", NAME);
  await mkdir(own);
  await writeFile(
    path.join(own, "migration.sql"),
    `DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_settings WHERE name IN (${LIMITS}) AND setting <> '0') THEN RAISE 'a limit applies'; END IF;
  END $$;`,
  );
});

afterAll(async () => {
  for (const limit of ["statement_timeout", "idle_in_transaction_session_timeout"]) await set(`RESET ${limit}`);
  await pool().query("DELETE FROM _prisma_migrations WHERE migration_name = $1", [NAME]);
  await rm(folder, { recursive: true, force: true });
});

test("a migration takes as long as it needs, whatever limit the database has for statements", async () => {
  await set("SET statement_timeout = 25000");
  await set("SET idle_in_transaction_session_timeout = 2000");
  const env = { DATABASE_URL: process.env.DATABASE_URL ?? "" };
  const migrated = await runProgram([inject("programs").migrate], { cwd: folder, env });
  expect(migrated).toEqual({ code: 0, output: `applied ${NAME}\n` });
}, 60_000);
