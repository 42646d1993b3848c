/** Pages of an account, but for those of one message and one endpoint. */
export const ACCOUNT_PAGES = [
  "/",
  "/send",
  "/send/many",
  "/messages",
  "/messages?page=9",
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
