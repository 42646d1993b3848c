import { expect, test } from "vitest";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { createApiKey, listApiKeys } from "../api-keys/service";
import { listAllAudit, listAudit } from "../audit/service";
import { startSession } from "../auth/sessions/sessions";
import { inTestMode, type SessionActor } from "../core/actor";
import { pool, prisma } from "../core/db";
import { liveAccountOf, newId, testAccountOf } from "../core/ids";
import { creditAccount, limitAccount, listAccounts, listReviews, setAccountStatus } from "../operator/service";
import { listSuppressions as listAllSuppressions } from "../operator/suppressions";
import { createSender, listSenders } from "../senders/service";
import { createSuppression, listSuppressions } from "../suppressions/service";
import { getAccount, getBalance } from "./service";
import { checkLedger } from "./tasks";
import { ensureTestAccount } from "./test-mode";

const PAGE = { page: 1, limit: 100 };
const OPERATOR = { kind: "system", name: "admin" } as const;

/** A person who is signed in to the account. */
async function ownerOf({ accountId }: TestAccount): Promise<SessionActor> {
  const userId = newId("user");
  await pool().query(
    "INSERT INTO users (id, account_id, email, name, password_hash) VALUES ($1, $2, $1 || '@example.com', 'Ann', '')",
    [userId, accountId],
  );
  const sessionId = await startSession(userId, { address: "", userAgent: "" });
  return { kind: "session", accountId, userId, isOperator: false, sessionId, isConfirmed: true };
}

/** An account with its test mode, whose people act there as `tester`. */
async function withTestMode() {
  const live = await makeAccount();
  const testId = await ensureTestAccount(live.accountId);
  const owner = await ownerOf(live);
  return { live, testId, owner, tester: inTestMode(owner) };
}

const statusOf = async (id: string) => (await prisma().account.findUniqueOrThrow({ where: { id } })).status;

test("an account has one twin, however many ask for it at once, and its books are exact", async () => {
  const { accountId } = await makeAccount();
  const ids = await Promise.all(Array.from({ length: 8 }, () => ensureTestAccount(accountId)));
  expect(new Set(ids)).toEqual(new Set([testAccountOf(accountId)]));
  expect(liveAccountOf(ids[0] ?? "")).toBe(accountId);
  expect(await prisma().account.count({ where: { testOf: accountId } })).toBe(1);
  expect(await prisma().ledgerEntry.count({ where: { accountId: ids[0] } })).toBe(1);
  expect((await checkLedger()).drifted).toEqual([]);
});

test("an account that does not exist has no test mode", async () => {
  await expect(ensureTestAccount(newId("account"))).rejects.toMatchObject({ status: 404 });
});

test("the database refuses a twin whose id is not that of its account, and an account with the id of a twin", async () => {
  const { accountId } = await makeAccount();
  const insert = (id: string, testOf: string | null) =>
    pool().query("INSERT INTO accounts (id, test_of, email, name) VALUES ($1, $2, '', '')", [id, testOf]);
  await expect(insert(newId("account"), accountId)).rejects.toThrow("accounts_test_of_id_check");
  await expect(insert(testAccountOf(newId("account")), null)).rejects.toThrow("accounts_test_of_id_check");
});

test("in test mode an account sees itself, with play money", async () => {
  const { live, owner, tester } = await withTestMode();
  const [account, inTest] = [await getAccount(owner), await getAccount(tester)];
  expect(account).toMatchObject({ id: live.accountId, livemode: true });
  expect(inTest).toEqual({ ...account, livemode: false, balance: 1_000 });
  expect(await getBalance(tester)).toMatchObject({ livemode: false, balance: 1_000 });
});

test("a person makes test keys in test mode, and a key makes only keys of its own mode", async () => {
  const { live, testId, owner, tester } = await withTestMode();
  const made = await createApiKey(tester, { name: "Test" });
  expect(made).toMatchObject({ livemode: false, plain_key: expect.stringMatching(/^ds_test_/) });
  expect(made.key_hint).toMatch(/^ds_test_.{4}…/);
  const ofKey = { ...live.actor, accountId: testId, keyId: made.id } as TestAccount["actor"];
  expect(await createApiKey(ofKey, { name: "Child" })).toMatchObject({ livemode: false, created_by: made.id });
  expect(await createApiKey(live.actor, { name: "Live" })).toMatchObject({ livemode: true });
  expect((await listApiKeys(owner)).data.map(({ name }) => name)).toEqual(["Live", "test"]);
  expect((await listApiKeys(tester)).data.map(({ name }) => name)).toEqual(["Child", "Test"]);
});

