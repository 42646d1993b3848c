/** What an API key may do. A session of an account's owner holds all of it. */

/** Every scope there is, in the order shown to people; `permissions` accepts nothing else. */
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

/** One permission of an API key, `<subject>:<deed>`. */
export type Scope = (typeof SCOPES)[number];

/** One line per scope for the console and the API reference. */
export const SCOPE_DESCRIPTIONS: Readonly<Record<Scope, string>> = {
  "sms:send": "Send a message to one recipient",
  "sms:bulk": "Send the same message to many recipients",
  "sms:read": "Read messages and suppressions",
  "balance:read": "Read the balance and the usage",
  "dlr:read": "Read delivery events and webhook endpoints",
  "senders:write": "Register sender IDs, and suppress numbers",
  "keys:write": "Create and revoke API keys",
  "webhooks:write": "Create and delete webhook endpoints",
};

/**
 * The wanted scopes that are not held, each once, in the order wanted; empty when all are held. `have` may hold
 * unknown names (a row older than this list): they grant nothing.
 */
export function missingScopes(have: readonly string[], want: readonly Scope[]): Scope[] {
  return [...new Set(want)].filter((scope) => !have.includes(scope));
}

/** Whether every wanted scope is held. Also the rule that a key never creates a key with more than its own scopes. */
export function isWithin(have: readonly string[], want: readonly Scope[]): boolean {
  return want.every((scope) => have.includes(scope));
}
