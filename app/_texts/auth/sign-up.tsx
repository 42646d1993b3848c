import type { ReactNode } from "react";
import { defineTexts } from "../define-texts";

const en = {
  pageTitle: "Create an account",
  closed: {
    title: "Sign-up is closed",
    reason: "New accounts are created by the operator of this installation. Ask them for one.",
    goToSignIn: "Go to sign-in",
  },
  title: "Create your account",
  promise: "Send your first message in a few minutes.",
  failed: "The account was not created",
  unknown: "It is unknown whether the account was created",
  again: "Try again: an address gets one account only.",
  notSignedIn: {
    title: "You could not be signed in",
    reason:
      "If this address already has an account, its password has not changed: sign in with that one, or ask the operator for a link to choose another. Otherwise your account is ready: try to sign in again.",
  },
  name: "Your name",
  company: "Company",
  email: "Email",
  password: "Password",
  submit: "Create account",
  haveAccount: (link: (words: string) => ReactNode) => <>Already have an account? {link("Sign in")}</>,
};

/** The texts of the page to create an account. */
export const signUpTexts = defineTexts({ en });
