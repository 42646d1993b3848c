import type { LedgerEntry } from "@/server/operator/account-schema";
import { defineTexts, plural } from "../define-texts";

const en = {
  title: "Account",
  allAccounts: "All accounts",
  notFound: "Account not found",
  noSuchId: "No account of this installation has this ID.",
  figures: {
    balance: "Balance",
    reserved: (amount: string) => `${amount} reserved`,
    spent: "Spent",
    messages: "Messages",
    delivered: "Delivered",
    period: "Last 30 days",
  },
  unusualTraffic: {
    title: "Unusual traffic",
    text: (place: string, messages: string, highest: string) =>
      `${messages} messages to ${place} within an hour; the most in the week before was ${highest}.`,
    unknownCountry: "numbers of no known country",
    advice:
      "It may be SMS pumping. Ask the account’s owner, who can limit its countries and spending too; limits set here hold whatever the owner sets.",
    setLimits: "Set limits",
  },
  details: {
    title: "Details",
    accountId: "Account ID",
    copyAccountId: "Copy account ID",
    country: "Country",
    notGiven: "Not given",
    limits: "Limits",
    installationLimits: "Those of the installation",
    ownLimits: "Set by its owners",
    noOwnLimits: "None",
    members: "Members",
    showAllMembers: (count: string) => `Show all ${count}`,
  },
  ledger: {
    title: "Ledger",
    entry: "Entry",
    kinds: {
      credit: "Credit",
      reserve: "Reserved",
      settle: "Charged",
      refund: "Refunded",
    } satisfies Record<LedgerEntry["kind"], string>,
    messages: (count: number, shown: string) => plural(count, { one: `${shown} message`, other: `${shown} messages` }),
    balance: "Balance",
    reserved: "Reserved",
    when: "When",
    none: "No money has moved yet.",
    showOlder: "Show older entries",
  },
  keys: {
    title: "API keys",
    key: "Key",
    permissions: "Permissions",
    requestsPerMinute: "Requests per minute",
    lastUsed: "Last used",
    never: "Never",
    state: "State",
    none: "The account has no API keys.",
  },
  messages: {
    title: "Latest messages",
    withoutTexts: "Without their texts, which only the account sees.",
    list: "Messages",
    to: "To",
    from: "From",
    provider: "Provider",
    error: "Error",
    cost: "Cost",
    none: "The account has sent no messages.",
  },
};

/** The texts of the page of one account. */
export const accountTexts = defineTexts({ en });
