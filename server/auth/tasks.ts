import { pool } from "../core/db";

const DELETED_AT_ONCE = 1_000;

/** Deletes sessions that are over, in batches, so that no statement holds many rows. */
export async function forgetSessions(): Promise<void> {
  for (let deleted = DELETED_AT_ONCE; deleted === DELETED_AT_ONCE; ) {
    const { rowCount } = await pool().query(
      `DELETE FROM sessions WHERE id IN (
         SELECT id FROM sessions WHERE expires_at <= now() LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [DELETED_AT_ONCE],
    );
    deleted = rowCount ?? 0;
  }
}
