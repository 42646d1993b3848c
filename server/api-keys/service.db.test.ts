import { expect, test } from "vitest";
import { makeAccount, type TestAccount } from "@/e2e/support/seed";
import type { AccountActor } from "../core/actor";
import { prisma } from "../core/db";
import { newId } from "../core/ids";
import { authenticate } from "./authenticate";
import { CreateApiKeyInput } from "./schema";
import { SCOPES } from "./scopes";
import { hashKey } from "./secret";
import { createApiKey, listApiKeys, revokeApiKey } from "./service";

const input = (more: Partial<CreateApiKeyInput> = {}) => CreateApiKeyInput.parse({ name: "server", ...more });

const ownerOf = (account: TestAccount): AccountActor => ({
  kind: "session",
  accountId: account.accountId,
  userId: newId("user"),
  isOperator: false,
});

test("a key is shown once, works, and only its hash is kept", async () => {
  const account = await makeAccount();
  const created = await createApiKey(ownerOf(account), input({ daily_limit: 5 }));
  expect(created.plain_key).toMatch(/^ds_live_[0-9A-Za-z]{32}$/);
  expect(created).toMatchObject({ object: "api_key", name: "server", is_active: true, rate_limit: 600 });
  expect(created.permissions).toEqual([...SCOPES]);
  expect((await authenticate(`Bearer ${created.plain_key}`)).id).toBe(created.id);

  const row = await prisma().apiKey.findUniqueOrThrow({ where: { id: created.id } });
  expect(row).toMatchObject({ keyHash: hashKey(created.plain_key), dailyLimit: 5, monthlyLimit: null });
  const listed = await listApiKeys(account.actor);
  expect(JSON.stringify(listed)).not.toContain(created.plain_key);
  expect(JSON.stringify(listed)).not.toContain(row.keyHash);
  expect(listed.data.map((key) => key.id)).toEqual([created.id, account.keyId]);
});

test("a key creates keys with its own scopes at most, and with exactly those when none are named", async () => {
  const account = await makeAccount({ scopes: ["keys:write", "sms:read"] });
  const narrower = await createApiKey(account.actor, input({ permissions: ["sms:read"] }));
  expect(narrower.permissions).toEqual(["sms:read"]);
  const same = await createApiKey(account.actor, input());
  expect([...same.permissions].sort()).toEqual(["keys:write", "sms:read"]);
  await expect(createApiKey(account.actor, input({ permissions: ["sms:read", "sms:send"] }))).rejects.toMatchObject({
    status: 403,
    wire: { param: "permissions", details: { reason: "scope_not_held", missing: ["sms:send"] } },
  });
  expect((await listApiKeys(account.actor)).data).toHaveLength(3);
});

test("a key cannot be created already expired", async () => {
  const { actor } = await makeAccount();
  const expires_at = new Date(Date.now() - 1_000).toISOString();
  await expect(createApiKey(actor, input({ expires_at }))).rejects.toMatchObject({
    status: 400,
    wire: { param: "expires_at" },
  });
  const later = new Date(Date.now() + 60_000).toISOString();
  expect((await createApiKey(actor, input({ expires_at: later }))).expires_at).toBe(later);
});

test("networks are kept in one spelling, each once", async () => {
  const { actor } = await makeAccount();
  const { id } = await createApiKey(actor, input({ allowed_ips: ["10.1.2.3/8", "10.0.0.0/8", "203.0.113.7/32"] }));
  const row = await prisma().apiKey.findUniqueOrThrow({ where: { id } });
  expect(row.allowedIps).toEqual(["10.0.0.0/8", "203.0.113.7"]);
});

test("a revoked key is refused at once, listed as inactive, and revoked only once", async () => {
  const account = await makeAccount();
  const { id, plain_key } = await createApiKey(account.actor, input());
  await authenticate(`Bearer ${plain_key}`);
  expect(await revokeApiKey(account.actor, id)).toEqual({ id, object: "api_key", deleted: true });
  await expect(authenticate(`Bearer ${plain_key}`)).rejects.toMatchObject({ status: 401 });
  await expect(revokeApiKey(account.actor, id)).rejects.toMatchObject({ status: 404 });
  const listed = (await listApiKeys(account.actor)).data.find((key) => key.id === id);
  expect(listed?.is_active).toBe(false);
});

test("of many revocations at once exactly one succeeds", async () => {
  const account = await makeAccount();
  const { id } = await createApiKey(account.actor, input());
  const results = await Promise.allSettled(Array.from({ length: 10 }, () => revokeApiKey(account.actor, id)));
  expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
});

test("an expired key is listed as inactive", async () => {
  const account = await makeAccount();
  const { id } = await createApiKey(account.actor, input());
  await prisma().apiKey.update({ where: { id }, data: { expiresAt: new Date(Date.now() - 1) } });
  expect((await listApiKeys(account.actor)).data.find((key) => key.id === id)?.is_active).toBe(false);
});

test("refuses another account's id", async () => {
  const [mine, other] = await Promise.all([makeAccount(), makeAccount()]);
  await expect(revokeApiKey(mine.actor, other.keyId)).rejects.toMatchObject({ status: 404 });
  expect((await authenticate(`Bearer ${other.plainKey}`)).id).toBe(other.keyId);
  expect((await listApiKeys(mine.actor)).data.map((key) => key.id)).toEqual([mine.keyId]);
});
