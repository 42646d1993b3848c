import { defineTexts } from "../define-texts";

const en = {
  title: "Accounts",
  description: "All accounts of this installation, with their balances and limits.",
  newAccount: "New account",
  searchAccounts: "Search accounts",
  searchBy: "Search by name, email or ID",
  account: "Account",
  balance: "Balance",
  reserved: "Reserved",
  limits: "Limits",
  defaults: "Defaults",
  actions: "Actions",
  creditAccount: (account: string) => `Credit ${account}`,
  noAccountsFound: "No accounts found",
  nothingMatches: (search: string) => `Nothing matches “${search}”.`,
};

/** The texts of the list of accounts. */
export const accountsTexts = defineTexts({ en });
