import { z } from "zod";
import { DateTime, EmailAddress } from "../core/wire";
import { ROLES } from "./roles";

const MemberRole = z.enum(ROLES);

/** Console: a person of the account. */
export const Member = z.object({
  id: z.string(),
  object: z.literal("member"),
  name: z.string(),
  email: z.string(),
  role: MemberRole,
  is_self: z.boolean(),
  created_at: DateTime,
});
export type Member = z.output<typeof Member>;

/** Console: an open invitation. */
export const Invitation = z.object({
  id: z.string(),
  object: z.literal("invitation"),
  email: z.string(),
  role: MemberRole,
  created_at: DateTime,
  expires_at: DateTime,
});
export type Invitation = z.output<typeof Invitation>;

export const MemberPath = z.object({ id: z.string().max(64) });
export type MemberPath = z.output<typeof MemberPath>;

export const ChangeRoleInput = MemberPath.extend({ role: MemberRole });
export type ChangeRoleInput = z.output<typeof ChangeRoleInput>;

export const InviteInput = z.object({ email: EmailAddress, role: MemberRole });
export type InviteInput = z.output<typeof InviteInput>;

/** `link`: only in this response, and only without a mail server. */
export const CreatedInvitation = Invitation.extend({ link: z.string().nullable() });
export type CreatedInvitation = z.output<typeof CreatedInvitation>;

const TOKEN_MAX = 100;

export const InvitationToken = z.object({ token: z.string().min(1).max(TOKEN_MAX) });
export type InvitationToken = z.output<typeof InvitationToken>;

/** Shown to holders of the link. `has_password`: a user with this email exists. */
export const OpenInvitation = z.object({
  account_id: z.string(),
  account_name: z.string(),
  email: z.string(),
  role: MemberRole,
  has_password: z.boolean(),
});
export type OpenInvitation = z.output<typeof OpenInvitation>;

/** `name` is for a new person; `password` is then a new one, otherwise their current one. */
export const AcceptInvitationInput = InvitationToken.extend({
  name: z.string().trim().max(100).default(""),
  password: z.string().min(1, "must be given").max(200),
});
export type AcceptInvitationInput = z.output<typeof AcceptInvitationInput>;

export const AcceptedInvitation = z.object({ account_id: z.string(), email: z.string() });
export type AcceptedInvitation = z.output<typeof AcceptedInvitation>;

/** Console: an account that the person may act in. */
export const Membership = z.object({
  account_id: z.string(),
  name: z.string(),
  role: MemberRole,
  is_current: z.boolean(),
});
export type Membership = z.output<typeof Membership>;

export const SwitchAccountInput = z.object({ account_id: z.string().max(64) });
export type SwitchAccountInput = z.output<typeof SwitchAccountInput>;

/** `account_id`: the account that the session acts in from now on; null: the session is over. */
export const Left = z.object({ account_id: z.string().nullable() });
export type Left = z.output<typeof Left>;
