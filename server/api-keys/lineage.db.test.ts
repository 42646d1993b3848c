import { beforeAll, expect, test } from "vitest";
import { makeRoute } from "@/test/database/routes";
import { makeAccount, personOf, type TestAccount } from "@/test/database/seed";
import { serveRest } from "../api/rest";
import type { AccountActor } from "../core/actor";
import { prisma } from "../core/db";
import { newId } from "../core/ids";
import { usageOfKey } from "../overview/key-usage";
import { authenticate } from "./authenticate";
import { revokeApiKey } from "./revoke";
import { rotateApiKey } from "./rotate";
import { CreateApiKeyInput, RevokeApiKeyInput, RotateApiKeyInput } from "./schema";
import { createApiKey, listApiKeys } from "./service";

beforeAll(async () => {
  await makeRoute();
});

const input = (more: Partial<CreateApiKeyInput> = {}) => CreateApiKeyInput.parse({ name: "server", ...more });

const ownerOf = ({ accountId }: TestAccount): AccountActor => ({
  kind: "session",
  accountId,
  userId: newId("user"),
  isOperator: false,
});

/** The actor of a key as the edge makes it. */
async function actorOf(plainKey: string): Promise<AccountActor> {
  const key = await authenticate(`Bearer ${plainKey}`);
  const limits = { daily: key.dailyLimit, monthly: key.monthlyLimit };
  return { kind: "apiKey", accountId: key.accountId, keyId: key.id, scopes: key.permissions, limits };
}

const makeChild = async (parent: string, more: Partial<CreateApiKeyInput> = {}) =>
  createApiKey(await actorOf(parent), input(more));

/** Sends to so many numbers over the API. */
async function sendTo(plainKey: string, account: TestAccount, recipients: number) {
  const body = {
    recipients: Array.from({ length: recipients }, (_, at) => `+1415555${1_000 + at}`),
    from: account.senderId,
    body: "Hi",
  };
  const { response: answer } = await serveRest({
    method: "POST",
    path: "/messages/bulk",
    query: "",
    header: (name) => ({ authorization: `Bearer ${plainKey}`, "content-type": "application/json" })[name],
    peer: "127.0.0.1",
    readBody: async () => Buffer.from(JSON.stringify(body)),
  });
  return { status: answer.status, details: JSON.parse(answer.body).error?.details };
}

const isWorking = (plainKey: string): Promise<boolean> =>
  authenticate(`Bearer ${plainKey}`).then(
    () => true,
    () => false,
  );

test("a key knows the key that created it; one that a person made has none", async () => {
  const account = await makeAccount();
  const parent = await createApiKey(ownerOf(account), input());
  const child = await makeChild(parent.plain_key);
  expect([parent.created_by, child.created_by]).toEqual([null, parent.id]);
  const { data } = await listApiKeys(ownerOf(account));
  expect(data.map(({ id, created_by }) => [id, created_by])).toEqual([
    [child.id, parent.id],
    [parent.id, null],
    [account.keyId, null],
  ]);
});

test("a line of keys shares its limits, whichever of them sends, and also once the first is revoked", async () => {
  const account = await makeAccount();
  const parent = await createApiKey(ownerOf(account), input({ daily_limit: 5, monthly_limit: 6 }));
  const child = await makeChild(parent.plain_key);
  const sibling = await makeChild(parent.plain_key, { daily_limit: 2 });
  const grandchild = await makeChild(child.plain_key);

  expect(await sendTo(grandchild.plain_key, account, 2)).toMatchObject({ status: 201 });
  expect(await sendTo(parent.plain_key, account, 1)).toMatchObject({ status: 201 });
  expect(await sendTo(child.plain_key, account, 3)).toMatchObject({
    status: 429,
    details: { reason: "daily_limit", limit: 5, used: 3, requested: 3 },
  });
  await revokeApiKey(ownerOf(account), { id: parent.id, cascade: false });
  expect(await sendTo(sibling.plain_key, account, 2)).toMatchObject({ status: 201 });
  for (const key of [child, sibling, grandchild]) {
    expect(await sendTo(key.plain_key, account, 1)).toMatchObject({ status: 429, details: { reason: "daily_limit" } });
  }
});

