import type { ReactNode } from "react";
import { defineTexts } from "../define-texts";

const en = {
  title: "New account",
  form: "New account",
  explanation: "The owner is invited to choose a name and a password. The account starts without a balance.",
  company: "Company",
  enterCompany: "Enter a company",
  email: "Email of the owner",
  failed: "The account was not created",
  unknown: "It is unknown whether the account was created",
  submit: "Create account",
  made: "Account created",
  open: "Open account",
  invitation: {
    title: "Nobody owns this account yet",
    isOpen: (email: string, time: ReactNode) => (
      <>
        {email} was invited {time}. The link works once and for seven days.
      </>
    ),
    isOver: (email: string) => `No invitation is open. Invite ${email} again, or another address.`,
    again: "Invite again",
    titleAgain: "Invite the owner again",
    form: "Invitation",
    effect: "Earlier links become invalid. Another address also becomes that of the account.",
    notInvited: "The owner was not invited",
    unknown: "It is unknown whether the owner was invited",
    tryAgain: "Try again: a new link replaces the one before.",
    submit: "Invite",
  },
};

/** The texts of a new account, and of the invitation of its owner. */
export const newAccountTexts = defineTexts({ en });
