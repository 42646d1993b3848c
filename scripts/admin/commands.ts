import { randomBytes, randomUUID } from "node:crypto";
import { z } from "zod";
import type { IdempotentRequest } from "@/server/accounts/idempotency/request";
import { createAccountWithOwner } from "@/server/accounts/service";
import { ensureTestAccount } from "@/server/accounts/test-mode";
import { revokeApiKey } from "@/server/api-keys/revoke";
import { CreateApiKeyInput } from "@/server/api-keys/schema";
import { createApiKey, listApiKeys } from "@/server/api-keys/service";
import { issuePasswordReset } from "@/server/auth/credentials/change-password";
import { hashPassword } from "@/server/auth/credentials/password-hash";
import { clearSecondFactor } from "@/server/auth/credentials/second-factor";
import { normalEmail } from "@/server/auth/normal-email";
import { SignUpInput } from "@/server/auth/schema";
import { inTestMode, type SessionActor } from "@/server/core/actor";
import { prisma, repeatWhenLost } from "@/server/core/db";
import { env, publicUrl } from "@/server/core/env";
import { isApiError, isOutcomeUnknown } from "@/server/core/errors";
import { isTestAccount, liveAccountOf } from "@/server/core/ids";
import { toMicros } from "@/server/core/wire";
import { otherSpellingOf } from "@/server/messages/phone";
import { CreditAccountInput } from "@/server/operator/schema";
import { creditAccount, decideSender, setAccountStatus } from "@/server/operator/service";
import { createRoute as createRouteRow, listRoutes as listRouteRows } from "@/server/routing/edit";
import { CreateRouteInput } from "@/server/routing/schema";
import { CreateSenderInput } from "@/server/senders/schema";
import { createSender, parseSender } from "@/server/senders/service";
import { accountOf, ownerOf } from "./account";
import { type Command, done, OPERATOR, type Run } from "./command";
import { requireMailSettings } from "./database";
import { decimal, entries, type Flags, parseInput, required, text } from "./flags";
import type { Row } from "./show";
import { UPKEEP } from "./upkeep";

const KEY_RATE_LIMIT = 6_000;

/**
 * Carries out an operation that must not be done twice. When the database's reply is lost, the operation is repeated once with the same
 * idempotency key; a repeated command would have another key.
 * @throws Error when the second reply is lost too.
 */
async function once<Result>(operation: (request: IdempotentRequest) => Promise<Result>): Promise<Result> {
  const key = { key: randomUUID(), requestHash: "admin" };
  try {
    return await repeatWhenLost(() => operation({ idempotency: () => key, responseHeaders: {} }));
  } catch (thrown) {
    if (!isOutcomeUnknown(thrown)) throw thrown;
    throw new Error(
      "The connection to the database was lost. Check whether the command was carried out before you repeat it.",
    );
  }
}

/** Approves a sender. The automatic approval (SENDER_AUTO_APPROVE_S) may come first; the result is the same. */
async function approve(id: string): Promise<Row> {
  try {
    await repeatWhenLost(() => decideSender(OPERATOR, { id, decision: "approved" }));
  } catch (thrown) {
    if (!isApiError(thrown) || thrown.wire.details.status !== "approved") throw thrown;
  }
  const { accountId, senderId, type, status } = await prisma().sender.findUniqueOrThrow({ where: { id } });
  return { id, accountId, senderId, type, status };
}

/** A valid registration of a sender. @param option the option with the sender ID. */
function senderInput(senderId: string, option: string): CreateSenderInput {
  const input = parseInput(CreateSenderInput, { sender_id: senderId }, { sender_id: option });
  parseSender(input);
  return input;
}

async function registerSender(flags: Flags) {
  const input = senderInput(required(flags, "sender-id"), "sender-id");
  const owner = await ownerOf(flags);
  const { id, sender_id: senderId, type, status } = await once((request) => createSender(owner, input, request));
  return done(flags.approve === true ? await approve(id) : { id, accountId: owner.accountId, senderId, type, status });
}

const OpeningBalance = z.object({ balance: CreditAccountInput.shape.amount.min(0, "must not be negative") });

