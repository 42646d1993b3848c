import { defineTexts } from "../define-texts";

const reasons: Record<string, string> = { stop: "Opted out (STOP)", manual: "Added manually" };

const en = {
  title: "All suppressions",
  description: "Suppressed numbers of all accounts. Each account manages its own list.",
  searchByNumber: "Search by number",
  firstDigits: "First digits, such as +1415",
  list: "Suppressions",
  number: "Number",
  account: "Account",
  sender: "Sender",
  allSenders: "All senders",
  reason: "Reason",
  reasons,
  since: "Since",
  noMatchingNumber: "No matching number",
  nothingStartsWith: (digits: string) => `No account suppresses a number starting with “${digits}”.`,
  noSuppressedNumbers: "No suppressed numbers",
};

/** The texts of the suppressions of all accounts. */
export const allSuppressionsTexts = defineTexts({ en });
