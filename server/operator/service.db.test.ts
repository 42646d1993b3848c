import { expect, test } from "vitest";
import { makeAccount, newOperator, personOf } from "@/test/database/seed";
import { checkLedger } from "../accounts/tasks";
import { pool, prisma } from "../core/db";
import { newId } from "../core/ids";
import { approvedSender } from "../senders/approval";
import { createSender } from "../senders/service";
import { LimitAccountInput } from "./schema";
import {
  creditAccount,
  decideSender,
  limitAccount,
  listAccounts,
  listReviews,
  setAccountStatus,
  throttleSender,
} from "./service";
import { listSuppressions } from "./suppressions";

const operator = newOperator();
const page = { page: 1, limit: 50 };
const NO_LIMITS = { allowed_countries: [], flood_identical: null, flood_total: null, daily_spend_cap: null };

test("non-operators are refused everything, with a session and with a key", async () => {
  const { actor, accountId } = await makeAccount();
  const session = personOf({ accountId });
  const refused = { status: 403, wire: { details: { reason: "not_an_operator" } } };
  for (const nonOperator of [actor, session]) {
    await expect(listReviews(nonOperator, page)).rejects.toMatchObject(refused);
    await expect(listAccounts(nonOperator, page)).rejects.toMatchObject(refused);
    await expect(decideSender(nonOperator, { id: "x", decision: "approved" })).rejects.toMatchObject(refused);
    await expect(creditAccount(nonOperator, { account_id: accountId, amount: 1 })).rejects.toMatchObject(refused);
    await expect(limitAccount(nonOperator, { account_id: accountId, ...NO_LIMITS })).rejects.toMatchObject(refused);
    await expect(listSuppressions(nonOperator, page)).rejects.toMatchObject(refused);
    await expect(throttleSender(nonOperator, { id: "x", max_segments_per_second: 1 })).rejects.toMatchObject(refused);
    await expect(setAccountStatus(nonOperator, { account_id: accountId, status: "suspended" })).rejects.toMatchObject(
      refused,
    );
  }
  expect(await prisma().ledgerEntry.count({ where: { accountId } })).toBe(1);
});

test("a sender makes only allowed moves, and the response names its account", async () => {
  const { actor, accountId } = await makeAccount();
  const { id } = await createSender(actor, { sender_id: "Acme" });
  const decide = (decision: "approved" | "rejected" | "suspended") => decideSender(operator, { id, decision });
  const refused = { status: 400, wire: { param: "decision" } };

  await expect(decide("suspended")).rejects.toMatchObject(refused);
  expect(await decide("rejected")).toMatchObject({ status: "rejected", approved_at: null, account_id: accountId });
  await expect(decide("rejected")).rejects.toMatchObject(refused);
  expect(await decide("approved")).toMatchObject({ status: "approved", approved_at: expect.any(String) });
  expect(await approvedSender(accountId, "Acme")).toBe("Acme");
  await expect(decide("approved")).rejects.toMatchObject(refused);
  await expect(decide("rejected")).rejects.toMatchObject(refused);
  expect(await decide("suspended")).toMatchObject({ status: "suspended", account_name: "Test" });
  expect(await approvedSender(accountId, "Acme")).toBeNull();
  expect((await decide("approved")).status).toBe("approved");
  await expect(decideSender(operator, { id: newId("sender"), decision: "approved" })).rejects.toMatchObject({
    status: 404,
  });
});

test("of two concurrent decisions one is refused because the sender's status has changed", async () => {
  const { actor } = await makeAccount();
  const { id } = await createSender(actor, { sender_id: "Acme" });
  const results = await Promise.allSettled([
    decideSender(operator, { id, decision: "rejected", note: "no papers" }),
    decideSender(operator, { id, decision: "rejected" }),
  ]);
  expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  const reasons = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  expect(reasons).toMatchObject([{ status: 400, wire: { details: { reason: "sender_move_not_allowed" } } }]);
});

test("reviews list the senders of all accounts, newest first", async () => {
  const [one, two] = await Promise.all([makeAccount(), makeAccount()]);
  const older = await createSender(one.actor, { sender_id: "Older" });
  const newer = await createSender(two.actor, { sender_id: "Newer" });
  const { items } = await listReviews(operator, { page: 1, limit: 2, status: "pending" });
  expect(items.map((sender) => sender.id)).toEqual([newer.id, older.id]);
  expect(items.map((sender) => sender.account_id)).toEqual([two.accountId, one.accountId]);
});

test("senders show the company of their account, and are found by it", async () => {
  const { actor, accountId } = await makeAccount();
  const companyName = `Northwind ${accountId.slice(-12)}`;
  await prisma().account.update({ where: { id: accountId }, data: { name: "Ada Bell", companyName } });
  await createSender(actor, { sender_id: "NORTHWIND" });
  const { items } = await listReviews(operator, { ...page, search: companyName });
  expect(items[0]).toMatchObject({ sender_id: "NORTHWIND", account_name: companyName });
});

