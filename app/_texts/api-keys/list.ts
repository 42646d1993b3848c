import { defineTexts, plural } from "../define-texts";

const en = {
  title: "API keys",
  description:
    "Programs use a key to call the REST API. Give each program its own, with no more permissions than it needs.",
  testDescription:
    "Test keys call the same REST API as live ones, but nothing is sent or billed. Live keys are listed in live mode.",
  createKey: "Create API key",
  createTestKey: "Create test key",
  noKeysYet: "No API keys yet",
  noTestKeysYet: "No test keys yet",
  whyCreate: "Create a key to send messages from your own programs.",
  columns: {
    key: "Key",
    permissions: "Permissions",
    limits: "Limits",
    lastUsed: "Last used",
    expires: "Expires",
    state: "State",
    actions: "Actions",
  },
  limits: {
    requestsPerMinute: (count: number, shown: string) =>
      plural(count, { one: `${shown} request per minute`, other: `${shown} requests per minute` }),
    messagesPerDay: (count: number, shown: string) =>
      plural(count, { one: `${shown} message per day`, other: `${shown} messages per day` }),
    messagesPerMonth: (count: number, shown: string) =>
      plural(count, { one: `${shown} message per month`, other: `${shown} messages per month` }),
    onlyFrom: (addresses: string) => `only from ${addresses}`,
  },
  never: "Never",
  edit: (key: string) => `Edit ${key}`,
  create: { title: "Create an API key", created: "API key created" },
};

/** The texts of the list of API keys, and of the dialog that creates one. */
export const apiKeysTexts = defineTexts({ en });
