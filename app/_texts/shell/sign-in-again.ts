import { defineTexts } from "../define-texts";

const en = {
  label: "Sign in again",
  reason: "Sign in again to continue. Everything you have entered on this page is still there.",
  email: "Email",
  password: "Password",
  leave: "Leave this page",
  submit: "Sign in",
  withPasskey: "Sign in with a passkey",
};

/** The texts of the dialog for a person whose session has ended. */
export const signInAgainTexts = defineTexts({ en });
