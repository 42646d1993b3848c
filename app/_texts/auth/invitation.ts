import type { OpenInvitation } from "@/server/members/schema";
import { defineTexts } from "../define-texts";

const en = {
  label: "Invitation",
  over: {
    title: "This invitation does not work",
    reason: "It was accepted, withdrawn or replaced, or it is more than a week old. Ask for a new one.",
  },
  unknownEnd: (account: string) => ({
    title: "It is unknown whether you have joined",
    reason: `The invitation is no longer open, most likely because you have accepted it. Sign in: if you have joined, ${account} is one of your accounts. If not, ask for a new invitation.`,
  }),
  goToSignIn: "Go to sign-in",
  join: (account: string) => `Join ${account}`,
  invitedAs: {
    viewer: "You were invited as a viewer.",
    developer: "You were invited as a developer.",
    owner: "You were invited as an owner.",
  } satisfies Record<OpenInvitation["role"], string>,
  enterPassword: "Enter the password that you sign in with.",
  choosePassword: "Choose a password to sign in with.",
  failed: "You have not joined yet",
  unknown: "It is unknown whether you have joined",
  again: "Try again: you join only once.",
  name: "Your name",
  email: "Email",
  password: "Password",
  submit: "Accept invitation",
};

/** The texts of the page that an invitation leads to. */
export const invitationTexts = defineTexts({ en });
