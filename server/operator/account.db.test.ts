import { expect, test } from "vitest";
import { makeAccount, newOperator, personOf } from "@/test/database/seed";
import { pool } from "../core/db";
import { newId, testAccountOf } from "../core/ids";
import { fromMicros } from "../core/wire";
import { getOperatedAccount, listLedger, listOperatedMessages } from "./account";
import { creditAccount } from "./service";

const operator = { ...newOperator(), isConfirmed: true };
const PAGE = { page: 1, limit: 10 };
const BODY = "Your code is 482 913";

async function storeMessage(accountId: string): Promise<string> {
  const id = newId("message");
  await pool().query(
    `INSERT INTO messages (id, account_id, to_number, from_sender, body, encoding, segments, status, cost_micros, currency,
       chain, reference, created_at)
     VALUES ($1, $2, '+14155550123', 'DEMO', $3, 'GSM-7', 1, 'sent', 10000, 'USD', '{sandbox}', 'order-1', now())`,
    [id, accountId, BODY],
  );
  await pool().query("INSERT INTO usage_days (account_id, day, messages, sent) VALUES ($1, now()::date, 1, 1)", [
    accountId,
  ]);
  return id;
}

test("an operator reads an account with its money, keys and usage, and nobody else does", async () => {
  const { accountId, keyId } = await makeAccount({ balanceMicros: 2_500_000n });
  await storeMessage(accountId);
  const account = await getOperatedAccount(operator, { account_id: accountId });
  expect(account).toMatchObject({
    id: accountId,
    balance: 2.5,
    held: 0,
    members: [],
    owner_invitation: null,
    keys: [{ id: keyId }],
  });
  expect(account.days).toHaveLength(30);
  expect(account.days.reduce((sum, { messages }) => sum + messages, 0)).toBe(1);

  const owner = personOf({ accountId });
  const at = { account_id: accountId };
  for (const read of [
    getOperatedAccount(owner, at),
    listLedger(owner, { ...at, limit: 10 }),
    listOperatedMessages(owner, { ...at, ...PAGE }),
  ]) {
    await expect(read).rejects.toMatchObject({ status: 403 });
  }
});

test("operators see nothing of an account's test mode, nor of an account that does not exist", async () => {
  const { accountId } = await makeAccount();
  for (const account_id of [testAccountOf(accountId), newId("account")]) {
    for (const read of [
      getOperatedAccount(operator, { account_id }),
      listLedger(operator, { account_id, limit: 10 }),
      listOperatedMessages(operator, { account_id, ...PAGE }),
    ]) {
      await expect(read).rejects.toMatchObject({ status: 404 });
    }
  }
});

test("the ledger is read to its end, newest first, and its entries add up to the balance", async () => {
  const { accountId } = await makeAccount({ balanceMicros: 1_000_000n });
  const stranger = await makeAccount();
  const messageId = await storeMessage(accountId);
  for (const amount of [5, -2, 0.000001]) {
    await creditAccount(operator, { account_id: accountId, amount, note: `by ${amount}` });
  }
  await pool().query(
    `INSERT INTO ledger_entries (account_id, kind, amount_micros, held_micros, message_ids, message_micros)
     VALUES ($1, 'reserve', -20000, 20000, $2, '{10000,10000}'), ($1, 'settle', 0, -10000, $3, '{10000}')`,
    [accountId, [messageId, newId("message")], [messageId]],
  );
  await pool().query("UPDATE accounts SET balance_micros = balance_micros - 20000, held_micros = 10000 WHERE id = $1", [
    accountId,
  ]);
  const read: Awaited<ReturnType<typeof listLedger>>["items"] = [];
  let cursor: string | undefined;
  do {
    const { items, next } = await listLedger(operator, { account_id: accountId, cursor, limit: 2 });
    read.push(...items);
    cursor = next ?? undefined;
  } while (cursor);
  expect(
    read.map(({ kind, amount, held, messages, message_id }) => [kind, amount, held, messages, message_id]),
  ).toEqual([
    ["settle", 0, -0.01, 1, messageId],
    ["reserve", -0.02, 0.02, 2, null],
    ["credit", 0.000001, 0, 0, null],
    ["credit", -2, 0, 0, null],
    ["credit", 5, 0, 0, null],
    ["credit", 1, 0, 0, null],
  ]);
  expect(read.map(({ note }) => note)).toEqual([null, null, "by 0.000001", "by -2", "by 5", "opening"]);
  const { balance, held } = await getOperatedAccount(operator, { account_id: accountId });
  const sumOf = (field: "amount" | "held") => read.reduce((sum, entry) => sum + Math.round(entry[field] * 1e6), 0);
  expect([fromMicros(sumOf("amount")), fromMicros(sumOf("held"))]).toEqual([balance, held]);
  expect((await listLedger(operator, { account_id: stranger.accountId, limit: 10 })).items).toHaveLength(1);
});

test("an operator sees where an account's messages go, but not their texts", async () => {
  const { accountId } = await makeAccount();
  const id = await storeMessage(accountId);
  const { items, pagination } = await listOperatedMessages(operator, { account_id: accountId, ...PAGE });
  expect(items).toMatchObject([{ id, to: "+14155550123", from: "DEMO", status: "sent", cost: 0.01 }]);
  expect(pagination.total).toBe(1);
  expect(JSON.stringify(items)).not.toContain(BODY);
  expect(JSON.stringify(items)).not.toContain("order-1");
});
