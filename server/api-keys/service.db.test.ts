import { expect, test } from "vitest";
import { explain, rowsRead, statementsOf } from "@/test/database/plans";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import type { AccountActor, SessionActor } from "../core/actor";
import { pool, prisma } from "../core/db";
import { newId } from "../core/ids";
import { authenticate } from "./authenticate";
import { revokeApiKey } from "./revoke";
import { CreateApiKeyInput } from "./schema";
import { SCOPES } from "./scopes";
import { hashKey } from "./secret";
import { createApiKey, listApiKeyDetails, listApiKeys } from "./service";

const NO_LIMITS = { daily: null, monthly: null };
const input = (more: Partial<CreateApiKeyInput> = {}) => CreateApiKeyInput.parse({ name: "server", ...more });

const ownerOf = (account: TestAccount): SessionActor => ({
  kind: "session",
  accountId: account.accountId,
  userId: newId("user"),
  isOperator: false,
});

test("a key is shown once, works, and only its hash is stored", async () => {
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

test("a key grants at most its own scopes, and all of them by default", async () => {
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

test("a key grants at most its own limits, and the same limits by default", async () => {
  const account = await makeAccount();
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const limits = {
    rate_limit: 10,
    daily_limit: 1,
    monthly_limit: 5,
    allowed_ips: ["10.0.0.0/8"],
    expires_at: expiresAt,
  };
  const narrow = await createApiKey(ownerOf(account), input(limits));
  const actor: AccountActor = { ...account.actor, kind: "apiKey", keyId: narrow.id, scopes: SCOPES, limits: NO_LIMITS };
  const limitsIn = async (id: string) => {
    const { rateLimit, dailyLimit, monthlyLimit, allowedIps, expiresAt } = await prisma().apiKey.findUniqueOrThrow({
      where: { id },
    });
    return { rateLimit, dailyLimit, monthlyLimit, allowedIps, expiresAt };
  };
  expect(await limitsIn((await createApiKey(actor, input())).id)).toEqual(await limitsIn(narrow.id));
  const wider: Partial<CreateApiKeyInput>[] = [
    { rate_limit: 11 },
    { daily_limit: null },
    { monthly_limit: 6 },
    { allowed_ips: null },
    { allowed_ips: ["10.1.1.1", "11.1.1.1"] },
    { expires_at: null },
  ];
  for (const requested of wider) {
    await expect(createApiKey(actor, input(requested)), JSON.stringify(requested)).rejects.toMatchObject({
      status: 403,
      wire: { param: Object.keys(requested)[0], details: { reason: "limit_not_held" } },
    });
  }
  const less = { rate_limit: 1, monthly_limit: 2, allowed_ips: ["10.1.0.0/16"] };
  expect(await limitsIn((await createApiKey(actor, input(less))).id)).toMatchObject({
    rateLimit: 1,
    dailyLimit: 1,
    monthlyLimit: 2,
    allowedIps: ["10.1.0.0/16"],
  });
  expect((await listApiKeys(account.actor)).data).toHaveLength(4);
});

test("a revoked key creates no keys, even while it is still cached as valid", async () => {
  const account = await makeAccount();
  await prisma().apiKey.update({ where: { id: account.keyId }, data: { revokedAt: new Date() } });
  await expect(createApiKey(account.actor, input())).rejects.toMatchObject({ status: 401 });
});

test("an account has at most 100 active keys, even under concurrent creations", async () => {
  const account = await makeAccount();
  const owner = ownerOf(account);
  const rowOf = (at: number) => ({
    id: newId("apiKey"),
    accountId: account.accountId,
    name: "filler",
    keyHash: `${account.accountId} ${at}`,
    keyHint: "…",
  });
  const fillers = Array.from({ length: 97 }, (_, at) => rowOf(at));
  const past = new Date(Date.now() - 1_000);
  await prisma().apiKey.createMany({
    data: [...fillers, { ...rowOf(97), revokedAt: past }, { ...rowOf(98), expiresAt: past }],
  });
  const results = await Promise.allSettled(Array.from({ length: 6 }, () => createApiKey(owner, input())));
  expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(2);
  await expect(createApiKey(owner, input())).rejects.toMatchObject({
    status: 400,
    wire: { details: { reason: "key_limit" } },
  });
  await revokeApiKey(owner, { id: fillers[0]?.id ?? "", cascade: false });
  expect((await createApiKey(owner, input())).is_active).toBe(true);
});

test("keys revoked or expired more than 90 days ago are not listed", async () => {
  const account = await makeAccount();
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
  const make = async (ended: { revokedAt?: Date; expiresAt?: Date }) => {
    const { id } = await createApiKey(ownerOf(account), input());
    await prisma().apiKey.update({ where: { id }, data: ended });
    return id;
  };
  await make({ revokedAt: daysAgo(91) });
  await make({ expiresAt: daysAgo(91) });
  const recent = [await make({ revokedAt: daysAgo(89) }), await make({ expiresAt: daysAgo(89) })];
  const { data } = await listApiKeys(account.actor);
  expect(data.map((key) => key.id)).toEqual([...recent.reverse(), account.keyId]);
});

/** Inserts keys `count` times that ended so many seconds ago, or in the future, one after the other. */
const insertEnded = (accountId: string, prefix: string, count: number, column: string, end: string) =>
  pool().query(
    `INSERT INTO api_keys (id, account_id, name, key_hash, key_hint, ${column})
     SELECT 'key_' || $2 || lpad(n::text, 6, '0'), $1, 'ended', $1 || $2 || n, '…', ${end}
     FROM generate_series(1, $3::int4) n`,
    [accountId, prefix, count],
  );

test("all keys that work are listed, and of the others the 200 that ended last, however many there are", async () => {
  const account = await makeAccount();
  const { accountId, keyId } = account;
  await insertEnded(accountId, "0revoked", 3_000, "revoked_at", "now() - interval '1 hour' - n * interval '1 second'");
  await insertEnded(accountId, "0expired", 3_000, "expires_at", "now() - interval '1 day' - n * interval '1 second'");
  await insertEnded(accountId, "0ancient", 3_000, "revoked_at", "now() - interval '91 days'");
  await insertEnded(accountId, "0working", 50, "expires_at", "now() + interval '1 day'");
  await pool().query("ANALYZE api_keys");
  let listed: string[] = [];
  const sent = await statementsOf(async () => {
    listed = (await listApiKeys(account.actor)).data.map((key) => key.id);
  });
  expect(listed).toHaveLength(251);
  expect(listed).toEqual([...listed].sort().reverse());
  expect(listed).toContain(keyId);
  expect(listed.filter((id) => id.startsWith("key_0working"))).toHaveLength(50);
  expect(listed.filter((id) => id.startsWith("key_0revoked")).at(-1)).toBe("key_0revoked000001");
  for (const statement of sent) {
    expect(rowsRead((await explain(statement)).plan, ["api_keys"]), statement.name).toBeLessThan(300);
  }
});

test("a creation reads the keys that work, not those that have ended", async () => {
  const account = await makeAccount();
  await insertEnded(account.accountId, "00revoked", 3_000, "revoked_at", "now()");
  await insertEnded(account.accountId, "00expired", 3_000, "expires_at", "now() - interval '1 day'");
  await pool().query("ANALYZE api_keys");
  const sent = await statementsOf(() => createApiKey(ownerOf(account), input()));
  const inserting = sent.filter(({ text }) => text.includes("INSERT INTO api_keys"));
  expect(inserting).toHaveLength(1);
  for (const { values, ...statement } of inserting) {
    const [, accountId, name, , ...others] = values;
    const again = { ...statement, values: [newId("apiKey"), accountId, name, "another hash", ...others] };
    expect(rowsRead((await explain(again)).plan, ["api_keys"])).toBeLessThan(20);
  }
});

test("an account makes at most 1,000 keys in a UTC day", async () => {
  const account = await makeAccount();
  const owner = ownerOf(account);
  const { id } = await createApiKey(owner, input());
  // Ids begin with their time: these are of the same day.
  await insertEnded(account.accountId, `${id.slice("key_".length, 20)}`, 997, "revoked_at", "now()");
  const results = await Promise.allSettled(Array.from({ length: 3 }, () => createApiKey(owner, input())));
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  await expect(createApiKey(owner, input())).rejects.toMatchObject({
    status: 429,
    retryAfterS: expect.any(Number),
    wire: { details: { reason: "key_creation_limit", limit: 1_000 } },
  });
  expect((await createApiKey(ownerOf(await makeAccount()), input())).is_active).toBe(true);
});

test("a key cannot be created expired", async () => {
  const { actor } = await makeAccount();
  const expires_at = new Date(Date.now() - 1_000).toISOString();
  await expect(createApiKey(actor, input({ expires_at }))).rejects.toMatchObject({
    status: 400,
    wire: { param: "expires_at" },
  });
  const later = new Date(Date.now() + 60_000).toISOString();
  expect((await createApiKey(actor, input({ expires_at: later }))).expires_at).toBe(later);
});

test("networks are stored in canonical form without duplicates", async () => {
  const { actor } = await makeAccount();
  const { id } = await createApiKey(actor, input({ allowed_ips: ["10.1.2.3/8", "10.0.0.0/8", "203.0.113.7/32"] }));
  const row = await prisma().apiKey.findUniqueOrThrow({ where: { id } });
  expect(row.allowedIps).toEqual(["10.0.0.0/8", "203.0.113.7"]);
});

test("a revoked key is refused at once, listed as inactive, and revoked only once", async () => {
  const account = await makeAccount();
  const { id, plain_key } = await createApiKey(account.actor, input());
  await authenticate(`Bearer ${plain_key}`);
  expect(await revokeApiKey(account.actor, { id, cascade: false })).toEqual({ id, object: "api_key", deleted: true });
  await expect(authenticate(`Bearer ${plain_key}`)).rejects.toMatchObject({ status: 401 });
  await expect(revokeApiKey(account.actor, { id, cascade: false })).rejects.toMatchObject({ status: 404 });
  const listed = (await listApiKeys(account.actor)).data.find((key) => key.id === id);
  expect(listed?.is_active).toBe(false);
});

test("exactly one of many concurrent revocations succeeds", async () => {
  const account = await makeAccount();
  const { id } = await createApiKey(account.actor, input());
  const results = await Promise.allSettled(
    Array.from({ length: 10 }, () => revokeApiKey(account.actor, { id, cascade: false })),
  );
  expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
});

test("an expired key is listed as inactive", async () => {
  const account = await makeAccount();
  const { id } = await createApiKey(account.actor, input());
  await prisma().apiKey.update({ where: { id }, data: { expiresAt: new Date(Date.now() - 1) } });
  expect((await listApiKeys(account.actor)).data.find((key) => key.id === id)?.is_active).toBe(false);
});

test("people see when a key was revoked, also after it has expired; programs do not", async () => {
  const account = await makeAccount();
  const { id } = await createApiKey(account.actor, input());
  const seen = async () => (await listApiKeyDetails(ownerOf(account))).data.find((key) => key.id === id);
  expect(await seen()).toMatchObject({ is_active: true, revoked_at: null });
  await revokeApiKey(account.actor, { id, cascade: false });
  const { revokedAt } = await prisma().apiKey.update({ where: { id }, data: { expiresAt: new Date(Date.now() - 1) } });
  expect(await seen()).toMatchObject({ is_active: false, revoked_at: revokedAt?.toISOString(), daily_limit: null });
  const listed = (await listApiKeys(account.actor)).data.find((key) => key.id === id);
  expect(listed).not.toHaveProperty("revoked_at");
});

test("refuses another account's id", async () => {
  const [mine, other] = await Promise.all([makeAccount(), makeAccount()]);
  await expect(revokeApiKey(mine.actor, { id: other.keyId, cascade: false })).rejects.toMatchObject({ status: 404 });
  expect((await authenticate(`Bearer ${other.plainKey}`)).id).toBe(other.keyId);
  expect((await listApiKeys(mine.actor)).data.map((key) => key.id)).toEqual([mine.keyId]);
});

test("limits of messages and addresses are no part of the record that programs create and list; people see them", async () => {
  const account = await makeAccount();
  const limits = { daily_limit: 7, monthly_limit: null, allowed_ips: ["203.0.113.7"] };
  const {
    plain_key: _,
    plain_key_notice: __,
    ...made
  } = await createApiKey(account.actor, { name: "Limited", ...limits });
  const seenBy = async (actor: AccountActor) => (await listApiKeys(actor)).data.find(({ id }) => id === made.id);
  expect(await seenBy(ownerOf(account))).toEqual({ ...made, ...limits });
  expect(await seenBy(account.actor)).toEqual(made);
  expect(made).toMatchObject({ name: "Limited", rate_limit: 600 });
  for (const field of Object.keys(limits)) expect(made).not.toHaveProperty(field);
});
