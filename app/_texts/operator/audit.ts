import { defineTexts } from "../define-texts";

const en = {
  title: "All audit entries",
  description: "Sign-ins and changes in all accounts, and of providers and routes: who made them, and from where.",
  searchById: "Search by ID",
  idOfWhat: "ID of an account, a person, a key, …",
};

/** The texts of the audit log of all accounts. */
export const operatorAuditTexts = defineTexts({ en });
