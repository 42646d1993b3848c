import type { ReactNode } from "react";
import { defineTexts } from "../define-texts";

type Link = (words: string) => ReactNode;

const en = {
  title: "Sign in",
  welcome: "Welcome back. Use the email address of your account.",
  email: "Email",
  password: "Password",
  submit: "Sign in",
  or: "or",
  withPasskey: "Sign in with a passkey",
  forgotten: (link: Link) => <>Forgot your password? {link("Get a link by email")}</>,
  forgottenAskOperator: "Forgot your password? The operator of this installation can give you a link.",
  noAccountYet: (link: Link) => <>No account yet? {link("Create one")}</>,
};

/** The texts of the page to sign in. */
export const signInTexts = defineTexts({ en });
