/** Lets only one process migrate at a time. */
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { notDirectLine, sharesSessions } from "../server/observability/pooled-sessions";

/** An arbitrary number, the same in every process that migrates. */
const MIGRATION_LOCK_ID = 5_220_117;
/** Pause between tries for {@link MIGRATION_LOCK_ID}. */
const LOCK_POLL_MS = 200;

/**
 * Waits for its turn among the processes that migrate. It polls: a waiting statement would hold a snapshot, and the index build
 * of the process whose turn it is would wait for that snapshot.
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
 * Refuses an address whose sessions do not last: the lock of this turn would stay on a connection of the pooler, and the next
 * migration would wait for it for ever.
 * @throws Error with a one-line message.
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
