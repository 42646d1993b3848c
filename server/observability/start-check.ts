/** Whether a process may start on its database. */
import { MINUTE_MS, SECOND_MS } from "../core/clock";
import { pool } from "../core/db";
import { secretKeys } from "../core/env";
import { messageOf } from "../core/errors";
import { errorFields, log } from "../core/log";
import { keepDoing, plainError } from "../core/process";
import { type SealPurpose, unseal } from "../core/seal";
import { noteMigrations } from "./migrated";
import type { MigrationState } from "./migration-state";
import { tooNewLine } from "./migration-state";
import { knownMigrations, readMigrationState } from "./migrations";
import { secretKey } from "./secret-key-state";
import { unfitDatabaseLine } from "./unfit-database";

const LOOK_EVERY_MS = SECOND_MS;
/** Pause between two tries of {@link checkLater}, each of which logs that the database was unavailable. */
const CHECK_AGAIN_AFTER_MS = 5 * SECOND_MS;
/** As long as a worker waits for its lease; its supervisor starts it again. */
const REACHED_WITHIN_MS = MINUTE_MS;

export { reportEgress } from "../egress/proxy";

/**
 * Makes a missed check of the start as soon as the database is available, in a process that has begun without it. If the
 * process may not serve, it says why and stops cleanly with code 1.
 * @param check whether it could be made; throws an Error with one line for people.
 * @returns a function that ends it.
 */
export function checkLater(check: () => Promise<boolean>): () => Promise<void> {
  const end = keepDoing(async () => {
    const isOver = await check().catch((thrown) => {
      log("error", "start.refused_later", { reason: messageOf(thrown) });
      process.exitCode = 1;
      process.kill(process.pid, "SIGTERM");
      return true;
    });
    if (isOver) void end();
    return CHECK_AGAIN_AFTER_MS;
  });
  return end;
}

/**
 * Refuses a database that is too new. An unreachable database is no reason to refuse: callers that need it wait for it.
 * @returns the state of its migrations; null when it could not be read.
 * @throws Error with one line for people; also when the migrations of this version cannot be read.
 */
async function refuseTooNew(): Promise<MigrationState | null> {
  // Waiting for the database would not help a process that was started in another folder.
  knownMigrations();
  const state = await readMigrationState(pool()).catch((thrown) => {
    log("warn", "migrations.not_read", errorFields(thrown));
    return null;
  });
  const refusal = state && tooNewLine(state);
  if (refusal) throw plainError(refusal);
  if (state && state.newer.length > 0) log("warn", "migrations.newer", { newer: state.newer });
  return state;
}

/**
 * Refuses a database that is too new, and warns of one that lacks migrations: until they are applied a web process refuses requests.
 * @returns whether it could be looked at.
 * @throws Error with one line for people.
 */
export async function checkMigrations(): Promise<boolean> {
  const state = await refuseTooNew();
  if (state) noteMigrations(state);
  if (state && state.pending.length > 0) log("warn", "migrations.pending", { pending: state.pending });
  return state !== null;
}

/**
 * Refuses a database that skips triggers or cannot store every text. An unreachable one is waited for elsewhere.
 * @returns whether it could be looked at.
 * @throws Error with one line for people.
 */
export async function refuseUnfitDatabase(): Promise<boolean> {
  const line = await unfitDatabaseLine(pool()).catch((thrown) => {
    log("warn", "database.not_checked", errorFields(thrown));
    return undefined;
  });
  if (line) throw plainError(line);
  return line !== undefined;
}

/** Whether texts sort by the rules of a language, and which settings for crash safety are off. */
const SERVER = `SELECT 'a' < 'B' AS "isOfLanguage", ARRAY(SELECT name FROM pg_settings
  WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off' ORDER BY name) AS off`;

/**
 * Warns of a database whose texts sort by the rules of a language: comparing ids costs more, and an upgrade of the system's C
 * library may change the order under its indexes. Also warns of a server that may lose acknowledged commits when its machine
 * crashes. No connection can change either. An unreadable database is warned of elsewhere.
 * @returns whether it could be looked at.
 */
export async function warnOfServer(): Promise<boolean> {
  const see = "docs/operations.md, The database";
  const read = await pool()
    .query<{ isOfLanguage: boolean; off: string[] }>(SERVER)
    .catch(() => null);
  if (read === null) return false;
  const { isOfLanguage = false, off = [] } = read.rows[0] ?? {};
  if (isOfLanguage) log("warn", "database.language_order", { see });
  if (off.length > 0) log("warn", "database.not_crash_safe", { off, see });
  return true;
}

/** Recently sealed secrets, with their purposes. */
const SEALED = `(SELECT 'webhook signing secret' AS purpose, secret_sealed AS sealed FROM webhook_endpoints ORDER BY id DESC LIMIT 5)
  UNION ALL (SELECT 'provider settings', settings_sealed FROM providers WHERE settings_sealed IS NOT NULL LIMIT 5)`;

function isOpened({ purpose, sealed }: { purpose: SealPurpose; sealed: string }): boolean {
  try {
    unseal(secretKeys(), purpose, sealed);
    return true;
  } catch {
    return false;
  }
}

/**
 * Logs that this process has another SECRET_KEY than the one that sealed the stored secrets: it cannot sign webhooks, and web
 * processes with the right key refuse receipts for messages that it sends. The right key may also be lost, so the process
 * starts.
 * @returns whether it could be looked at.
 */
export async function warnOfOtherKey(): Promise<boolean> {
  const read = await pool()
    .query<{ purpose: SealPurpose; sealed: string }>(SEALED)
    .catch(() => null);
  if (read === null) return false;
  const { rows } = read;
  const opens = rows.length === 0 || rows.some(isOpened);
  secretKey().opens = opens;
  if (!opens) log("error", "secret_key.differs", { see: "docs/operations.md, A process has another SECRET_KEY" });
  return true;
}

/**
 * Waits until the database has every migration that this version needs. One that is unreachable may lack some.
 * @throws as {@link refuseTooNew}; Error when the database is unreachable for a minute.
 */
export async function waitForMigrations(): Promise<void> {
  let reachedAt = performance.now();
  for (let isSaid = false; ; ) {
    const state = await refuseTooNew();
    if (state?.pending.length === 0) return;
    if (state) {
      reachedAt = performance.now();
      if (!isSaid) log("warn", "migrations.pending", { pending: state.pending });
      isSaid = true;
    } else if (performance.now() - reachedAt >= REACHED_WITHIN_MS) {
      throw plainError("The database was not reached for a minute.");
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