test("senders are found by part of their sender ID or their account's name", async () => {
  const { actor, accountId } = await makeAccount();
  const word = accountId.slice(-12);
  await prisma().account.update({ where: { id: accountId }, data: { name: `Bakery ${word}` } });
  const { id } = await createSender(actor, { sender_id: "Bread_Roll" });
  const found = async (search: string) =>
    (await listReviews(operator, { ...page, status: "pending", search })).items.map((sender) => sender.id);
  expect(await found(`BAKERY ${word}`)).toEqual([id]);
  expect(await found("bread_r")).toEqual([id]);
  expect(await found("bread%")).toEqual([]);
});

test("accounts are found by part of name, email or id, in any case, and wildcards match literally", async () => {
  const { accountId } = await makeAccount();
  const word = accountId.slice(-12);
  await prisma().account.update({ where: { id: accountId }, data: { name: `100%_${word}` } });
  const found = async (search?: string) =>
    (await listAccounts(operator, { ...page, search })).items.map((account) => account.id);
  expect(await found(word.toUpperCase())).toEqual([accountId]);
  expect(await found(`${accountId.toUpperCase()}@EXAMPLE`)).toEqual([accountId]);
  expect(await found(`100%_${word}`)).toEqual([accountId]);
  expect(await found(`1_0%_${word}`)).toEqual([]);
  expect(await found("\\")).toEqual([]);
  expect(await found()).toContain(accountId);
  expect(await found("  ")).toContain(accountId);
});

test("credits and corrections are in the ledger, and balances still match it", async () => {
  const { accountId } = await makeAccount({ balanceMicros: 1_000_000n });
  const credited = await creditAccount(operator, { account_id: accountId, amount: 0.1, note: "invoice 7" });
  expect(credited).toMatchObject({ id: accountId, balance: 1.1, held: 0 });
  expect((await creditAccount(operator, { account_id: accountId, amount: -1.1 })).balance).toBe(0);
  await expect(creditAccount(operator, { account_id: accountId, amount: -0.000001 })).rejects.toMatchObject({
    status: 400,
    wire: { param: "amount", details: { balance: 0 } },
  });
  await expect(creditAccount(operator, { account_id: accountId, amount: 0 })).rejects.toMatchObject({
    status: 400,
    wire: { param: "amount" },
  });
  await expect(creditAccount(operator, { account_id: newId("account"), amount: 1 })).rejects.toMatchObject({
    status: 404,
  });
  const { rows } = await pool().query(
    "SELECT kind, amount_micros, note FROM ledger_entries WHERE account_id = $1 ORDER BY id OFFSET 1",
    [accountId],
  );
  expect(rows).toEqual([
    { kind: "credit", amount_micros: 100_000n, note: "invoice 7" },
    { kind: "credit", amount_micros: -1_100_000n, note: null },
  ]);
  expect((await checkLedger()).drifted).toEqual([]);
});

test("a credit is booked once with an Idempotency-Key, which belongs to no other credit", async () => {
  const { accountId, actor } = await makeAccount({ balanceMicros: 1_000_000n });
  const asked = (requestHash = "hash") => ({ idempotency: () => ({ key: "k", requestHash }), responseHeaders: {} });
  const input = { account_id: accountId, amount: 7 };
  const answers = await Promise.all([1, 2, 3].map(() => creditAccount(operator, input, asked())));
  expect(answers.map(({ balance }) => balance)).toEqual([8, 8, 8]);
  const reused = { status: 400, wire: { details: { reason: "idempotency_key_reused" } } };
  await expect(creditAccount(operator, { ...input, amount: 8 }, asked("other"))).rejects.toMatchObject(reused);
  await expect(createSender(actor, { sender_id: "Acme" }, asked("a sender"))).rejects.toMatchObject(reused);
  expect(await prisma().ledgerEntry.count({ where: { accountId } })).toBe(2);
  expect(await prisma().auditEntry.count({ where: { accountId, action: "account.credited" } })).toBe(1);
});

test("a suspended account can be credited", async () => {
  const { accountId } = await makeAccount({ balanceMicros: 0n });
  await setAccountStatus(operator, { account_id: accountId, status: "suspended" });
  expect((await creditAccount(operator, { account_id: accountId, amount: 1 })).balance).toBe(1);
});

