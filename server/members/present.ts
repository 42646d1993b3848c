import type { MemberRole } from "../core/actor";
import type { Invitation, Member, Membership } from "./schema";

/** Columns of a member with those of the person. */
export type MemberRow = { userId: string; name: string; email: string; role: MemberRole; createdAt: Date };

export type InvitationRow = { id: string; email: string; role: MemberRole; createdAt: Date; expiresAt: Date };

export type MembershipRow = { accountId: string; name: string; companyName: string; role: MemberRole };

/** The display name of an account: the company, else the name of the person who opened it. */
export const accountName = ({ name, companyName }: { name: string; companyName: string }): string =>
  companyName === "" ? name : companyName;

/** Row -> wire. @param selfId the acting person. */
export const presentMember = (row: MemberRow, selfId: string): Member => ({
  id: row.userId,
  object: "member",
  name: row.name,
  email: row.email,
  role: row.role,
  is_self: row.userId === selfId,
  created_at: row.createdAt.toISOString(),
});

/** Row -> wire. */
export const presentInvitation = (row: InvitationRow): Invitation => ({
  id: row.id,
  object: "invitation",
  email: row.email,
  role: row.role,
  created_at: row.createdAt.toISOString(),
  expires_at: row.expiresAt.toISOString(),
});

/** Row -> wire. @param currentId the account that the session acts in. */
export const presentMembership = (row: MembershipRow, currentId: string): Membership => ({
  account_id: row.accountId,
  name: accountName(row),
  role: row.role,
  is_current: row.accountId === currentId,
});
