import { expect, test } from "vitest";
import { createAccountWithOwner } from "@/server/accounts/service";
import { checkLedger } from "@/server/accounts/tasks";
import { revokeApiKey } from "@/server/api-keys/revoke";
import { hashKey } from "@/server/api-keys/secret";
import { isPassword } from "@/server/auth/credentials/password-hash";
import { pool, prisma, transaction } from "@/server/core/db";
import { newId } from "@/server/core/ids";
import { switchAccount } from "@/server/members/sessions";
import { hashOf } from "@/test/database/passwords";
import { seedOnce } from "./seed";

const owner = () => prisma().user.findUniqueOrThrow({ where: { email: "demo@example.com" } });
const keyOf = (apiKey: string) => prisma().apiKey.findUniqueOrThrow({ where: { keyHash: hashKey(apiKey) } });

test("the first start makes an operator's account that can send, and later ones leave it alone", async () => {
  const seeded = await seedOnce(null);
  const { accountId, isOperator, passwordHash } = await owner();
  expect(isOperator).toBe(true);
  expect(await isPassword(passwordHash, seeded.password)).toBe(true);
  expect(await prisma().account.findUnique({ where: { id: accountId } })).toMatchObject({
    balanceMicros: 1_000_000_000n,
    reservedMicros: 0n,
  });
  expect((await checkLedger()).drifted).toEqual([]);
  const [sender, ...more] = await prisma().sender.findMany({ where: { accountId } });
  expect(more).toEqual([]);
  expect(sender).toMatchObject({ senderId: "DEMO", status: "approved", approvedAt: sender?.createdAt });
  const key = await keyOf(seeded.apiKey);
  expect(key).toMatchObject({ accountId, rateLimit: 6_000 });
  expect(key.permissions).toHaveLength(8);
  expect(await prisma().route.findMany()).toMatchObject([{ prefix: "", chain: ["sandbox"], priceMicros: 10_000n }]);

  expect(await seedOnce(seeded)).toEqual(seeded);
  expect(await prisma().apiKey.count({ where: { accountId } })).toBe(1);
  expect(await prisma().route.count()).toBe(1);
});

test("a start that does not know the password gives out a new one, and never the money again", async () => {
  const known = await seedOnce(null);
  const again = await seedOnce(null);
  expect(again.password).not.toBe(known.password);
  const { accountId, passwordHash } = await owner();
  expect(await isPassword(passwordHash, again.password)).toBe(true);
  expect(await isPassword(passwordHash, known.password)).toBe(false);
  expect(await prisma().ledgerEntry.count({ where: { accountId } })).toBe(1);
  expect(await prisma().sender.count({ where: { accountId } })).toBe(1);
});

test("a revoked key is replaced at the next start", async () => {
  const known = await seedOnce(null);
  const { accountId, id: userId } = await owner();
  const { id } = await keyOf(known.apiKey);
  await revokeApiKey({ kind: "session", accountId, userId, isOperator: true }, { id, cascade: false });
  const again = await seedOnce(known);
  expect(again.apiKey).not.toBe(known.apiKey);
  expect((await keyOf(again.apiKey)).revokedAt).toBeNull();
});

/** Somebody's account that the demo's person is a viewer of, and opened last. */
async function openAnother(userId: string): Promise<string> {
  const email = `${newId("user")}@seed.example`;
  const passwordHash = await hashOf("correct horse battery");
  const other = await createAccountWithOwner({ email, passwordHash, name: "Bob", companyName: "" });
  await prisma().member.create({ data: { accountId: other.accountId, userId, role: "viewer" } });
  await switchAccount({ kind: "session", accountId: "", userId, isOperator: true }, { account_id: other.accountId });
  return other.accountId;
}

test("the person of the demo keeps its account, key and password when they have opened another account", async () => {
  const known = await seedOnce(null);
  const { accountId, id: userId } = await owner();
  const other = await openAnother(userId);
  expect(await seedOnce(known)).toEqual(known);
  const again = await seedOnce(null);
  expect((await keyOf(again.apiKey)).accountId).toBe(accountId);
  expect(await prisma().sender.count({ where: { accountId: other } })).toBe(0);
  await prisma().user.update({ where: { id: userId }, data: { accountId } });
});

test("a person of the demo who owns no account any more gets one, and no key of somebody else's", async () => {
  const known = await seedOnce(null);
  const { accountId: left, id: userId } = await owner();
  const other = await openAnother(userId);
  await prisma().member.delete({ where: { accountId_userId: { accountId: left, userId } } });
  await prisma().apiKey.updateMany({ where: { accountId: left }, data: { revokedAt: new Date() } });
  const again = await seedOnce(known);
  const { accountId } = await keyOf(again.apiKey);
  expect([left, other]).not.toContain(accountId);
  expect((await owner()).accountId).toBe(accountId);
  expect(await prisma().account.findUnique({ where: { id: accountId } })).toMatchObject({
    balanceMicros: 1_000_000_000n,
  });
  expect((await checkLedger()).drifted).toEqual([]);
});

test("starts that seed at the same time make one account and one route", async () => {
  await Promise.all([seedOnce(null), seedOnce(null), seedOnce(null)]);
  expect(await prisma().user.count({ where: { email: "demo@example.com" } })).toBe(1);
  expect(await prisma().route.count()).toBe(1);
});

test("a start that is held up for seconds seeds all the same", async () => {
  let seeding: Promise<unknown> = Promise.resolve();
  await transaction(async (tx) => {
    await tx.query("SET LOCAL idle_in_transaction_session_timeout = 0");
    await tx.query("LOCK TABLE users IN ACCESS EXCLUSIVE MODE");
    seeding = seedOnce(null);
    // Longer than any other transaction may be idle.
    await expect
      .poll(async () => {
        const { rowCount } = await pool().query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'
           AND query LIKE 'INSERT INTO routes%' AND now() - state_change > interval '2.5 s'`,
        );
        return rowCount;
      })
      .toBe(1);
  });
  await seeding;
});
