/** The turns of processes that migrate: one at a time. */
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { notDirectLine, sharesSessions } from "../server/observability/pooled-sessions";

/** Any number, as long as every process that migrates takes the same. */
const MIGRATION_LOCK_ID = 5_220_117;
/** Pause between tries for {@link MIGRATION_LOCK_ID}. */
const LOCK_POLL_MS = 200;

/**
 * Waits for its turn among the processes that migrate. A statement that waited would hold a snapshot, for whose end the build of an
 * index in the process whose turn it is would wait.
 */
export async function takeTurn(guard: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await guard.query<{ isMine: boolean }>('SELECT pg_try_advisory_lock($1) AS "isMine"', [
      MIGRATION_LOCK_ID,
    ]);
    if (rows[0]?.isMine) return;
    await pause(LOCK_POLL_MS);
  }
}

/**
 * Refuses an address whose sessions do not last: the lock of this turn would stay behind on a connection of the pooler, and the next
 * migration wait for it without end. @throws Error with one line for people.
 */
export async function refuseShared(guard: pg.Client, connectionString: string): Promise<void> {
  const other = new pg.Client({ connectionString });
  const open = () => other.connect().then(() => other);
  try {
    if (await sharesSessions(guard, open)) throw new Error(notDirectLine(Boolean(process.env.DATABASE_DIRECT_URL)));
  } finally {
    await other.end();
  }
}
