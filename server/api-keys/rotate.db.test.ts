import { expect, test } from "vitest";
import { makeAccount, personOf, type TestAccount } from "@/test/database/seed";
import { utcDay, utcMonth } from "../core/clock";
import { pool, prisma } from "../core/db";
import { countQuotas } from "../messages/accept/quotas";
import { usageOfKey } from "../overview/key-usage";
import { authenticate } from "./authenticate";
import { revokeApiKey } from "./revoke";
import { rotateApiKey } from "./rotate";
import { CreateApiKeyInput, RotateApiKeyInput } from "./schema";
import { createApiKey, listApiKeys } from "./service";

const HOUR_MS = 3_600_000;

const makeKey = (account: TestAccount, more: Partial<CreateApiKeyInput> = {}) =>
  createApiKey(personOf(account), CreateApiKeyInput.parse({ name: "Shop", ...more }));

const rotate = (account: TestAccount, id: string, graceHours?: number) =>
  rotateApiKey(personOf(account), RotateApiKeyInput.parse({ id, grace_hours: graceHours }));

const endOf = async (id: string) => (await prisma().apiKey.findUniqueOrThrow({ where: { id } })).expiresAt?.getTime();

const works = (plainKey: string) =>
  authenticate(`Bearer ${plainKey}`).then(
    () => true,
    () => false,
  );

test("a rotated key hands its name, permissions and limits to a new one, and works beside it for a day", async () => {
  const account = await makeAccount();
  const limits = { rate_limit: 20, daily_limit: 5, monthly_limit: 9, allowed_ips: ["203.0.113.0/24"] };
  const before = await makeKey(account, { ...limits, permissions: ["sms:read"] });
  const after = await rotate(account, before.id);
  const { data } = await listApiKeys(personOf(account));
  expect(data.find(({ id }) => id === after.id)).toMatchObject({
    ...limits,
    name: "Shop",
    permissions: ["sms:read"],
    expires_at: null,
    created_by: null,
  });
  expect(after.id).not.toBe(before.id);
  expect(await works(before.plain_key)).toBe(true);
  expect(await works(after.plain_key)).toBe(true);
  const end = (await endOf(before.id)) ?? 0;
  expect(Math.abs(end - Date.now() - 24 * HOUR_MS)).toBeLessThan(HOUR_MS);
});

test("without a grace period the key before is revoked at once", async () => {
  const account = await makeAccount();
  const before = await makeKey(account);
  const after = await rotate(account, before.id, 0);
  expect(await works(before.plain_key)).toBe(false);
  expect(await works(after.plain_key)).toBe(true);
});

test("a rotation whose response was lost is repeated with its Idempotency-Key, for the same person alone", async () => {
  const account = await makeAccount();
  const before = await makeKey(account);
  const input = RotateApiKeyInput.parse({ id: before.id, grace_hours: 0 });
  const asked = () => ({ idempotency: () => ({ key: "k", requestHash: "hash" }), responseHeaders: {} });
  const person = personOf(account);
  const after = await rotateApiKey(person, input, asked());
  expect(await rotateApiKey(person, input, asked())).toEqual(after);
  expect(await works(after.plain_key)).toBe(true);
  await expect(rotateApiKey({ ...person, userId: "usr_other" }, input, asked())).rejects.toMatchObject({
    wire: { details: { reason: "idempotency_key_reused" } },
  });
});

test("a grace period does not lengthen a key's life", async () => {
  const account = await makeAccount();
  const expiresAt = new Date(Date.now() + HOUR_MS).toISOString();
  const before = await makeKey(account, { expires_at: expiresAt });
  await rotate(account, before.id, 168);
  expect(await endOf(before.id)).toBe(Date.parse(expiresAt));
});

test("what was sent counts against the limits of the new key too", async () => {
  const account = await makeAccount();
  const before = await makeKey(account, { daily_limit: 5, monthly_limit: 9 });
  const usageOf = ({ id }: { id: string }) => usageOfKey(personOf(account), { id, days: 7 });
  const count = (messages: number) =>
    countQuotas(
      pool(),
      [`day:${utcDay(new Date())}`, `month:${utcMonth(new Date())}`].map((period) => ({
        keyId: before.id,
        period,
        added: messages,
      })),
    );
  await count(4);
  const after = await rotate(account, before.id);
  expect(await usageOf(after)).toMatchObject({ used_today: 4, used_this_month: 4 });
  await count(1);
  expect(await usageOf(after)).toMatchObject({ used_today: 5, used_this_month: 5 });
});

test("neither a revoked key nor another account's is rotated, and nothing is made", async () => {
  const [account, stranger] = [await makeAccount(), await makeAccount()];
  const revoked = await makeKey(account);
  await revokeApiKey(personOf(account), { id: revoked.id, cascade: false });
  const strange = await makeKey(stranger);
  const countKeys = () => prisma().apiKey.count({ where: { accountId: account.accountId } });
  const count = await countKeys();
  for (const { id } of [revoked, strange]) {
    await expect(rotate(account, id)).rejects.toMatchObject({ status: 404, wire: { param: "id" } });
  }
  expect(await countKeys()).toBe(count);
  expect(await works(strange.plain_key)).toBe(true);
});
