/** Every mutation that writes to the audit log, and how it is done. */
import { issuePasswordReset } from "@/server/auth/credentials/change-password";
import { startSession } from "@/server/auth/sessions/sessions";
import { newId } from "@/server/core/ids";
import { callAs, TEST_ORIGIN } from "../call-procedure";
import { addMember, addPasskey, enroll, makeEndpoint, PASSWORD, type Person } from "./people";
import { makeRoute } from "./routes";
import { makeMessages } from "./webhooks";

export const NEW_PASSWORD = "another battery staple altogether";

/** Prepares and calls the mutation. @returns its response. */
export type Run = (owner: Person, operator: Person) => Promise<unknown>;

/** By the mutation: the action that it records, and how it is done. */
export type MutationCases = Readonly<Record<string, [action: string, run: Run]>>;

/** The mutations of a person's own sign-in. */
const AUTH_MUTATIONS: MutationCases = {
  "auth.changePassword": [
    "password.changed",
    (owner) => callAs(owner, "auth.changePassword", { current_password: PASSWORD, new_password: NEW_PASSWORD }),
  ],
  "auth.passkeys.add": ["passkey.added", addPasskey],
  "auth.passkeys.remove": [
    "passkey.removed",
    async (owner) => {
      const { passkey, recovery } = await addPasskey(owner);
      const [code] = recovery?.recovery_codes ?? [];
      return callAs(owner, "auth.passkeys.remove", { id: passkey.id, password: PASSWORD, code });
    },
  ],
  "auth.passkeys.rename": [
    "passkey.renamed",
    async (owner) => callAs(owner, "auth.passkeys.rename", { id: (await addPasskey(owner)).passkey.id, name: "Key" }),
  ],
  "auth.rename": ["person.renamed", (owner) => callAs(owner, "auth.rename", { name: "Anna" })],
  "auth.resetPassword": [
    "password.reset",
    async (owner) => {
      const { token } = await issuePasswordReset({ kind: "system", name: "admin" }, owner.email);
      return callAs(null, "auth.resetPassword", { token, password: NEW_PASSWORD });
    },
  ],
  "auth.secondFactor.confirm": ["second_factor.enabled", enroll],
  "auth.secondFactor.disable": [
    "second_factor.disabled",
    async (owner) => {
      const [code] = await enroll(owner);
      return callAs(owner, "auth.secondFactor.disable", { password: PASSWORD, code });
    },
  ],
  "auth.secondFactor.regenerateRecoveryCodes": [
    "second_factor.recovery_codes_regenerated",
    async (owner) => {
      const [code] = await enroll(owner);
      return callAs(owner, "auth.secondFactor.regenerateRecoveryCodes", { password: PASSWORD, code });
    },
  ],
  "auth.sessions.revoke": [
    "session.revoked",
    async (owner) => callAs(owner, "auth.sessions.revoke", { id: await startSession(owner.userId, TEST_ORIGIN) }),
  ],
  "auth.sessions.revokeOthers": [
    "session.revoked",
    async (owner) => {
      await startSession(owner.userId, TEST_ORIGIN);
      return callAs(owner, "auth.sessions.revokeOthers", undefined);
    },
  ],
  "auth.signUp": [
    "account.created",
    () => callAs(null, "auth.signUp", { email: `${newId("user")}@audit.example`, password: NEW_PASSWORD, name: "New" }),
  ],
};

/** A secret that a case saves. */
export const PROVIDER_SECRET = "shall-not-be-written-down-anywhere";

const idOf = (made: unknown): string => (made as { id: string }).id;

const newSender = (owner: Person) => callAs(owner, "senders.create", { sender_id: "Acme" });
const newSuppression = (owner: Person) => callAs(owner, "suppressions.create", { number: "+14155550199" });

const newInvitation = () => ({ email: `${newId("user")}@audit.example`, role: "viewer" });