/** Checks everything before it creates anything, because the password and the key are shown only after everything has succeeded. */
async function createAccount(flags: Flags) {
  const email = required(flags, "email");
  const password = text(flags, "password") ?? randomBytes(12).toString("base64url");
  const name = text(flags, "name") ?? email.split("@")[0] ?? email;
  const input = parseInput(SignUpInput, { email, password, name, company_name: text(flags, "company") });
  const { balance } = parseInput(OpeningBalance, { balance: decimal(flags, "balance") ?? 0 });
  const senderId = text(flags, "sender");
  const sender = senderId === undefined ? null : senderInput(senderId, "sender");
  const account = {
    email: input.email,
    passwordHash: await hashPassword(input.password),
    name: input.name,
    companyName: input.company_name,
    isOperator: flags.operator === true,
    balanceMicros: toMicros(balance),
  };
  const { accountId, userId } = await once((request) => createAccountWithOwner(account, request));
  const owner = { kind: "session", accountId, userId, isOperator: false } as const;
  const key = await once((request) => createApiKey(owner, { name: "Admin", rate_limit: KEY_RATE_LIMIT }, request));
  if (sender) await approve((await once((request) => createSender(owner, sender, request))).id);
  const made = { accountId, userId, email: normalEmail(input.email), password, balance };
  return done({ ...made, apiKeyId: key.id, apiKey: key.plain_key, sender: senderId ?? null });
}

async function credit(flags: Flags) {
  const amount = decimal(flags, "amount");
  if (amount === undefined) throw new Error("--amount is missing.");
  if (amount === 0) throw new Error("--amount must not be 0: 25.00 is added to the balance, -25.00 taken off it.");
  const accountId = await accountOf(flags);
  const input = parseInput(CreditAccountInput, { account_id: accountId, amount, note: text(flags, "note") });
  const { balance, currency } = await once((request) => creditAccount(OPERATOR, input, request));
  return done({ accountId, balance, currency });
}

async function resetPassword(flags: Flags) {
  const { userId, token } = await issuePasswordReset(OPERATOR, required(flags, "email"));
  const link = { userId, url: `${publicUrl()}/reset-password?token=${token}`, validMinutes: 60 };
  if (env().PUBLIC_URL !== undefined) return done(link);
  const note = `PUBLIC_URL is not set here, so the link leads to this machine: elsewhere, put the service's own address in place of ${publicUrl()}.`;
  return done({ ...link, note });
}

async function clearFactor(flags: Flags) {
  if (env().SMTP_URL !== undefined) requireMailSettings();
  const { userId, passkeys, isTold: told } = await clearSecondFactor(OPERATOR, required(flags, "email"));
  if (env().SMTP_URL !== undefined) return done({ userId, passkeys, told });
  const note = "No email says so, because SMTP_URL is not set here: tell the person yourself.";
  return done({ userId, passkeys, told, note });
}

async function approveSender(flags: Flags) {
  let id = text(flags, "id");
  if (!id) {
    const senderId = required(flags, "sender-id");
    const accountId = await accountOf(flags);
    const spellings = [senderId, otherSpellingOf(senderId) ?? senderId];
    const found = await prisma().sender.findMany({ where: { accountId, senderId: { in: spellings } } });
    id = (found.find((sender) => sender.senderId === senderId) ?? found[0])?.id;
    if (!id) throw new Error(`The account has no sender ${senderId}.`);
  }
  return done(await approve(id));
}

/** The owner; with --test, in test mode. */
async function actingOwnerOf(flags: Flags): Promise<SessionActor> {
  const owner = await ownerOf(flags);
  if (flags.test !== true) return owner;
  await ensureTestAccount(owner.accountId);
  return inTestMode(owner);
}

async function createKey(flags: Flags) {
  const scopes = text(flags, "scopes");
  const input = parseInput(CreateApiKeyInput, {
    name: required(flags, "name"),
    permissions: scopes ? entries(scopes) : undefined,
    rate_limit: decimal(flags, "rate-limit"),
  });
  const owner = await actingOwnerOf(flags);
  const key = await once((request) => createApiKey(owner, input, request));
  return done({
    id: key.id,
    accountId: liveAccountOf(owner.accountId),
    apiKey: key.plain_key,
    permissions: key.permissions,
  });
}

