/** Every mutation of the router writes to the audit log, or is listed here with the reason why it does not. */
import { beforeAll, expect, test } from "vitest";
import { callAs, PROCEDURES, TEST_ORIGIN } from "@/test/call-procedure";
import { AUTH_MUTATIONS, type MutationCases, NEW_PASSWORD } from "@/test/database/auth-mutations";
import { addMember, lastEntries, makeEndpoint, makePerson, PASSWORD, type Person } from "@/test/database/people";
import { makeRoute } from "@/test/database/routes";
import { makeMessages } from "@/test/database/webhooks";
import { pool } from "../core/db";
import { env } from "../core/env";
import { newId } from "../core/ids";

const PROVIDER_SECRET = "shall-not-be-written-down-anywhere";

/** Mutations that write nothing to the log, with the reason. */
const EXEMPT: Readonly<Record<string, string>> = {
  "auth.requestReset": "anybody may ask, for any email; what is done with the link is recorded",
  "auth.secondFactor.begin": "makes a secret that counts for nothing until it is confirmed",
  "auth.passkeys.beginAdd": "makes a challenge that counts for nothing until it is signed",
  "auth.passkeys.beginProof": "as auth.passkeys.beginAdd",
  "auth.passkeys.beginSignIn": "as auth.passkeys.beginAdd; the sign-in itself is recorded",
  "auth.confirmPassword":
    "changes nothing but how long the session counts as confirmed; what it opens is recorded itself",
  "members.switchAccount":
    "changes nothing but the account that the session acts in; what is done there is recorded itself",
  "messages.send": "a message has a timeline of its own, and its money is in the ledger",
  "messages.bulk": "as messages.send",
  "messages.cancel": "as messages.send",
  "messages.reschedule": "as messages.send",
  "messages.estimate": "changes nothing",
  "operator.providers.test": "sends a test message and changes nothing of the provider",
  "webhooks.recover": "repeats deliveries, each of which is listed with its tries",
  "webhooks.resend": "as webhooks.recover, for chosen deliveries",
  "webhooks.test": "posts an event about an invented message and changes nothing",
};

const idOf = (made: unknown): string => (made as { id: string }).id;

const newSender = (owner: Person) => callAs(owner, "senders.create", { sender_id: "Acme" });
const newSuppression = (owner: Person) => callAs(owner, "suppressions.create", { number: "+14155550199" });

const newInvitation = () => ({ email: `${newId("user")}@audit.example`, role: "viewer" });

/** By the mutation: the action that it records, and how it is done. */
const MUTATION_CASES: MutationCases = {
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

const MUTATIONS = PROCEDURES.filter(({ type }) => type === "mutation").map(({ path }) => path);

beforeAll(() => {
  env().SIGN_UP_OPEN = true;
  env().WEBHOOK_ALLOWED_NETWORKS = ["127.0.0.0/8"];
});

test("every mutation is done here or exempt, and nothing else is", () => {
  expect([...Object.keys(MUTATION_CASES), ...Object.keys(EXEMPT)].sort()).toEqual([...MUTATIONS].sort());
});

test.each(Object.entries(MUTATION_CASES))("%s", async (path, [action, run]) => {
  const [owner, operator] = [await makePerson(), await makePerson(true)];
  const since = newId("audit");
  await run(owner, operator);
  const entry = (await lastEntries(since)).at(-1);
  expect(entry?.action).toBe(action);
  expect(entry).toMatchObject({ address: TEST_ORIGIN.address, user_agent: TEST_ORIGIN.userAgent });
  const isOperators = path.startsWith("operator.");
  expect(entry?.actor_kind).toBe(isOperators ? "operator" : "user");
  const isByNewcomer = path === "auth.signUp" || path === "members.invitations.accept";
  if (!isByNewcomer) expect(entry?.actor_id).toBe(isOperators ? operator.userId : owner.userId);
  const isOfInstallation = /\.(providers|routes)\./.test(path);
  const isOfNewAccount = ["auth.signUp", "operator.createAccount", "operator.inviteOwner"].includes(path);
  if (!isOfNewAccount) expect(entry?.account_id).toBe(isOfInstallation ? null : owner.accountId);
});

test("no secret is in the log, whatever was done", async () => {
  const operator = await makePerson(true);
  const answers: unknown[] = [];
  for (const [path, [, run]] of Object.entries(MUTATION_CASES)) {
    if (!path.startsWith("auth.")) answers.push(await run(await makePerson(), operator));
  }
  const { rows } = await pool().query("SELECT * FROM audit_entries");
  const written = JSON.stringify(rows);
  const shown = JSON.stringify(answers);
  const secrets = [...shown.matchAll(/"(?:plain_key|signing_secret)":"([^"]+)"/g)].map(([, secret]) => secret ?? "");
  expect(secrets.length).toBeGreaterThan(1);
  for (const secret of [...secrets, PASSWORD, NEW_PASSWORD, PROVIDER_SECRET]) expect(written).not.toContain(secret);
  expect(written).not.toMatch(/\$argon2|"v1\.|whsec_/);
});
