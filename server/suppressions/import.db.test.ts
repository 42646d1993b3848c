import { expect, test } from "vitest";
import { callAs } from "@/test/call-procedure";
import { makeAccount, personOf } from "@/test/database/seed";
import { pool, transaction } from "../core/db";
import { createSuppression, importSuppressions, listSuppressions } from "./service";
import { insertImported } from "./store";

const PAGE = { page: 1, limit: 50 };
const numbersFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, at) => `+1415${String(first + at).padStart(7, "0")}`);

/** The length of the account's list as it is shown, and as it is. */
async function lengthsOf({ accountId, actor }: Awaited<ReturnType<typeof makeAccount>>) {
  const { pagination } = await listSuppressions(actor, PAGE);
  const { rows } = await pool().query<{ count: number }>(
    "SELECT count(*)::int4 AS count FROM suppressions WHERE account_id = $1",
    [accountId],
  );
  return { shown: pagination.total, stored: rows[0]?.count };
}

const auditOf = async (accountId: string) => {
  const { rows } = await pool().query<{ after: unknown }>(
    "SELECT after FROM audit_entries WHERE account_id = $1 AND action = 'suppression.imported' ORDER BY id",
    [accountId],
  );
  return rows.map(({ after }) => after);
};

test("a list is imported once: a repeat changes nothing, and known numbers keep their note", async () => {
  const account = await makeAccount();
  const [known = "", ...others] = numbersFrom(1_000, 5);
  await createSuppression(account.actor, { number: known, note: "by mail" });
  const numbers = [known, ...others, others[0] ?? "", "nobody", "00 1 415 0001000"];
  const input = { numbers, note: "from the old system" };
  expect(await importSuppressions(account.actor, input)).toEqual({
    object: "suppression_import",
    added: 4,
    existing: 1,
    duplicates: 2,
    refused: 1,
    refusals: [{ line: 7, number: "nobody", reason: "invalid_recipient" }],
  });
  expect(await importSuppressions(account.actor, input)).toMatchObject({ added: 0, existing: 5, duplicates: 2 });
  expect(await lengthsOf(account)).toEqual({ shown: 5, stored: 5 });
  const { items } = await listSuppressions(account.actor, PAGE);
  expect(items.map(({ note }) => note)).toEqual([...Array(4).fill("from the old system"), "by mail"]);
  expect(items.every(({ reason, sender_id }) => reason === "manual" && sender_id === null)).toBe(true);
  expect(await auditOf(account.accountId)).toEqual([
    { sender_id: null, added: 4, existing: 1 },
    { sender_id: null, added: 0, existing: 5 },
  ]);
});

test("imports of overlapping lists in several processes wait for each other, and count every number once", async () => {
  const account = await makeAccount();
  const parts = [numbersFrom(0, 10_000), numbersFrom(5_000, 10_000).reverse(), numbersFrom(0, 10_000).reverse()];
  // Past the queue of one process.
  const to = { accountId: account.accountId, senderId: "", note: null, at: new Date() };
  const added = await Promise.all(parts.map((numbers) => transaction((tx) => insertImported(tx, to, numbers))));
  expect(added.reduce((sum, count) => sum + count, 0)).toBe(15_000);
  expect(await lengthsOf(account)).toEqual({ shown: 15_000, stored: 15_000 });
});

test("a list for one sender is apart from that for all senders, and an unknown sender stores nothing", async () => {
  const [mine, other] = await Promise.all([makeAccount(), makeAccount()]);
  const numbers = numbersFrom(2_000, 3);
  await importSuppressions(mine.actor, { numbers });
  expect(await importSuppressions(mine.actor, { numbers, sender_id: mine.senderId })).toMatchObject({ added: 3 });
  const ofSender = await listSuppressions(mine.actor, { ...PAGE, sender_id: mine.senderId });
  expect([ofSender.items.length, ofSender.pagination.total]).toEqual([3, 3]);
  await expect(importSuppressions(mine.actor, { numbers, sender_id: other.senderId })).rejects.toMatchObject({
    status: 400,
    wire: { param: "sender_id", details: { reason: "unknown_sender" } },
  });
  expect(await lengthsOf(mine)).toEqual({ shown: 6, stored: 6 });
  expect(await auditOf(mine.accountId)).toHaveLength(2);
});

test("another account's suppressions of the same numbers are neither counted nor touched", async () => {
  const [mine, other] = await Promise.all([makeAccount(), makeAccount()]);
  const numbers = numbersFrom(3_000, 3);
  await importSuppressions(other.actor, { numbers, note: "theirs" });
  expect(await importSuppressions(mine.actor, { numbers })).toMatchObject({ added: 3, existing: 0 });
  const { items } = await listSuppressions(other.actor, PAGE);
  expect(items.map(({ note }) => note)).toEqual(["theirs", "theirs", "theirs"]);
  expect(await auditOf(other.accountId)).toHaveLength(1);
});

test("a list of nothing but invalid numbers stores and records nothing", async () => {
  const account = await makeAccount();
  expect(await importSuppressions(account.actor, { numbers: ["", "0"] })).toMatchObject({ added: 0, refused: 2 });
  expect(await lengthsOf(account)).toEqual({ shown: 0, stored: 0 });
  expect(await auditOf(account.accountId)).toEqual([]);
});

test("more than ten thousand numbers, or none, are refused before any of them is read", async () => {
  const person = personOf(await makeAccount());
  for (const numbers of [[], Array<string>(10_001).fill("x")]) {
    await expect(callAs(person, "suppressions.import", { numbers })).rejects.toMatchObject({ code: "BAD_REQUEST" });
  }
});

test("an account makes sixty imports a minute", async () => {
  const account = await makeAccount();
  const outcomes = await Promise.allSettled(
    Array.from({ length: 130 }, () => importSuppressions(account.actor, { numbers: ["x"] })),
  );
  // Two minutes of the clock at most: their calls cannot be more than twice the limit.
  const limited = outcomes.filter(
    (each) => each.status === "rejected" && each.reason.wire.details.reason === "import_limit",
  );
  expect(limited.length).toBeGreaterThanOrEqual(10);
});
