import { defineTexts } from "../define-texts";

const en = {
  label: "Confirmation",
  reason: "You signed in a while ago. Enter your password to continue; it is not asked for again for ten minutes.",
  password: "Password",
  submit: "Confirm",
};

/** The texts of the dialog that asks for the password again. */
export const confirmPasswordTexts = defineTexts({ en });
