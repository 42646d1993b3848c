/** The people of an account and their roles. */
import { recordAudit } from "../audit/store";
import { keepAuthority } from "../auth/authority";
import { lockPersons } from "../auth/lock-persons";
import { requireConfirmed, type SessionActor } from "../core/actor";
import { pool, type Tx, transaction } from "../core/db";
import { notFound } from "../core/errors";
import { log } from "../core/log";
import { type MemberRow, presentMember } from "./present";
import type { ChangeRoleInput, Left, Member, MemberPath } from "./schema";
import { leaveAccount, openOtherAccount } from "./sessions";
import { lockMembers, requireOtherOwner, requireStillOwner } from "./store";

async function readMembers(db: Tx, accountId: string, userId: string | null): Promise<MemberRow[]> {
  const { rows } = await db.query<MemberRow>(
    `SELECT m.user_id AS "userId", u.name, u.email, m.role, m.created_at AS "createdAt"
     FROM account_members m JOIN users u ON u.id = m.user_id
     WHERE m.account_id = $1 AND ($2::text IS NULL OR m.user_id = $2) ORDER BY m.created_at, m.user_id`,
    [accountId, userId],
  );
  return rows;
}

/** The people of the actor's account, oldest membership first. */
export async function listMembers(actor: SessionActor): Promise<Member[]> {
  return (await readMembers(pool(), actor.accountId, null)).map((row) => presentMember(row, actor.userId));
}

const noSuchMember = () => notFound("There is no such member.", { param: "id" });

/**
 * Changes a member's role, effective from their next call. Invitations by a former owner are withdrawn.
 * @throws 404, 403 `role_too_low` or `confirmation_required`, 400 `last_owner`.
 */
export async function changeRole(actor: SessionActor, { id, role }: ChangeRoleInput): Promise<Member> {
  requireConfirmed(actor);
  const { accountId } = actor;
  const row = await transaction(async (tx) => {
    const members = await lockMembers(tx, accountId);
    const member = members.find(({ userId }) => userId === id);
    if (!member) throw noSuchMember();
    requireStillOwner(members, actor);
    await keepAuthority(tx, actor);
    if (role !== "owner") requireOtherOwner(members, id);
    if (member.role !== role) {
      await tx.query("UPDATE account_members SET role = $3 WHERE account_id = $1 AND user_id = $2", [
        accountId,
        id,
        role,
      ]);
      if (role !== "owner") await withdrawInvitationsOf(tx, accountId, id);
      const change = { action: "member.role_changed", accountId, subjectId: id } as const;
      await recordAudit(tx, actor, { ...change, before: { role: member.role }, after: { role } });
    }
    return (await readMembers(tx, accountId, id))[0];
  });
  if (!row) throw noSuchMember();
  return presentMember(row, actor.userId);
}

const withdrawInvitationsOf = (tx: Tx, accountId: string, userId: string) =>
  tx.query("DELETE FROM invitations WHERE account_id = $1 AND invited_by = $2", [accountId, userId]);

/** The person must be locked. */
async function endMembership(tx: Tx, accountId: string, userId: string): Promise<void> {
  await tx.query("DELETE FROM account_members WHERE account_id = $1 AND user_id = $2", [accountId, userId]);
  await withdrawInvitationsOf(tx, accountId, userId);
}

/**
 * Removes a member: their sessions in the account end. Keys that they made stay active, because these belong to the
 * account.
 * @throws 404, 403 `role_too_low`, 400 `last_owner`.
 */
export async function removeMember(actor: SessionActor, { id }: MemberPath): Promise<{ id: string; deleted: true }> {
  const { accountId } = actor;
  await transaction(async (tx) => {
    const members = await lockMembers(tx, accountId);
    const member = members.find(({ userId }) => userId === id);
    if (!member) throw noSuchMember();
    requireStillOwner(members, actor);
    await lockPersons(tx, actor.userId, id);
    await keepAuthority(tx, actor);
    requireOtherOwner(members, id);
    await endMembership(tx, accountId, id);
    await leaveAccount(tx, accountId, id);
    const change = { action: "member.removed", accountId, subjectId: id } as const;
    await recordAudit(tx, actor, { ...change, before: { role: member.role } });
  });
  log("info", "members.removed", { account_id: accountId, user_id: id, by: actor.userId });
  return { id, deleted: true };
}

/**
 * Lets the acting person leave the account. Their session continues in another of their accounts, if there is one.
 * @throws 404 when they are no longer a member, 400 `last_owner`.
 */
export async function leave(actor: SessionActor): Promise<Left> {
  const { accountId, userId } = actor;
  const next = await transaction(async (tx) => {
    const members = await lockMembers(tx, accountId);
    await lockPersons(tx, userId);
    await keepAuthority(tx, actor);
    const member = members.find((each) => each.userId === userId);
    if (!member) throw noSuchMember();
    requireOtherOwner(members, userId);
    await endMembership(tx, accountId, userId);
    const other = await openOtherAccount(tx, actor);
    await leaveAccount(tx, accountId, userId);
    const change = { action: "member.left", accountId, subjectId: userId } as const;
    await recordAudit(tx, actor, { ...change, before: { role: member.role } });
    return other;
  });
  log("info", "members.left", { account_id: accountId, user_id: userId });
  return { account_id: next };
}
