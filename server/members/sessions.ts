/** The accounts of a person in which their sessions act. */
import { keepAuthority } from "../auth/authority";
import { lockPersons } from "../auth/lock-persons";
import type { SessionActor } from "../core/actor";
import { pool, type Tx, transaction } from "../core/db";
import { notFound } from "../core/errors";
import { type MembershipRow, presentMembership } from "./present";
import type { Membership, SwitchAccountInput } from "./schema";

/** The accounts of a person, oldest membership first. */
export async function listMemberships(actor: SessionActor): Promise<Membership[]> {
  const { rows } = await pool().query<MembershipRow>(
    `SELECT m.account_id AS "accountId", a.name, a.company_name AS "companyName", m.role
     FROM account_members m JOIN accounts a ON a.id = m.account_id WHERE m.user_id = $1 ORDER BY m.created_at, m.account_id`,
    [actor.userId],
  );
  return rows.map((row) => presentMembership(row, actor.accountId));
}

/** Makes the session, and the person's next sign-in, act in this account. */
async function openAccount(tx: Tx, { userId, sessionId }: SessionActor, accountId: string): Promise<void> {
  // Older sessions have no account of their own, and would follow.
  await tx.query(
    `UPDATE sessions s SET account_id = u.account_id FROM users u
     WHERE u.id = s.user_id AND s.user_id = $1 AND s.account_id IS NULL`,
    [userId],
  );
  await tx.query("UPDATE users SET account_id = $2 WHERE id = $1", [userId, accountId]);
  if (sessionId) await tx.query("UPDATE sessions SET account_id = $2 WHERE id = $1", [sessionId, accountId]);
}

/** Lets the session act in another account of the person. @throws 404 when they are not a member of it. */
export async function switchAccount(actor: SessionActor, input: SwitchAccountInput): Promise<Membership> {
  await transaction(async (tx) => {
    const { rowCount } = await tx.query(
      "SELECT 1 FROM account_members WHERE account_id = $1 AND user_id = $2 FOR SHARE",
      [input.account_id, actor.userId],
    );
    if (rowCount === 0) throw notFound("You are not a member of this account.", { param: "account_id" });
    await lockPersons(tx, actor.userId);
    await keepAuthority(tx, actor);
    await openAccount(tx, actor, input.account_id);
  });
  const memberships = await listMemberships({ ...actor, accountId: input.account_id });
  const current = memberships.find((membership) => membership.is_current);
  if (!current) throw notFound("You are not a member of this account.", { param: "account_id" });
  return current;
}

const OLDEST = "SELECT account_id FROM account_members WHERE user_id = $1 ORDER BY created_at, account_id LIMIT 1";

/** The acting session continues in the oldest of the person's other accounts. @returns null when they have none. */
export async function openOtherAccount(tx: Tx, actor: SessionActor): Promise<string | null> {
  const { rows } = await tx.query<{ account_id: string }>(OLDEST, [actor.userId]);
  const other = rows[0]?.account_id ?? null;
  if (other !== null) await openAccount(tx, actor, other);
  return other;
}

/** Ends the sessions that act in an account which the person has left; their next sign-in opens another. */
export async function leaveAccount(tx: Tx, accountId: string, userId: string): Promise<void> {
  await tx.query(
    `UPDATE sessions s SET revoked_at = now() FROM users u
     WHERE u.id = s.user_id AND s.user_id = $2 AND coalesce(s.account_id, u.account_id) = $1 AND s.revoked_at IS NULL`,
    [accountId, userId],
  );
  await tx.query(`UPDATE users SET account_id = coalesce((${OLDEST}), account_id) WHERE id = $1 AND account_id = $2`, [
    userId,
    accountId,
  ]);
}
