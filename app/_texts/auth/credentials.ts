import { defineTexts } from "../define-texts";

const en = {
  wrong: "The email address or password is wrong.",
  code: "Code",
  codeHint: "From your authenticator app, or a recovery code.",
};

/** Why a session is not opened, and the field for the code that one may take. */
export const credentialsTexts = defineTexts({ en });