test("concurrent corrections never make the balance negative", async () => {
  const { accountId } = await makeAccount({ balanceMicros: 5_000_000n });
  const results = await Promise.allSettled(
    Array.from({ length: 12 }, () => creditAccount(operator, { account_id: accountId, amount: -1 })),
  );
  expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(5);
  for (const result of results) {
    if (result.status === "rejected") expect(result.reason).toMatchObject({ status: 400, wire: { param: "amount" } });
  }
  expect((await prisma().account.findUniqueOrThrow({ where: { id: accountId } })).balanceMicros).toBe(0n);
});

test("an account is suspended and reactivated, and its money is unchanged", async () => {
  const { accountId } = await makeAccount({ balanceMicros: 3_000_000n });
  const set = (status: "active" | "suspended", id = accountId) =>
    setAccountStatus(operator, { account_id: id, status });
  expect(await set("suspended")).toMatchObject({ id: accountId, status: "suspended", balance: 3 });
  expect((await set("suspended")).status).toBe("suspended");
  expect((await set("active")).status).toBe("active");
  await expect(set("active", newId("account"))).rejects.toMatchObject({ status: 404 });
});

test("limits are stored as entered, and all of them are replaced", async () => {
  const { accountId } = await makeAccount();
  const limits = { allowed_countries: ["de", "AT", "DE"], flood_identical: 0, flood_total: 20, daily_spend_cap: 12.5 };
  const saved = await limitAccount(operator, LimitAccountInput.parse({ account_id: accountId, ...limits }));
  expect(saved).toMatchObject({ ...limits, allowed_countries: ["AT", "DE"] });
  expect((await prisma().account.findUniqueOrThrow({ where: { id: accountId } })).dailySpendCapMicros).toBe(
    12_500_000n,
  );
  expect(await limitAccount(operator, { account_id: accountId, ...NO_LIMITS })).toMatchObject(NO_LIMITS);
  await expect(limitAccount(operator, { account_id: newId("account"), ...NO_LIMITS })).rejects.toMatchObject({
    status: 404,
  });
});

test("invalid limits are refused", () => {
  for (const wrong of [
    { allowed_countries: ["XX"] },
    { allowed_countries: ["DEU"] },
    { flood_identical: -1 },
    { flood_total: 1.5 },
    { daily_spend_cap: -1 },
  ]) {
    expect(LimitAccountInput.safeParse({ account_id: "x", ...NO_LIMITS, ...wrong }).success).toBe(false);
  }
});

test("a sender's throughput limit can be set and removed", async () => {
  const { actor } = await makeAccount();
  const { id } = await createSender(actor, { sender_id: "Paced" });
  expect(await throttleSender(operator, { id, max_segments_per_second: 0.5 })).toMatchObject({
    max_segments_per_second: 0.5,
  });
  expect((await listReviews(operator, { page: 1, limit: 1 })).items[0]).toMatchObject({ max_segments_per_second: 0.5 });
  expect((await throttleSender(operator, { id, max_segments_per_second: null })).max_segments_per_second).toBeNull();
  await expect(throttleSender(operator, { id: newId("sender"), max_segments_per_second: 1 })).rejects.toMatchObject({
    status: 404,
  });
});

test("first digits are looked up in an index, whatever the database's collation", async () => {
  const { rows } = await pool().query<{ definition: string }>(
    "SELECT indexdef AS definition FROM pg_indexes WHERE tablename = 'suppressions'",
  );
  expect(rows.map((row) => row.definition)).toContainEqual(expect.stringContaining("(number text_pattern_ops)"));
});

test("suppressions of every account are found by the first digits of a number", async () => {
  const [one, two] = await Promise.all([makeAccount(), makeAccount()]);
  await prisma().account.update({ where: { id: one.accountId }, data: { companyName: "Northwind" } });
  const entry = (accountId: string, number: string, senderId = "") => ({
    id: newId("suppression"),
    accountId,
    number,
    senderId,
    reason: "stop",
  });
  await prisma().suppression.createMany({
    data: [
      entry(one.accountId, "+4915112345678"),
      entry(two.accountId, "+4915112345678", "Acme"),
      entry(two.accountId, "+14155550123"),
    ],
  });
  const found = async (number?: string) => (await listSuppressions(operator, { ...page, number })).items;
  expect(await found("+49 151-1234 5678")).toMatchObject([
    { account_id: two.accountId, account_name: "Test", sender_id: "Acme", reason: "stop" },
    { account_id: one.accountId, account_name: "Northwind", sender_id: null, number: "+4915112345678" },
  ]);
  expect(await found("1415555")).toHaveLength(1);
  expect(await found("+1")).toMatchObject([{ number: "+14155550123" }]);
  expect(await found("415555")).toEqual([]);
  expect(await found()).toHaveLength(3);
  expect(await found("%")).toEqual([]);
  const { pagination } = await listSuppressions(operator, { page: 1_000, limit: 100, number: "49" });
  expect(pagination).toEqual({ page: 1_000, limit: 100, total: 2, pages: 1, has_more: false });
});