/** By the mutation: the action that it records, and how it is done. */
export const MUTATION_CASES: MutationCases = {
  "accounts.setCountries": [
    "account.countries_set",
    (owner) => callAs(owner, "accounts.setCountries", { countries: { rule: "except", countries: ["NG"] } }),
  ],
  "accounts.setDailySpendCap": [
    "account.daily_spend_cap_set",
    (owner) => callAs(owner, "accounts.setDailySpendCap", { daily_spend_cap: 5 }),
  ],
  "accounts.setQuietHours": [
    "account.quiet_hours_set",
    (owner) => callAs(owner, "accounts.setQuietHours", { quiet_hours: { starts_at: "21:00", ends_at: "08:00" } }),
  ],
  "accounts.setTextRetention": [
    "account.text_retention_set",
    (owner) => callAs(owner, "accounts.setTextRetention", { text_retention_days: 30 }),
  ],
  "accounts.updateProfile": [
    "account.updated",
    (owner) => callAs(owner, "accounts.updateProfile", { company_name: "Acme", country: "DE" }),
  ],
  "alerts.update": [
    "alerts.updated",
    (owner) => callAs(owner, "alerts.update", { low_balance: 5, by_mail: true, url: "http://127.0.0.1:9/alerts" }),
  ],
  "apiKeys.create": ["api_key.created", (owner) => callAs(owner, "apiKeys.create", { name: "Key", daily_limit: 5 })],
  "apiKeys.revoke": [
    "api_key.revoked",
    async (owner) =>
      callAs(owner, "apiKeys.revoke", { id: idOf(await callAs(owner, "apiKeys.create", { name: "Key" })) }),
  ],
  "apiKeys.rotate": [
    "api_key.updated",
    async (owner) =>
      callAs(owner, "apiKeys.rotate", { id: idOf(await callAs(owner, "apiKeys.create", { name: "Key" })) }),
  ],
  "apiKeys.update": [
    "api_key.updated",
    async (owner) =>
      callAs(owner, "apiKeys.update", {
        id: idOf(await callAs(owner, "apiKeys.create", { name: "Key" })),
        daily_limit: 9,
      }),
  ],
  ...AUTH_MUTATIONS,
  "messages.redact": [
    "message.redacted",
    async (owner) => {
      const [id] = await makeMessages({ accountId: owner.accountId, senderId: "Acme" }, 1, "delivered");
      return callAs(owner, "messages.redact", { id });
    },
  ],
  "members.changeRole": [
    "member.role_changed",
    async (owner) => callAs(owner, "members.changeRole", { id: await addMember(owner), role: "developer" }),
  ],
  "members.invitations.accept": [
    "member.joined",
    async (owner) => {
      const { link } = (await callAs(owner, "members.invitations.create", newInvitation())) as { link: string };
      const token = new URL(link).searchParams.get("token");
      return callAs(null, "members.invitations.accept", { token, name: "Bob", password: NEW_PASSWORD });
    },
  ],
  "members.invitations.create": [
    "member.invited",
    (owner) => callAs(owner, "members.invitations.create", newInvitation()),
  ],
  "members.invitations.withdraw": [
    "member.invitation_withdrawn",
    async (owner) =>
      callAs(owner, "members.invitations.withdraw", {
        id: idOf(await callAs(owner, "members.invitations.create", newInvitation())),
      }),
  ],
  "members.leave": [
    "member.left",
    async (owner) => {
      await addMember(owner, "owner");
      return callAs(owner, "members.leave", undefined);
    },
  ],
  "members.remove": [
    "member.removed",
    async (owner) => callAs(owner, "members.remove", { id: await addMember(owner) }),
  ],
  "operator.createAccount": [
    "member.invited",
    (_, operator) => callAs(operator, "operator.createAccount", { company_name: "Acme", email: "new@audit.example" }),
  ],
  "operator.inviteOwner": [
    "member.invited",
    async (_, operator) => {
      const email = "owner@audit.example";
      const made = await callAs(operator, "operator.createAccount", { company_name: "Acme", email });
      const { account } = made as { account: { id: string } };
      return callAs(operator, "operator.inviteOwner", { account_id: account.id, email });
    },
  ],
  "operator.credit": [
    "account.credited",
    (owner, operator) =>
      callAs(operator, "operator.credit", { account_id: owner.accountId, amount: 5, note: "Thanks" }),
  ],
  "operator.decideSender": [
    "sender.decided",
    async (owner, operator) =>
      callAs(operator, "operator.decideSender", { id: idOf(await newSender(owner)), decision: "rejected", note: "No" }),
  ],
  "operator.limitAccount": [
    "account.limited",
    (owner, operator) =>
      callAs(operator, "operator.limitAccount", {
        account_id: owner.accountId,
        allowed_countries: ["DE"],
        flood_identical: 1,
        flood_total: 2,
        daily_spend_cap: 3,
      }),
  ],
  "operator.providers.clearSettings": [
    "provider.settings_cleared",
    (_, operator) => callAs(operator, "operator.providers.clearSettings", { id: "twilio" }),
  ],
  "operator.providers.closeBreaker": [
    "provider.breaker_closed",
    (_, operator) => callAs(operator, "operator.providers.closeBreaker", { id: "twilio" }),
  ],
  "operator.providers.drain": [
    "provider.drained",
    (_, operator) => callAs(operator, "operator.providers.drain", { id: "twilio", is_drained: true }),
  ],
  "operator.providers.rotateReceiptUrl": [
    "provider.receipt_url_rotated",
    (_, operator) => callAs(operator, "operator.providers.rotateReceiptUrl", { id: "infobip" }),
  ],
  "operator.providers.saveSettings": [
    "provider.settings_saved",
    (_, operator) =>
      callAs(operator, "operator.providers.saveSettings", {
        id: "twilio",
        settings: { accountSid: `AC${"0".repeat(32)}`, authToken: PROVIDER_SECRET },
      }),
  ],
  "operator.providers.throttle": [
    "provider.throttled",
    (_, operator) => callAs(operator, "operator.providers.throttle", { id: "twilio", max_segments_per_second: 5 }),
  ],
  "operator.routes.create": [
    "route.created",
    (_, operator) => callAs(operator, "operator.routes.create", { prefix: "49", chain: ["sandbox"], price: 0.01 }),
  ],
  "operator.routes.delete": [
    "route.deleted",
    async (_, operator) => callAs(operator, "operator.routes.delete", { id: await makeRoute({ prefix: "48" }) }),
  ],
  "operator.routes.update": [
    "route.updated",
    async (_, operator) =>
      callAs(operator, "operator.routes.update", { id: await makeRoute({ prefix: "47" }), price: 0.02 }),
  ],
  "operator.setAccountStatus": [
    "account.status_set",
    (owner, operator) =>
      callAs(operator, "operator.setAccountStatus", { account_id: owner.accountId, status: "suspended" }),
  ],
  "operator.throttleSender": [
    "sender.throttled",
    async (owner, operator) =>
      callAs(operator, "operator.throttleSender", { id: idOf(await newSender(owner)), max_segments_per_second: 2 }),
  ],
  "senders.create": ["sender.registered", newSender],
  "senders.delete": [
    "sender.deleted",
    async (owner) => callAs(owner, "senders.delete", { id: idOf(await newSender(owner)) }),
  ],
  "senders.update": [
    "sender.updated",
    async (owner) =>
      callAs(owner, "senders.update", { id: idOf(await newSender(owner)), dlt_entity_id: "1201159178492032504" }),
  ],
  "suppressions.create": ["suppression.created", newSuppression],
  "suppressions.delete": [
    "suppression.deleted",
    async (owner) => callAs(owner, "suppressions.delete", { id: idOf(await newSuppression(owner)) }),
  ],
  "suppressions.import": [
    "suppression.imported",
    (owner) => callAs(owner, "suppressions.import", { numbers: ["+14155550198", "nobody"] }),
  ],
  "webhooks.create": [
    "endpoint.created",
    (owner) => callAs(owner, "webhooks.create", { url: "http://127.0.0.1:9/hook" }),
  ],
  "webhooks.delete": [
    "endpoint.deleted",
    async (owner) => callAs(owner, "webhooks.delete", { id: await makeEndpoint(owner) }),
  ],
  "webhooks.enable": [
    "endpoint.enabled",
    async (owner) => callAs(owner, "webhooks.enable", { id: await makeEndpoint(owner, false) }),
  ],
  "webhooks.pause": [
    "endpoint.paused",
    async (owner) => callAs(owner, "webhooks.pause", { id: await makeEndpoint(owner) }),
  ],
  "webhooks.resume": [
    "endpoint.resumed",
    async (owner) => {
      const id = await makeEndpoint(owner);
      await callAs(owner, "webhooks.pause", { id });
      await callAs(owner, "webhooks.resume", { id });
    },
  ],
  "webhooks.rotateSecret": [
    "endpoint.secret_rotated",
    async (owner) => callAs(owner, "webhooks.rotateSecret", { id: await makeEndpoint(owner) }),
  ],
  "webhooks.update": [
    "endpoint.updated",
    async (owner) => callAs(owner, "webhooks.update", { id: await makeEndpoint(owner), description: "Shop" }),
  ],
};
