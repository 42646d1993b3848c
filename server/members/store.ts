/**
 * Reads the members of an account under a lock: each of several simultaneous changes sees the result of the previous one.
 */
import { type MemberRole, roleTooLow, type SessionActor } from "../core/actor";
import type { Tx } from "../core/db";
import { invalidRequest } from "../core/errors";

export type LockedMember = { userId: string; role: MemberRole };

/** Locks the members of an account, in the order of their ids. */
export async function lockMembers(tx: Tx, accountId: string): Promise<LockedMember[]> {
  const { rows } = await tx.query<LockedMember>(
    `SELECT user_id AS "userId", role FROM account_members WHERE account_id = $1 ORDER BY user_id FOR UPDATE`,
    [accountId],
  );
  return rows;
}

/** The role may have changed since the call began. @throws 403 `role_too_low` */
export function requireStillOwner(members: readonly LockedMember[], actor: SessionActor): void {
  if (members.find(({ userId }) => userId === actor.userId)?.role !== "owner") throw roleTooLow("owner");
}

/** @throws 400 `last_owner` when the account would have no owner without this one. */
export function requireOtherOwner(members: readonly LockedMember[], userId: string): void {
  const owners = members.filter(({ role }) => role === "owner");
  if (owners.some((owner) => owner.userId !== userId) || !owners.some((owner) => owner.userId === userId)) return;
  throw invalidRequest("An account needs an owner. Make another member an owner first.", { reason: "last_owner" });
}
