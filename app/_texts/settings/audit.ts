import { defineTexts } from "../define-texts";

const en = {
  title: "Audit log",
  description: "Sign-ins and changes in this account: who made them, and from where.",
};

/** The texts of the page of the account's audit log. */
export const auditTexts = defineTexts({ en });