test("senders of test mode are approved at once, and one is there to begin with", async () => {
  const { owner, tester } = await withTestMode();
  expect(await createSender(tester, { sender_id: "Shop" })).toMatchObject({
    status: "approved",
    livemode: false,
    approved_at: expect.any(String),
  });
  expect((await listSenders(tester, PAGE)).items.map((sender) => sender.sender_id)).toEqual(["Shop", "TEST"]);
  expect((await listSenders(owner, PAGE)).items).toHaveLength(1);
});

test("suppressions of one mode are none of the other", async () => {
  const { owner, tester } = await withTestMode();
  const plain = { idempotency: () => null, responseHeaders: {} };
  await createSuppression(tester, { number: "+14155550123" }, plain);
  expect((await listSuppressions(tester, PAGE)).pagination.total).toBe(1);
  expect((await listSuppressions(owner, PAGE)).pagination.total).toBe(0);
});

test("what is changed in test mode stands in the account's audit log, marked as such", async () => {
  const { live, owner, tester } = await withTestMode();
  // Operators are people of their own account, also in its test mode.
  await createApiKey({ ...tester, isOperator: true }, { name: "Operator's" });
  await createApiKey(tester, { name: "Test" });
  await createApiKey(owner, { name: "Live" });
  const { items } = await listAudit(owner, PAGE);
  expect(
    items.map(({ account_id, livemode, after, actor }) => [account_id, livemode, after?.name, actor.kind]),
  ).toEqual([
    [live.accountId, true, "Live", "user"],
    [live.accountId, false, "Test", "user"],
    [live.accountId, false, "Operator's", "user"],
  ]);
  const all = await listAllAudit(OPERATOR, { ...PAGE, search: live.accountId });
  expect(all.items.map(({ livemode }) => livemode)).toEqual([true, false, false]);
});

test("a suspension suspends the test mode too, and so does one before its first use", async () => {
  const { live, testId, tester } = await withTestMode();
  const set = (accountId: string, status: "active" | "suspended") =>
    setAccountStatus(OPERATOR, { account_id: accountId, status });
  await set(live.accountId, "suspended");
  expect(await statusOf(testId)).toBe("suspended");
  await expect(createApiKey(tester, { name: "Test" })).rejects.toMatchObject({
    wire: { details: { reason: "account_not_active" } },
  });
  await set(live.accountId, "active");
  expect(await statusOf(testId)).toBe("active");

  const early = await makeAccount();
  await set(early.accountId, "suspended");
  expect(await statusOf(await ensureTestAccount(early.accountId))).toBe("suspended");
});

test("whichever comes first, a suspension or the first use of test mode, both are suspended", async () => {
  for (let round = 0; round < 10; round += 1) {
    const { accountId } = await makeAccount();
    const [, testId] = await Promise.all([
      setAccountStatus(OPERATOR, { account_id: accountId, status: "suspended" }),
      ensureTestAccount(accountId),
    ]);
    expect(await statusOf(testId)).toBe("suspended");
  }
});

test("operators see no test mode: not among accounts, senders and suppressions, and can give it no money", async () => {
  const { live, testId, tester } = await withTestMode();
  const before = (await listAllSuppressions(OPERATOR, PAGE)).pagination.total;
  const plain = { idempotency: () => null, responseHeaders: {} };
  await createSuppression(tester, { number: "+14155550188" }, plain);
  const own = (await listAccounts(OPERATOR, { ...PAGE, search: live.accountId.slice(4) })).items;
  expect(own.map(({ id }) => id)).toEqual([live.accountId]);
  expect((await listAccounts(OPERATOR, PAGE)).items.every((account) => account.livemode)).toBe(true);
  const reviewed = (await listReviews(OPERATOR, PAGE)).items;
  expect(reviewed.length).toBeGreaterThan(0);
  expect(reviewed.every((sender) => sender.livemode)).toBe(true);
  expect((await listAllSuppressions(OPERATOR, PAGE)).pagination.total).toBe(before);
  expect((await listAllSuppressions(OPERATOR, { ...PAGE, number: "14155550188" })).items).toEqual([]);
  await expect(creditAccount(OPERATOR, { account_id: testId, amount: 1 })).rejects.toMatchObject({ status: 404 });
  const limits = { allowed_countries: [], flood_identical: null, flood_total: null, daily_spend_cap: null };
  await expect(limitAccount(OPERATOR, { account_id: testId, ...limits })).rejects.toMatchObject({ status: 404 });
});