/** The keys of an account, newest first. */
async function listKeys(flags: Flags) {
  const { data } = await listApiKeys(await actingOwnerOf(flags));
  return done(
    data.map((key) => ({
      ...{ id: key.id, name: key.name, hint: key.key_hint, isActive: key.is_active, permissions: key.permissions },
      ...{ createdBy: key.created_by, createdAt: key.created_at, lastUsedAt: key.last_used_at },
    })),
  );
}

/** Revokes a key of any account, and all keys that descend from it. */
async function revokeKey(flags: Flags) {
  const id = required(flags, "id");
  const key = await prisma().apiKey.findUnique({ where: { id }, select: { accountId: true } });
  if (!key) throw new Error(`There is no API key ${id}.`);
  const account = liveAccountOf(key.accountId);
  const owner = await ownerOf({ account });
  await revokeApiKey(isTestAccount(key.accountId) ? inTestMode(owner) : owner, { id, cascade: true });
  return done({ id, accountId: account, isActive: false });
}

async function listRoutes() {
  const routes = await listRouteRows(OPERATOR);
  return done(routes.map(({ is_active: isActive, created_at: _, ...route }) => ({ ...route, isActive })));
}

async function createRoute(flags: Flags) {
  const price = decimal(flags, "price");
  if (price === undefined) throw new Error("--price must be the price of a segment, such as 0.01.");
  const input = parseInput(CreateRouteInput, {
    prefix: text(flags, "prefix")?.replace(/^\+/, ""),
    chain: entries(required(flags, "chain")),
    priority: decimal(flags, "priority"),
    price,
  });
  const { id, prefix, priority, chain } = await once((request) => createRouteRow(OPERATOR, input, request));
  return done({ id, prefix, priority, chain, price });
}

const setStatus =
  (status: "active" | "suspended"): Run =>
  async (flags) => {
    const accountId = await accountOf(flags);
    const account = await setAccountStatus(OPERATOR, { account_id: accountId, status });
    return done({ accountId, email: account.email, status: account.status });
  };

const ofAccount = (...more: string[]) => ["account", "email", ...more];

/** Every command by its name; admin.ts has their descriptions. */
export const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  [
    "account create",
    { run: createAccount, options: ["email", "name", "company", "password", "balance", "sender", "operator"] },
  ],
  ["account credit", { run: credit, options: ofAccount("amount", "note") }],
  ["account suspend", { run: setStatus("suspended"), options: ofAccount() }],
  ["account activate", { run: setStatus("active"), options: ofAccount() }],
  ["account reset-password", { run: resetPassword, options: ["email"] }],
  ["account clear-second-factor", { run: clearFactor, options: ["email"] }],
  ["sender create", { run: registerSender, options: ofAccount("sender-id", "approve") }],
  ["sender approve", { run: approveSender, options: ofAccount("id", "sender-id") }],
  ["key create", { run: createKey, options: ofAccount("name", "scopes", "rate-limit", "test") }],
  ["key list", { run: listKeys, options: ofAccount("test") }],
  ["key revoke", { run: revokeKey, options: ["id"] }],
  ["route list", { run: listRoutes, options: [] }],
  ["route create", { run: createRoute, options: ["chain", "price", "prefix", "priority"] }],
  ...UPKEEP,
]);

/**
 * Carries out a command.
 * @throws Error for an unknown command, for options of other commands, which would otherwise be ignored silently,
 *   and for options without a value.
 */
export async function runCommand(name: string, flags: Flags): ReturnType<Run> {
  const command = COMMANDS.get(name);
  if (!command) throw new Error(`There is no command "${name}".`);
  const surplus = Object.keys(flags).filter((flag) => !command.options.includes(flag));
  if (surplus.length > 0) {
    const taken = command.options.map((option) => `--${option}`).join(", ") || "none";
    throw new Error(`"${name}" takes no ${surplus.map((flag) => `--${flag}`).join(", ")}. Its options: ${taken}.`);
  }
  // An unset variable in a script gives an empty option; ignoring it could mean every scope, or a route for every number.
  const [empty] = Object.keys(flags).filter((flag) => flags[flag] === "");
  if (empty !== undefined) throw new Error(`--${empty} is empty: give it a value, or leave it out.`);
  return command.run(flags);
}
