/** Pages of an account, but for those of one message, one endpoint and one key. */
export const ACCOUNT_PAGES = [
  "/",
  "/send",
  "/send/many",
  "/messages",
  "/messages?page=9",
  "/messages?provider=sandbox",
  "/inbound",
  "/usage",
  "/senders",
  "/suppressions",
  "/api-keys",
  "/api-keys/key_nothing",
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
