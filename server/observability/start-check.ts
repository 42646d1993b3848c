/** Whether a process may start on its database. */
import { SECOND_MS } from "../core/clock";
import { pool } from "../core/db";
import { errorFields, log } from "../core/log";
import type { MigrationState } from "./migration-state";
import { tooNewLine } from "./migration-state";
import { readMigrationState } from "./migrations";

const LOOK_EVERY_MS = SECOND_MS;

/**
 * Refuses a database that is too new. An unreachable database is no reason to refuse: the following steps wait for it.
 * @returns the state of its migrations; null when it could not be read.
 * @throws Error with one line for people.
 */
export async function refuseTooNew(): Promise<MigrationState | null> {
  const state = await readMigrationState(pool()).catch((thrown) => {
    log("warn", "migrations.not_read", errorFields(thrown));
    return null;
  });
  const refusal = state && tooNewLine(state);
  if (refusal) throw new Error(refusal);
  if (state && state.newer.length > 0) log("warn", "migrations.newer", { newer: state.newer });
  return state;
}

/** Waits until the database has every migration that this version needs. @throws as {@link refuseTooNew}. */
export async function waitForMigrations(): Promise<void> {
  for (let waits = 0; ; waits += 1) {
    const state = await refuseTooNew();
    if (!state || state.pending.length === 0) return;
    if (waits === 0) log("warn", "migrations.pending", { pending: state.pending });
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
