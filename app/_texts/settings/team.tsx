import type { ReactNode } from "react";
import type { Member } from "@/server/members/schema";
import { defineTexts } from "../define-texts";

const en = {
  title: "Team",
  description:
    "The people of this account and what they may do. API keys belong to the account, not to the person who made them.",
  inviteMember: "Invite a member",
  members: {
    title: "Members",
    roleAndRights: (role: ReactNode, may: string) => (
      <>
        {role}. {may}
      </>
    ),
    name: "Name",
    you: "You",
    role: "Role",
    roleOf: (name: string) => `Role of ${name}`,
    roleChanged: {
      viewer: (name: string) => `${name} is now a viewer`,
      developer: (name: string) => `${name} is now a developer`,
      owner: (name: string) => `${name} is now an owner`,
    } satisfies Record<Member["role"], unknown>,
    since: "Member since",
    actions: "Actions",
    none: "No members",
  },
  remove: {
    action: "Remove",
    actionOf: (name: string) => `Remove ${name}`,
    question: (name: string) => `Remove ${name}?`,
    consequence: "They lose access at once. API keys they created keep working: revoke any that they may have kept.",
    confirm: "Remove member",
    done: (name: string) => `${name} is no longer a member`,
  },
  invitations: {
    title: "Open invitations",
    description: "A link works once and for seven days. Invite the same address again to replace it.",
    email: "Email",
    role: "Role",
    validUntil: "Valid until",
    actions: "Actions",
    withdraw: "Withdraw",
    withdrawOf: (email: string) => `Withdraw the invitation for ${email}`,
    withdrawn: (email: string) => `The invitation for ${email} is withdrawn`,
  },
  leave: {
    title: "Leave this account",
    description: "You lose access at once. Your other accounts stay as they are.",
    onlyOwner: "You are the only owner. Make another member an owner first.",
    action: "Leave account",
    question: "Leave this account?",
    consequence: "Only an owner can invite you again.",
  },
  invite: {
    title: "Invite a member",
    form: "New invitation",
    notInvited: "Nobody was invited",
    unknown: "It is unknown whether the invitation was made",
    again: "Inviting the same person again is safe: a new link replaces the previous one.",
    email: "Email",
    role: "Role",
    submit: "Invite",
  },
  invited: {
    title: "Invitation created",
    mailed: (email: string) => `${email} gets an email with a link, which works once and for seven days.`,
    sendLink: (email: string) =>
      `Send this link to ${email}. It works once and for seven days, and is not shown again. The person who opens it becomes a member.`,
    link: "Invitation link",
    done: "Done",
  },
};

/** The texts of the page of members and invitations. */
export const teamTexts = defineTexts({ en });
