/** The person that a sign-in claims to be. */
import { recordAudit } from "../../audit/store";
import type { MemberRole, Origin, SessionActor } from "../../core/actor";
import { pool, type Queryable } from "../../core/db";
import { forbidden } from "../../core/errors";
import { errorFields, log } from "../../core/log";

export type Claimed = { id: string; accountId: string; isOperator: boolean };

/** The person that a sign-in attempt claims to be, not verified yet. */
export const actorOf = (user: Claimed, origin: Origin): SessionActor => ({
  kind: "session",
  accountId: user.accountId,
  userId: user.id,
  isOperator: user.isOperator,
  sessionId: "",
  origin,
});

type Cause = "wrong_password" | "wrong_code" | "wrong_passkey";

/**
 * Logs a refused sign-in, and audits it if the person is known. The response does not wait for the audit entry: its time would
 * reveal who has an account.
 */
export function noteRefusal(user: Claimed | null, from: Origin, cause: Cause): void {
  const { address } = from;
  const logged = cause === "wrong_password" ? "wrong_credentials" : cause;
  log("warn", "auth.sign_in_refused", { cause: logged, user_id: user?.id ?? null, address });
  if (!user) return;
  const change = { action: "sign_in.refused", accountId: user.accountId, subjectId: user.id } as const;
  recordAudit(pool(), actorOf(user, from), { ...change, after: { cause } }).catch((thrown) =>
    log("error", "auth.refusal_not_recorded", { user_id: user.id, cause, ...errorFields(thrown) }),
  );
}

/** @throws 403 `no_account` when the person is no longer a member of any account. */
export async function roleOf(userId: string, accountId: string, db: Queryable = pool()): Promise<MemberRole> {
  const { rows } = await db.query<{ role: MemberRole }>(
    "SELECT role FROM account_members WHERE user_id = $1 AND account_id = $2",
    [userId, accountId],
  );
  if (rows[0]) return rows[0].role;
  throw forbidden("You are no longer a member of any account. Ask an owner of one for an invitation.", {
    reason: "no_account",
  });
}
