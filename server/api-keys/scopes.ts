/** Scopes of API keys. The session of an account's owner has all of them. */

/** All scopes, in the order of display; `permissions` accepts nothing else. */
export const SCOPES = [
  "sms:send",
  "sms:bulk",
  "sms:read",
  "balance:read",
  "dlr:read",
  "senders:write",
  "keys:write",
  "webhooks:write",
] as const;

/** One permission of an API key, `<subject>:<operation>`. */
export type Scope = (typeof SCOPES)[number];

/** One line per scope for the console and the API reference. */
export const SCOPE_DESCRIPTIONS: Readonly<Record<Scope, string>> = {
  "sms:send": "Send a message to one recipient",
  "sms:bulk": "Send the same message to many recipients",
  "sms:read": "Read messages, inbound messages and suppressions",
  "balance:read": "Read the balance and the usage",
  "dlr:read": "Read delivery events and webhook endpoints",
  "senders:write": "Register, change and delete sender IDs, and suppress numbers",
  "keys:write": "Create, change and revoke API keys",
  "webhooks:write": "Create, change and delete webhook endpoints",
};

/**
 * The scopes in `want` that `have` lacks, each once, in the order of `want`. Unknown names in `have` (from a row older
 * than this list) grant nothing. It is also the rule that a key creates no key with more scopes.
 */
export function missingScopes(have: readonly string[], want: readonly Scope[]): Scope[] {
  return [...new Set(want)].filter((scope) => !have.includes(scope));
}
