import { defineTexts } from "../define-texts";

const en = {
  label: "Password reset",
  title: "Choose a new password",
  warning: "All your open sessions will end.",
  failed: "The password was not changed",
  unknown: "It is unknown whether the password was changed",
  again: "Try again, with the same password.",
  unknownEnd:
    "This link no longer works, most likely because your password is already changed. Sign in with the new password; if it is refused, ask for another link.",
  newPassword: "New password",
  submit: "Change password",
  goToSignIn: "Go to sign-in",
  changed: { title: "Your password is changed", hint: "All sessions were ended. Sign in with the new password." },
  over: {
    title: "This link does not work",
    reason: "It was used or replaced, or it is more than an hour old. Ask for a new one.",
  },
};

/** The texts of the page to choose a new password by a link. */
export const resetPasswordTexts = defineTexts({ en });
