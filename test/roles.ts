/** The permitted callers of each procedure, declared a second time so that a procedure opened by mistake fails a test. */
import type { Scope } from "@/server/api-keys/scopes";
import { isAtLeast, MEMBER_ROLES, type MemberRole } from "@/server/core/actor";

/**
 * `anyone`: without signing in. `person`: a signed-in person, for themselves and their account; no key. `operator`: an
 * operator of the installation who is signed in. Otherwise: a person, and keys of the account with the scope, or with one of
 * several; null: every key.
 */
export type Role = "anyone" | "person" | "operator" | { scope: Scope | readonly Scope[] | null };

const EVERY_KEY: Role = { scope: null };

/** By the procedure's path in the router. */
export const ROLES: Readonly<Record<string, Role>> = {
  "accounts.balance": { scope: "balance:read" },
  "accounts.get": EVERY_KEY,
  "accounts.setCountries": "person",
  "accounts.setDailySpendCap": "person",
  "accounts.setQuietHours": "person",
  "accounts.setTextRetention": "person",
  "accounts.updateProfile": "person",
  "accounts.usage": { scope: "balance:read" },
  "accounts.usageSeries": "person",
  "alerts.get": "person",
  "alerts.list": "person",
  "alerts.update": "person",
  "apiKeys.create": { scope: "keys:write" },
  "apiKeys.details": "person",
  "apiKeys.list": EVERY_KEY,
  "apiKeys.revoke": { scope: "keys:write" },
  "apiKeys.rotate": "person",
  "apiKeys.update": { scope: "keys:write" },
  "audit.list": "person",
  "audit.listAll": "operator",
  "auth.changePassword": "person",
  "auth.confirmPassword": "person",
  "auth.passkeys.add": "person",
  "auth.passkeys.beginAdd": "person",
  "auth.passkeys.beginProof": "person",
  "auth.passkeys.beginSignIn": "anyone",
  "auth.passkeys.list": "person",
  "auth.passkeys.remove": "person",
  "auth.passkeys.rename": "person",
  "auth.rename": "person",
  "auth.requestReset": "anyone",
  "auth.resetPassword": "anyone",
  "auth.secondFactor.begin": "person",
  "auth.secondFactor.confirm": "person",
  "auth.secondFactor.disable": "person",
  "auth.secondFactor.get": "person",
  "auth.secondFactor.regenerateRecoveryCodes": "person",
  "auth.sessions.list": "person",
  "auth.sessions.revoke": "person",
  "auth.sessions.revokeOthers": "person",
  "auth.signUp": "anyone",
  "auth.signUpState": "anyone",
  "auth.viewer": "person",
  "inbound.get": { scope: "sms:read" },
  "inbound.list": { scope: "sms:read" },
  "live.changes": "person",
  "members.changeRole": "person",
  "members.invitations.accept": "anyone",
  "members.invitations.create": "person",
  "members.invitations.get": "anyone",
  "members.invitations.list": "person",
  "members.invitations.withdraw": "person",
  "members.leave": "person",
  "members.list": "person",
  "members.memberships": "person",
  "members.remove": "person",
  "members.switchAccount": "person",
  "messages.bulk": { scope: "sms:bulk" },
  "messages.cancel": { scope: ["sms:send", "sms:bulk"] },
  "messages.detail": "person",
  "messages.estimate": { scope: ["sms:send", "sms:bulk"] },
  "messages.get": { scope: "sms:read" },
  "messages.list": { scope: "sms:read" },
  "messages.quote": "person",
  "messages.redact": { scope: ["sms:send", "sms:bulk"] },
  "messages.reschedule": { scope: ["sms:send", "sms:bulk"] },
  "messages.search": "person",
  "messages.send": { scope: "sms:send" },
  "messages.timeline": { scope: "sms:read" },
  "operator.account": "operator",
  "operator.accounts": "operator",
  "operator.createAccount": "operator",
  "operator.credit": "operator",
  "operator.decideSender": "operator",
  "operator.home": "operator",
  "operator.inviteOwner": "operator",
  "operator.ledger": "operator",
  "operator.limitAccount": "operator",
  "operator.messages": "operator",
  "operator.providers.clearSettings": "operator",
  "operator.providers.closeBreaker": "operator",
  "operator.providers.drain": "operator",
  "operator.providers.get": "operator",
  "operator.providers.list": "operator",
  "operator.providers.rotateReceiptUrl": "operator",
  "operator.providers.saveSettings": "operator",
  "operator.providers.test": "operator",
  "operator.providers.throttle": "operator",
  "operator.routes.create": "operator",
  "operator.routes.delete": "operator",
  "operator.routes.list": "operator",
  "operator.routes.simulate": "operator",
  "operator.routes.update": "operator",
  "operator.senders": "operator",
  "operator.setAccountStatus": "operator",
  "operator.suppressions": "operator",
  "operator.throttleSender": "operator",
  "overview.breakdown": "person",
  "overview.comparison": "person",
  "overview.concerns": "person",
  "overview.keyUsage": "person",
  "overview.sentCountries": "person",
  "requestLog.get": "person",
  "requestLog.list": "person",
  "requestLog.ofMessage": "person",
  "search.find": "person",
  "senders.create": { scope: "senders:write" },
  "senders.delete": { scope: "senders:write" },
  "senders.get": EVERY_KEY,
  "senders.list": EVERY_KEY,
  "senders.names": "person",
  "senders.update": { scope: "senders:write" },
  "suppressions.create": { scope: "senders:write" },
  "suppressions.delete": { scope: "senders:write" },
  "suppressions.import": { scope: "senders:write" },
  "suppressions.list": { scope: "sms:read" },
  "webhooks.create": { scope: "webhooks:write" },
  "webhooks.delete": { scope: "webhooks:write" },
  "webhooks.deliveries": { scope: "dlr:read" },
  "webhooks.enable": { scope: "webhooks:write" },
  "webhooks.events": { scope: "dlr:read" },
  "webhooks.get": { scope: "dlr:read" },
  "webhooks.list": { scope: "dlr:read" },
  "webhooks.numberedDeliveries": "person",
  "webhooks.pause": { scope: "webhooks:write" },
  "webhooks.recover": { scope: "webhooks:write" },
  "webhooks.resend": "person",
  "webhooks.resume": { scope: "webhooks:write" },
  "webhooks.rotateSecret": { scope: "webhooks:write" },
  "webhooks.test": { scope: "webhooks:write" },
  "webhooks.update": { scope: "webhooks:write" },
};

