import type { Found } from "@/server/search/schema";
import { defineTexts, plural } from "../define-texts";

/** An action of the search, with other `words` that people look for it by. */
type Action = { label: string; words: string };

const en = {
  label: "Search",
  placeholder: "ID, number, name or page",
  results: "Results",
  pages: "Pages",
  actions: "Actions",
  kinds: {
    message: "Messages",
    event: "Events",
    webhook_endpoint: "Webhook endpoints",
    api_key: "API keys",
    sender: "Senders",
    account: "Accounts",
  } satisfies Record<Found["kind"], string>,
  createKey: { label: "Create an API key", words: "new token" } satisfies Action,
  registerSender: { label: "Register a sender", words: "new from" } satisfies Action,
  addEndpoint: { label: "Add a webhook endpoint", words: "new url" } satisfies Action,
  suppressNumber: { label: "Suppress a number", words: "block opt-out stop" } satisfies Action,
  countries: {
    label: "Countries to send to",
    words: "geo permissions limit allowed sms pumping settings",
  } satisfies Action,
  spendingCap: { label: "Daily spending cap", words: "limit money budget settings" } satisfies Action,
  quietHours: { label: "Quiet hours", words: "sending night time zone settings" } satisfies Action,
  textRetention: {
    label: "Text retention",
    words: "keep texts privacy gdpr delete redact days settings",
  } satisfies Action,
  security: { label: "Security", words: "password sessions two-factor" } satisfies Action,
  themeLight: { label: "Theme: light", words: "colors colours" } satisfies Action,
  themeDark: { label: "Theme: dark", words: "colors colours night" } satisfies Action,
  themeAuto: { label: "Theme: match system", words: "colors colours" } satisfies Action,
  signOut: { label: "Sign out", words: "log out leave" } satisfies Action,
  failed: "Search failed. Try again.",
  nothingFound: "Nothing found. Try an ID, a number or a reference.",
  searching: "Searching",
  found: (count: number) => plural(count, { one: `${count} result`, other: `${count} results` }),
  toChoose: "to choose",
  toOpen: "to open",
  toClose: "to close",
};

/** The texts of the search of the whole console. */
export const searchTexts = defineTexts({ en });
