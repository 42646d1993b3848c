import { defineTexts } from "../define-texts";

const en = {
  wrong: "The email address or password is wrong.",
};

/** Why a session is not opened. */
export const credentialsTexts = defineTexts({ en });
