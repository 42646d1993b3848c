/** The sweep of messages whose validity period ended while they waited. Expired messages that reach dispatch fail there. */
import { now, SECOND_MS } from "../../core/clock";
import { pool, transaction } from "../../core/db";
import { EXPIRED, failUndispatched, isUntaken } from "./fail-undispatched";

/** Longer than the statement that claims attempts, which checks validity periods itself. */
const GRACE_MS = 5 * SECOND_MS;
const BATCH = 500;

/**
 * Fails and refunds pending messages whose validity period has been over for `graceMs`. A message whose attempt is open, or of
 * unknown outcome, is left until that is resolved. No batch begins once `signal` is aborted.
 */
export async function failExpired(graceMs = GRACE_MS, signal?: AbortSignal): Promise<void> {
  for (let found = BATCH; found === BATCH && !signal?.aborted; ) {
    const { rows } = await pool().query<{ messageId: string }>({
      name: "messages.expired",
      text: `SELECT p.message_id AS "messageId" FROM pending_messages p
             WHERE p.expires_at < now() - $1::float8 * interval '1 millisecond'
               AND ${isUntaken("p.message_id")}
             ORDER BY p.expires_at LIMIT $2`,
      values: [graceMs, BATCH],
    });
    const ended = await transaction((tx) =>
      failUndispatched(
        tx,
        rows.map(({ messageId }) => ({ messageId, error: EXPIRED })),
        now(),
      ),
    );
    // Without progress the rest is left to the next sweep.
    found = ended.size > 0 ? rows.length : 0;
  }
}
