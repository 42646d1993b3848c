import { pool } from "../core/db";
import type { JobPayload } from "../core/jobs";
import { mailReset } from "./credentials/reset-by-mail";

/** Mails a link to somebody who has forgotten their password, if anybody signs in with the e-mail. */
export const mailPasswordReset = (job: JobPayload<"request_password_reset">): Promise<void> => mailReset(job);

const DELETED_AT_ONCE = 1_000;

/** Expired rows by table: the key, and the time after which they are deleted. */
const OVER = [
  { table: "sessions", key: "id", until: "expires_at" },
  { table: "invitations", key: "id", until: "expires_at" },
  { table: "password_resets", key: "token_hash", until: "expires_at" },
  { table: "sign_in_limits", key: "subject", until: "busy_until" },
] as const;

/** Deletes sessions, invitations and links that are over and limits that are unused, in batches, so that no statement holds many rows. */
export async function forgetSignIns(): Promise<void> {
  for (const { table, key, until } of OVER) {
    for (let deleted = DELETED_AT_ONCE; deleted === DELETED_AT_ONCE; ) {
      const { rowCount } = await pool().query(
        `DELETE FROM ${table} WHERE ${key} IN (
           SELECT ${key} FROM ${table} WHERE ${until} <= now() LIMIT $1 FOR UPDATE SKIP LOCKED)`,
        [DELETED_AT_ONCE],
      );
      deleted = rowCount ?? 0;
    }
  }
}
