import { readdirSync } from "node:fs";
import path from "node:path";
import type { Queryable } from "../core/db";
import { defineProcessValue } from "../core/process";
import { type AppliedMigration, compareMigrations, type MigrationState } from "./migration-state";

/** Names of the migrations of this version, from `prisma/migrations` in the working folder. */
const knownMigrations = defineProcessValue("migrations.known", () =>
  readdirSync(path.join("prisma", "migrations"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort(),
);

/** Reads which migrations the database has. A database without the table has none. */
export async function readMigrationState(on: Queryable): Promise<MigrationState> {
  const table = await on.query<{ exists: boolean }>("SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists");
  if (!table.rows[0]?.exists) return compareMigrations(knownMigrations(), []);
  const { rows } = await on.query<AppliedMigration>(
    `SELECT migration_name AS name, finished_at IS NOT NULL AS "isFinished" FROM _prisma_migrations
     WHERE rolled_back_at IS NULL`,
  );
  return compareMigrations(knownMigrations(), rows);
}
