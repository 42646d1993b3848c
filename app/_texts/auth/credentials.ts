import { defineTexts } from "../define-texts";

const en = {
  wrong: "The email address or password is wrong.",
  code: "Code",
  codeHint: "From your authenticator app, or a recovery code.",
  recoveryHint: "A recovery code, if you do not have your passkey.",
  usePasskey: "Use your passkey",
};

/** Why a session is not opened, and the second factor that one may take. */
export const credentialsTexts = defineTexts({ en });
