import { expect, test } from "vitest";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import type { AccountActor } from "../core/actor";
import { pool, prisma } from "../core/db";
import { newId } from "../core/ids";
import { authenticate } from "./authenticate";
import { revokeApiKey } from "./revoke";
import { CreateApiKeyInput, UpdateApiKeyInput } from "./schema";
import { SCOPES, type Scope } from "./scopes";
import { createApiKey, listApiKeys } from "./service";
import { updateApiKey } from "./update";

const ownerOf = (account: TestAccount): AccountActor => ({
  kind: "session",
  accountId: account.accountId,
  userId: newId("user"),
  isOperator: false,
});

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

const makeKey = (account: TestAccount, more: Partial<CreateApiKeyInput> = {}) =>
  createApiKey(ownerOf(account), CreateApiKeyInput.parse({ name: "server", ...more }));

const actorOf = ({ id }: { id: string }, account: TestAccount, scopes: readonly Scope[]): AccountActor => ({
  kind: "apiKey",
  accountId: account.accountId,
  keyId: id,
  scopes,
  limits: { daily: null, monthly: null },
});

const update = (actor: AccountActor, input: UpdateApiKeyInput) => updateApiKey(actor, UpdateApiKeyInput.parse(input));

const limitsOf = async (id: string) => {
  const { name, rateLimit, dailyLimit, monthlyLimit, allowedIps, expiresAt } = await prisma().apiKey.findUniqueOrThrow({
    where: { id },
  });
  return { name, rateLimit, dailyLimit, monthlyLimit, allowedIps, expiresAt: expiresAt?.toISOString() ?? null };
};

test("what is given changes, what is omitted stays, and null lifts a limit; the key works on as before", async () => {
  const account = await makeAccount();
  const owner = ownerOf(account);
  const key = await makeKey(account, { daily_limit: 5, allowed_ips: ["10.0.0.0/8"], permissions: ["sms:read"] });
  const ends = inAnHour();
  const changed = await update(owner, {
    id: key.id,
    name: " Shop ",
    rate_limit: 20,
    monthly_limit: 9,
    expires_at: ends,
  });
  expect(changed).toEqual({ ...(await listApiKeys(owner)).data.find(({ id }) => id === key.id), last_used_at: null });
  expect(changed).toMatchObject({ name: "Shop", rate_limit: 20, expires_at: ends, key_hint: key.key_hint });
  const limits = { name: "Shop", rateLimit: 20, dailyLimit: 5, monthlyLimit: 9, expiresAt: ends };
  expect(await limitsOf(key.id)).toEqual({ ...limits, allowedIps: ["10.0.0.0/8"] });
  expect(await authenticate(`Bearer ${key.plain_key}`)).toMatchObject({ rateLimit: 20, permissions: ["sms:read"] });

  await update(owner, { id: key.id, daily_limit: null, monthly_limit: null, allowed_ips: null, expires_at: null });
  const lifted = { dailyLimit: null, monthlyLimit: null, allowedIps: [], expiresAt: null };
  expect(await limitsOf(key.id)).toEqual({ ...limits, ...lifted });
  expect(await authenticate(`Bearer ${key.plain_key}`)).toMatchObject({ dailyLimit: null, expiresAtMs: null });
  const again = await update(owner, { id: key.id });
  const none = { daily_limit: null, monthly_limit: null, allowed_ips: null, expires_at: null };
  expect(again).toEqual({ ...changed, ...none });
});

test("a key sees the limits of what it changes, also when it changes and records nothing", async () => {
  const account = await makeAccount();
  const limits = { daily_limit: 5, monthly_limit: null, allowed_ips: ["10.0.0.0/8"] };
  const { id } = await makeKey(account, limits);
  expect(await update(account.actor, { id })).toMatchObject({ id, ...limits });
  expect(await prisma().auditEntry.count({ where: { subjectId: id, action: "api_key.updated" } })).toBe(0);
});

