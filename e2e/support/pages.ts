/** Every page of an account, except the pages of one message, one endpoint and one key. */
export const CONSOLE_PAGES = [
  "/",
  "/send",
  "/send/many",
  "/messages",
  "/inbound",
  "/usage",
  "/senders",
  "/suppressions",
  "/api-keys",
  "/webhooks",
  "/events",
  "/requests",
  "/settings",
  "/settings/sending",
  "/settings/security",
  "/settings/team",
  "/settings/alerts",
  "/settings/audit",
  "/docs/quick-start",
];

/** The same, and addresses with filters or without a result. */
export const ACCOUNT_PAGES = [
  ...CONSOLE_PAGES,
  "/messages?page=9",
  "/messages?provider=sandbox",
  "/api-keys/key_nothing",
  "/nowhere",
];

/** Pages of the operator. */
export const OPERATOR_PAGES = [
  "/operator",
  "/operator/senders?status=all",
  "/operator/accounts",
  "/operator/providers",
  "/operator/providers/sandbox",
  "/operator/routes",
  "/operator/suppressions",
  "/operator/audit",
];