/**
 * The lowest role in the account with which a person may call a procedure: a developer may do everything that a viewer may, and an
 * owner everything. Procedures for anyone and for operators are missing, because roles in an account do not matter to them.
 */
export const LEAST_ROLES: Readonly<Record<string, MemberRole>> = {
  "accounts.balance": "viewer",
  "accounts.get": "viewer",
  "accounts.setCountries": "owner",
  "accounts.setDailySpendCap": "owner",
  "accounts.setQuietHours": "developer",
  "accounts.setTextRetention": "owner",
  "accounts.updateProfile": "owner",
  "accounts.usage": "viewer",
  "accounts.usageSeries": "viewer",
  "alerts.get": "owner",
  "alerts.list": "owner",
  "alerts.update": "owner",
  "apiKeys.create": "developer",
  "apiKeys.details": "viewer",
  "apiKeys.list": "viewer",
  "apiKeys.revoke": "developer",
  "apiKeys.rotate": "developer",
  "apiKeys.update": "developer",
  "audit.list": "owner",
  "auth.changePassword": "viewer",
  "auth.confirmPassword": "viewer",
  "auth.passkeys.add": "viewer",
  "auth.passkeys.beginAdd": "viewer",
  "auth.passkeys.beginProof": "viewer",
  "auth.passkeys.list": "viewer",
  "auth.passkeys.remove": "viewer",
  "auth.passkeys.rename": "viewer",
  "auth.rename": "viewer",
  "auth.secondFactor.begin": "viewer",
  "auth.secondFactor.confirm": "viewer",
  "auth.secondFactor.disable": "viewer",
  "auth.secondFactor.get": "viewer",
  "auth.secondFactor.regenerateRecoveryCodes": "viewer",
  "auth.sessions.list": "viewer",
  "auth.sessions.revoke": "viewer",
  "auth.sessions.revokeOthers": "viewer",
  "auth.viewer": "viewer",
  "members.changeRole": "owner",
  "members.invitations.create": "owner",
  "members.invitations.list": "owner",
  "members.invitations.withdraw": "owner",
  "members.leave": "viewer",
  "members.list": "viewer",
  "members.memberships": "viewer",
  "members.remove": "owner",
  "members.switchAccount": "viewer",
  "inbound.get": "viewer",
  "inbound.list": "viewer",
  "live.changes": "viewer",
  "messages.bulk": "developer",
  "messages.cancel": "developer",
  "messages.detail": "viewer",
  "messages.estimate": "developer",
  "messages.get": "viewer",
  "messages.list": "viewer",
  "messages.quote": "viewer",
  "messages.redact": "developer",
  "messages.reschedule": "developer",
  "messages.search": "viewer",
  "messages.send": "developer",
  "messages.timeline": "viewer",
  "overview.breakdown": "viewer",
  "overview.comparison": "viewer",
  "overview.concerns": "viewer",
  "overview.keyUsage": "viewer",
  "overview.sentCountries": "viewer",
  "requestLog.get": "viewer",
  "requestLog.list": "viewer",
  "requestLog.ofMessage": "viewer",
  "search.find": "viewer",
  "senders.create": "developer",
  "senders.delete": "developer",
  "senders.get": "viewer",
  "senders.list": "viewer",
  "senders.names": "viewer",
  "senders.update": "developer",
  "suppressions.create": "developer",
  "suppressions.delete": "developer",
  "suppressions.import": "developer",
  "suppressions.list": "viewer",
  "webhooks.create": "developer",
  "webhooks.delete": "developer",
  "webhooks.deliveries": "viewer",
  "webhooks.enable": "developer",
  "webhooks.events": "viewer",
  "webhooks.get": "viewer",
  "webhooks.list": "viewer",
  "webhooks.numberedDeliveries": "viewer",
  "webhooks.pause": "developer",
  "webhooks.recover": "developer",
  "webhooks.resend": "developer",
  "webhooks.resume": "developer",
  "webhooks.rotateSecret": "developer",
  "webhooks.test": "developer",
  "webhooks.update": "developer",
};

