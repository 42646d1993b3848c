import { defineTexts } from "../define-texts";

const en = {
  label: "Confirmation",
  reason: "You signed in a while ago. This needs your password again; then you have ten minutes.",
  password: "Password",
  submit: "Confirm",
};

/** The texts of the dialog that asks for the password again. */
export const confirmPasswordTexts = defineTexts({ en });