test("a key narrows any key, but widens one only up to its own limits", async () => {
  const account = await makeAccount();
  const manager = await makeKey(account, { rate_limit: 100, daily_limit: 10, permissions: ["keys:write", "sms:read"] });
  const actor = actorOf(manager, account, ["keys:write", "sms:read"]);
  const target = await makeKey(account, { rate_limit: 1_000, daily_limit: 5, permissions: ["sms:read"] });
  // Above its own limit, and narrower than before all the same.
  expect((await update(actor, { id: target.id, rate_limit: 500 })).rate_limit).toBe(500);
  expect((await update(actor, { id: target.id, daily_limit: 10 })).id).toBe(target.id);
  for (const [param, change] of [
    ["rate_limit", { rate_limit: 501 }],
    ["daily_limit", { daily_limit: 11 }],
    ["daily_limit", { daily_limit: null }],
  ] as const) {
    await expect(update(actor, { id: target.id, ...change })).rejects.toMatchObject({
      status: 403,
      wire: { param, details: { reason: "limit_not_held" } },
    });
  }
  await expect(update(actor, { id: manager.id, rate_limit: 101 })).rejects.toMatchObject({ status: 403 });
  expect((await update(actor, { id: manager.id, rate_limit: 99, name: "Me" })).name).toBe("Me");
  expect(await limitsOf(target.id)).toMatchObject({ rateLimit: 500, dailyLimit: 10 });
});

test("a key does not widen a key that may do more than itself, but may name and narrow it", async () => {
  const account = await makeAccount();
  const manager = await makeKey(account, { permissions: ["keys:write"] });
  const actor = actorOf(manager, account, ["keys:write"]);
  const target = await makeKey(account, { permissions: ["sms:send"], allowed_ips: ["10.0.0.1"], daily_limit: 5 });
  for (const change of [{ allowed_ips: null }, { allowed_ips: ["10.0.0.2"] }, { daily_limit: 6 }]) {
    await expect(update(actor, { id: target.id, ...change })).rejects.toMatchObject({
      status: 403,
      wire: { param: Object.keys(change)[0], details: { reason: "scope_not_held", missing: ["sms:send"] } },
    });
  }
  await update(actor, { id: target.id, name: "Named", daily_limit: 4, expires_at: inAnHour() });
  expect(await limitsOf(target.id)).toMatchObject({ name: "Named", dailyLimit: 4, allowedIps: ["10.0.0.1"] });
});

test("a revoked, expired, unknown or foreign key is a 404, and an end in the past a 400", async () => {
  const [account, stranger] = [await makeAccount(), await makeAccount()];
  const owner = ownerOf(account);
  const [revoked, expired, fine] = [await makeKey(account), await makeKey(account), await makeKey(account)];
  await revokeApiKey(owner, { id: revoked.id, cascade: false });
  await pool().query("UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = $1", [expired.id]);
  for (const id of [revoked.id, expired.id, "key_none", stranger.keyId]) {
    await expect(update(owner, { id, name: "x", expires_at: null })).rejects.toMatchObject({
      status: 404,
      wire: { param: "id" },
    });
  }
  await expect(update(owner, { id: fine.id, expires_at: "2020-01-01T00:00:00Z" })).rejects.toMatchObject({
    status: 400,
    wire: { param: "expires_at", details: { reason: "expires_in_the_past" } },
  });
});

test("a person has to have given their password lately", async () => {
  const account = await makeAccount();
  const key = await makeKey(account);
  const owner = { ...ownerOf(account), sessionId: "ses_1", isConfirmed: false } as AccountActor;
  await expect(update(owner, { id: key.id, name: "x" })).rejects.toMatchObject({
    wire: { details: { reason: "confirmation_required" } },
  });
});

test("a key of the tenth generation changes itself, although it makes no keys", async () => {
  const account = await makeAccount();
  let key = await makeKey(account);
  for (let generation = 2; generation <= 10; generation += 1) {
    key = await createApiKey(actorOf(key, account, SCOPES), CreateApiKeyInput.parse({ name: "child" }));
  }
  const last = actorOf(key, account, SCOPES);
  expect(await update(last, { id: key.id, name: "renamed", rate_limit: 5 })).toMatchObject({ name: "renamed" });
  await expect(createApiKey(last, CreateApiKeyInput.parse({ name: "child" }))).rejects.toMatchObject({
    wire: { details: { reason: "key_generations" } },
  });
});