/** The scopes that allow a key to call a procedure; null: scopes do not matter, because no key or every key may call it. */
export const scopesOf = (role: Role | undefined): readonly Scope[] | null =>
  typeof role === "object" && role.scope !== null ? [role.scope].flat() : null;

function nameOf(role: Role): string {
  if (role === "anyone") return "Anyone";
  if (role === "person") return "A signed-in person, for their own account";
  if (role === "operator") return "An operator, signed in";
  const scopes = scopesOf(role);
  const keys = scopes === null ? "every key" : `keys with ${scopes.map((scope) => `\`${scope}\``).join(" or ")}`;
  return `A signed-in person, and ${keys}, for their own account`;
}

const MAY = ["no", "yes"] as const;

/** The second table of the security guide: permissions of people in an account, by their role. */
export function memberRolesTable(): string {
  const lines = MEMBER_ROLES.map((least) => {
    const may = MEMBER_ROLES.map((role) => MAY[Number(isAtLeast(role, least))]);
    const procedures = Object.keys(LEAST_ROLES).filter((procedure) => LEAST_ROLES[procedure] === least);
    return `| ${may.join(" | ")} | ${procedures.map((procedure) => `\`${procedure}\``).join(", ")} |`;
  });
  return [`| ${MEMBER_ROLES.join(" | ")} | procedures |`, "|---|---|---|---|", ...lines].join("\n");
}

/** The table of the security guide: a row per role, with its procedures. */
export function rolesTable(): string {
  const rows = new Map<string, string[]>();
  for (const [procedure, role] of Object.entries(ROLES)) {
    rows.set(nameOf(role), [...(rows.get(nameOf(role)) ?? []), `\`${procedure}\``]);
  }
  const lines = [...rows]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([who, procedures]) => `| ${who} | ${procedures.join(", ")} |`);
  return ["| who | procedures |", "|---|---|", ...lines].join("\n");
}