test("a key, those it was rotated to and all that they created share the limits of one key", async () => {
  const account = await makeAccount();
  const first = await createApiKey(ownerOf(account), input({ daily_limit: 5, monthly_limit: 9 }));
  const child = await makeChild(first.plain_key);
  expect(await sendTo(first.plain_key, account, 1)).toMatchObject({ status: 201 });
  const second = await rotateApiKey(personOf(account), RotateApiKeyInput.parse({ id: first.id }));
  const third = await rotateApiKey(personOf(account), RotateApiKeyInput.parse({ id: second.id }));
  const youngest = await makeChild(third.plain_key);
  const all = [first, second, third, child, youngest];
  for (const key of [first, third, child, youngest]) {
    expect(await sendTo(key.plain_key, account, 1)).toMatchObject({ status: 201 });
  }
  for (const key of all) {
    expect(await sendTo(key.plain_key, account, 1)).toMatchObject({
      status: 429,
      details: { reason: "daily_limit", limit: 5, used: 5, requested: 1 },
    });
  }
  const usages = await Promise.all(
    [first, second, third].map(({ id }) => usageOfKey(personOf(account), { id, days: 30 })),
  );
  expect(usages.map((usage) => [usage.used_today, usage.used_this_month])).toEqual([
    [5, 5],
    [5, 5],
    [5, 5],
  ]);
});

test("a limit that a key gets later holds for the keys that it created before", async () => {
  const account = await makeAccount();
  const parent = await createApiKey(ownerOf(account), input());
  const child = await makeChild(parent.plain_key);
  await prisma().apiKey.update({ where: { id: parent.id }, data: { dailyLimit: 1 } });
  expect(await sendTo(child.plain_key, account, 2)).toMatchObject({
    status: 429,
    details: { reason: "daily_limit", limit: 1 },
  });
});

test("a revocation leaves the keys that the key created, unless they are to go with it", async () => {
  const account = await makeAccount();
  const owner = ownerOf(account);
  const parent = await createApiKey(owner, input());
  const child = await makeChild(parent.plain_key);
  const grandchild = await makeChild(child.plain_key);
  const other = await createApiKey(owner, input());
  const working = () => Promise.all([parent, child, grandchild, other].map((key) => isWorking(key.plain_key)));

  await revokeApiKey(owner, { id: child.id, cascade: false });
  expect(await working()).toEqual([true, false, true, true]);
  await revokeApiKey(owner, RevokeApiKeyInput.parse({ id: parent.id, cascade: "true" }));
  expect(await working()).toEqual([false, false, false, true]);
  await expect(revokeApiKey(owner, { id: parent.id, cascade: true })).rejects.toMatchObject({ status: 404 });
});

test("the keys of a revoked key can still be revoked by its id", async () => {
  const account = await makeAccount();
  const parent = await createApiKey(ownerOf(account), input());
  const child = await makeChild(parent.plain_key);
  await revokeApiKey(ownerOf(account), { id: parent.id, cascade: false });
  await revokeApiKey(ownerOf(account), { id: parent.id, cascade: true });
  expect(await isWorking(child.plain_key)).toBe(false);
});

test("no key that is being created outlives the revocation of its line", async () => {
  const account = await makeAccount();
  const parent = await createApiKey(ownerOf(account), input());
  const actor = await actorOf(parent.plain_key);
  const created = Promise.allSettled(Array.from({ length: 8 }, () => createApiKey(actor, input())));
  await revokeApiKey(ownerOf(account), { id: parent.id, cascade: true });
  for (const end of await created) {
    if (end.status === "fulfilled") expect(await isWorking(end.value.plain_key)).toBe(false);
    else expect(end.reason).toMatchObject({ status: 401 });
  }
});

test("a key revokes only keys whose permissions it has", async () => {
  const account = await makeAccount();
  const owner = ownerOf(account);
  const strong = await createApiKey(owner, input({ permissions: ["keys:write", "sms:send", "sms:read"] }));
  const weak = await createApiKey(owner, input({ permissions: ["keys:write", "sms:read"] }));
  const weaker = await makeChild(weak.plain_key, { permissions: ["sms:read"] });
  // Its owner gave the child more since.
  await prisma().apiKey.update({ where: { id: weaker.id }, data: { permissions: ["sms:read", "sms:send"] } });
  const actor = await actorOf(weak.plain_key);
  for (const target of [
    { id: strong.id, cascade: false },
    { id: weak.id, cascade: true },
  ]) {
    await expect(revokeApiKey(actor, target)).rejects.toMatchObject({
      status: 403,
      wire: { param: "id", details: { reason: "scope_not_held", missing: ["sms:send"] } },
    });
  }
  expect(await Promise.all([strong, weak, weaker].map((key) => isWorking(key.plain_key)))).toEqual([true, true, true]);
  await revokeApiKey(actor, { id: weak.id, cascade: false });
  expect(await isWorking(weak.plain_key)).toBe(false);
});

test("keys make keys over ten generations", async () => {
  const account = await makeAccount();
  let key = await createApiKey(ownerOf(account), input());
  for (let generation = 2; generation <= 10; generation += 1) key = await makeChild(key.plain_key);
  await expect(makeChild(key.plain_key)).rejects.toMatchObject({
    status: 400,
    wire: { details: { reason: "key_generations" } },
  });
});
