import { defineTexts } from "../define-texts";

const en = {
  pageTitle: "Forgotten password",
  goToSignIn: "Go to sign-in",
  askOperator: {
    title: "Ask the operator",
    reason: "Ask the operator of this installation for a password reset link.",
  },
  title: "Forgot your password?",
  promise: "We’ll email you a link to choose a new one.",
  failed: "The link was not sent",
  unknown: "It is unknown whether the link was sent",
  again: "Asking again is safe: only the newest link works.",
  email: "Email",
  submit: "Send me a link",
  backToSignIn: "Back to sign-in",
  sent: {
    title: "Check your email",
    hint: "If this address belongs to an account, a link is on its way. It works once, within an hour.",
  },
};

/** The texts of the page for a forgotten password. */
export const forgottenPasswordTexts = defineTexts({ en });
