/**
 * Whether the database has every migration that this version needs. A web process may start before they have run; it then refuses
 * requests, whose statements would fail on what is missing.
 */
import { cachedRead } from "../core/cached-read";
import { SECOND_MS } from "../core/clock";
import { pool } from "../core/db";
import { type ApiError, databaseUnavailable, isDatabaseUnavailable, migrationsPending } from "../core/errors";
import { defineProcessValue } from "../core/process";
import type { MigrationState } from "./migration-state";
import { readMigrationState } from "./migrations";

const state = defineProcessValue("migrations.state", () => ({ areComplete: false }));

const migrations = cachedRead("observability.migrations", SECOND_MS, () => readMigrationState(pool()));

/** Whether the migrations were seen to be complete. No migration is taken back, so nobody has to look again. */
export const isMigrated = (): boolean => state().areComplete;

/** Notes what was read about the migrations. */
export function noteMigrations({ pending }: MigrationState): void {
  if (pending.length === 0) state().areComplete = true;
}

/**
 * Looks at the migrations, at most once a second for all callers. To be called until {@link isMigrated}.
 * @returns the refusal of a request; null: it can be served, or will itself find out why the database cannot be read.
 */
export async function refusalUntilMigrated(): Promise<ApiError | null> {
  try {
    noteMigrations(await migrations.get());
  } catch (thrown) {
    return isDatabaseUnavailable(thrown) ? databaseUnavailable({ nothingDone: true, cause: thrown }) : null;
  }
  return isMigrated() ? null : migrationsPending();
}
