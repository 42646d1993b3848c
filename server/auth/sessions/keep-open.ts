/** Sessions that must still be open at the end of what is done in them. */
import type { Actor } from "../../core/actor";
import type { Tx } from "../../core/db";
import { unauthorized } from "../../core/errors";

/**
 * Keeps the acting session from being ended until `tx` ends. For what outlasts a session and opens the account again, such as a
 * passkey or a key: its request may have begun before the session was ended, perhaps because a stranger had it. Nothing to do where the
 * actor has no session.
 * @throws 401 `no_session` when it has ended since.
 */
export async function keepSessionOpen(tx: Tx, actor: Actor): Promise<void> {
  if (actor.kind !== "session" || actor.sessionId === undefined) return;
  const { rowCount } = await tx.query(
    "SELECT 1 FROM sessions WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL AND expires_at > now() FOR SHARE",
    [actor.sessionId, actor.userId],
  );
  if (rowCount !== 1) throw unauthorized("Your session has ended.", { reason: "no_session" });
}
