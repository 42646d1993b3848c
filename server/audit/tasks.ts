import { pool } from "../core/db";
import { env } from "../core/env";

const DELETED_AT_ONCE = 1_000;

/** Deletes entries that are older than AUDIT_KEPT_DAYS, in batches, so that no statement holds many rows. */
export async function forgetAudit(): Promise<void> {
  for (let deleted = DELETED_AT_ONCE; deleted === DELETED_AT_ONCE; ) {
    const { rowCount } = await pool().query(
      `DELETE FROM audit_entries WHERE id IN (
         SELECT id FROM audit_entries WHERE created_at < now() - make_interval(days => $1) LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [env().AUDIT_KEPT_DAYS, DELETED_AT_ONCE],
    );
    deleted = rowCount ?? 0;
  }
}
