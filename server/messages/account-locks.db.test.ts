import pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { untilWaiting } from "@/test/database/lock-waits";
import { makeRoute } from "@/test/database/routes";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { lockAccounts, lockAdmission, postMoney } from "../accounts/store";
import { now } from "../core/clock";
import { pool, type Tx, transaction } from "../core/db";
import { isApiError } from "../core/errors";
import { metrics } from "../core/metrics";
import { sendMessage } from "./accept/send";
import { applyChanges, lockMessages } from "./transitions";

const PRICE_MICROS = 10_000n;
const REQUEST = { idempotency: () => null, responseHeaders: {} };

/** Another process, whose transaction stays open during the test. Not from the pool, which would end it. */
let other: pg.Client;

beforeEach(async () => {
  await makeRoute({ priceMicros: Number(PRICE_MICROS) });
  other = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await other.connect();
  await other.query("BEGIN");
});

afterEach(() => other.end());

const send = (account: TestAccount) =>
  sendMessage(account.actor, { to: "+14155550123", from: account.senderId, body: "Hello" }, REQUEST);

const booksOf = async ({ accountId }: TestAccount) => {
  const { rows } = await pool().query<{ balance: bigint; reserved: bigint; pending: number; sent: number }>(
    `SELECT balance_micros AS balance, held_micros AS reserved, u.pending, u.sent FROM accounts a
     JOIN usage_days u ON u.account_id = a.id WHERE a.id = $1`,
    [accountId],
  );
  return rows[0];
};

async function markSent(tx: Tx, messageId: string): Promise<void> {
  const message = (await lockMessages(tx, [messageId])).get(messageId);
  if (!message) throw new Error("The message is gone.");
  await applyChanges(tx, [{ message, attempts: 1, steps: [{ to: "sent", at: now(), provider: "sandbox" }] }]);
}

describe("the admission lock", () => {
  test("makes sends of its account wait, while outcomes and receipts move its money", async () => {
    const account = await makeAccount({ balanceMicros: 2n * PRICE_MICROS });
    const { id } = await send(account);
    await lockAdmission(other, [account.accountId]);
    const second = send(account);
    await untilWaiting("pg_advisory_xact_lock");
    await transaction((tx) => markSent(tx, id));
    expect(await booksOf(account)).toMatchObject({ reserved: 0n, pending: 0, sent: 1 });
    await other.query("COMMIT");
    expect((await second).status).toBe("pending");
    expect(await booksOf(account)).toEqual({ balance: 0n, reserved: PRICE_MICROS, pending: 1, sent: 1 });
  });

  test("does not delay sends of another account", async () => {
    const [account, free] = [await makeAccount(), await makeAccount()];
    await lockAdmission(other, [account.accountId]);
    expect((await send(free)).status).toBe("pending");
  });
});

describe("an account's row", () => {
  test("stays free while a transaction that moves its messages works", async () => {
    const account = await makeAccount();
    const { id } = await send(account);
    await transaction(async (tx) => {
      await markSent(tx, id);
      const { rowCount } = await pool().query("SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE NOWAIT", [
        account.accountId,
      ]);
      expect(rowCount).toBe(1);
    });
    expect(await booksOf(account)).toMatchObject({ reserved: 0n, pending: 0, sent: 1 });
  });

  test("delays a send only at its end, and the send is refused if the balance has fallen meanwhile", async () => {
    const account = await makeAccount({ balanceMicros: PRICE_MICROS });
    await lockAccounts(other, [account.accountId]);
    const sending = send(account).catch((thrown) => thrown);
    await untilWaiting("FROM accounts");
    const debit = { kind: "credit", amountMicros: -1n, reservedMicros: 0n, messageId: null, note: null } as const;
    await postMoney(other, [{ ...debit, accountId: account.accountId, at: now() }]);
    await other.query("COMMIT");
    const refused = await sending;
    expect(isApiError(refused) && refused.status).toBe(402);
    const { rowCount } = await pool().query("SELECT 1 FROM messages WHERE account_id = $1", [account.accountId]);
    expect(rowCount).toBe(0);
  });
});

test("a move whose transaction is run again is counted once", async () => {
  const account = await makeAccount();
  const { id } = await send(account);
  const sentOnes = async () =>
    (await metrics().moves.get()).values.find(({ labels }) => labels.status === "sent")?.value ?? 0;
  const before = await sentOnes();
  let runs = 0;
  await transaction(async (tx) => {
    runs += 1;
    await markSent(tx, id);
    if (runs === 1) throw Object.assign(new Error("deadlock detected"), { code: "40P01" });
  });
  expect(runs).toBe(2);
  expect((await sentOnes()) - before).toBe(1);
  expect(await booksOf(account)).toMatchObject({ reserved: 0n, pending: 0, sent: 1 });
});
