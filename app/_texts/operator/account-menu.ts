import { defineTexts } from "../define-texts";

const en = { limits: "Limits", suspend: "Suspend", reactivate: "Reactivate" };

/** The texts of the open menu of an account. */
export const accountMenuTexts = defineTexts({ en });
