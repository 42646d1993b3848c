import { readdirSync } from "node:fs";
import path from "node:path";
import type { Queryable } from "../core/db";
import { messageOf } from "../core/errors";
import { defineProcessValue, plainError } from "../core/process";
import { type AppliedMigration, compareMigrations, type MigrationState } from "./migration-state";

const FOLDER = path.join("prisma", "migrations");

function readFolder() {
  try {
    return readdirSync(FOLDER, { withFileTypes: true });
  } catch (thrown) {
    throw plainError(
      `The migrations of this version cannot be read (${messageOf(thrown)}): start the program in the folder of the installation, not in ${process.cwd()}.`,
    );
  }
}

/**
 * Names of the migrations of this version, from `prisma/migrations` in the working folder.
 * @throws Error with one line for people when this is not the folder of an installation.
 */
export const knownMigrations = defineProcessValue("migrations.known", () =>
  readFolder()
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort(),
);

/** Reads which migrations the database has. A database without the table has none. @throws Error as {@link knownMigrations} */
export async function readMigrationState(on: Queryable): Promise<MigrationState> {
  const table = await on.query<{ exists: boolean }>("SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists");
  if (!table.rows[0]?.exists) return compareMigrations(knownMigrations(), []);
  const { rows } = await on.query<AppliedMigration>(
    `SELECT migration_name AS name, finished_at IS NOT NULL AS "isFinished" FROM _prisma_migrations
     WHERE rolled_back_at IS NULL`,
  );
  return compareMigrations(knownMigrations(), rows);
}
