import type { Membership } from "@/server/members/schema";
import { defineTexts } from "../define-texts";

const en = {
  home: "Messaging Service, overview",
  navigation: "Main",
  sections: { messaging: "Messaging", setup: "Setup", operator: "Operator" },
  pages: {
    overview: "Overview",
    send: "Send a message",
    messages: "Messages",
    inbound: "Inbound",
    usage: "Usage",
    senders: "Senders",
    suppressions: "Suppressions",
    apiKeys: "API keys",
    webhooks: "Webhooks",
    events: "Events",
    requests: "Request log",
    settings: "Settings",
    docs: "API documentation",
    installation: "Installation",
    senderReview: "Sender review",
    accounts: "Accounts",
    providers: "Providers",
    routes: "Routes and prices",
    allSuppressions: "All suppressions",
    allAuditEntries: "All audit entries",
  },
  search: "Search",
  balance: "Balance",
  balanceOf: (amount: string) => `Balance ${amount}`,
  account: {
    menu: "Account menu",
    accounts: "Accounts",
    roles: { viewer: "viewer", developer: "developer", owner: "owner" } satisfies Record<Membership["role"], string>,
    security: "Security",
    signOut: "Sign out",
  },
  testMode: {
    label: "Test mode",
    title: "Test mode.",
    nothingIsSent: "Nothing is sent or billed: only the sandbox takes these messages.",
    pages: {
      operator: "Operator pages always show live data.",
      audit: "The audit log shows changes of both modes.",
      sending: "These settings are for test mode alone. They change nothing for live messages.",
      settings: "Settings are the same in both modes.",
    },
    about: "About test mode",
  },
};

/** The texts of the console's frame: navigation, header, test mode. */
export const shellTexts = defineTexts({ en });
