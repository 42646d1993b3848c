import { defineTexts, plural } from "../define-texts";

const en = {
  active: "Active",
  suspended: "Suspended",
  noOwnerYet: "No owner yet",
  limits: {
    countries: (count: number) => plural(count, { other: `${count} countries` }),
    identicalTexts: (count: number) => `Identical texts: ${count} per hour`,
    identicalTextsUnlimited: "Identical texts: no limit",
    messages: (count: number) => `Messages: ${count} per hour`,
    messagesUnlimited: "Messages: no limit",
    spending: (amount: string) => `${amount} per day`,
    only: (countries: string) => `Only to ${countries}`,
    allBut: (countries: string) => `Not to ${countries}`,
    textsKept: (days: number) => plural(days, { one: "Texts kept for 1 day", other: `Texts kept for ${days} days` }),
    quietHours: (start: string, end: string) => `Quiet hours: ${start} to ${end}, recipient’s time`,
  },
  credit: "Credit",
  moreActions: (account: string) => `More actions for ${account}`,
  reactivated: (account: string) => `${account} reactivated`,
  suspend: {
    ask: (account: string) => `Suspend ${account}?`,
    explanation:
      "New sends are refused at once, and messages that no provider has yet fail and are refunded. Its users can still sign in and read.",
    submit: "Suspend account",
    done: (account: string) => `${account} suspended`,
  },
  limitsOf: (account: string) => `Limits of ${account}`,
  crediting: {
    title: (account: string) => `Credit ${account}`,
    currentBalance: (balance: string) => `Current balance: ${balance}`,
    amountIn: (currency: string) => `Amount in ${currency}`,
    amountHint: "Use a negative amount to correct an earlier credit",
    enterAmount: "Enter an amount",
    note: "Note",
    noteHint: "Optional; kept in the ledger",
    failed: "The credit was not booked",
    unknown: "It is unknown whether the credit was booked",
    lookFirst: "Look for it in the ledger of the account before you enter it again.",
    submit: "Credit account",
    done: (account: string, id: string, balance: string) => `${account} (${id}) now has ${balance}.`,
  },
};

/** The texts that the list of accounts and the page of one have in common: state, limits, and the actions on an account. */
export const accountWordsTexts = defineTexts({ en });
