import { expect, test } from "vitest";
import { explain, rowsRead, statementsOf } from "@/test/database/plans";
import { makeAccount } from "@/test/database/seed";
import { DAY_MS } from "../core/clock";
import { pool, transaction } from "../core/db";
import { firstIdAt, newId } from "../core/ids";
import { lockAccounts, type MoneyMove, postMoney } from "./store";
import { checkLedger, watchLedger } from "./tasks";

const driftOf = async (accountId: string) =>
  (await checkLedger()).drifted.find((drift) => drift.accountId === accountId);

const COST = 10_000n;
type Kind = MoneyMove["kind"];
const AMOUNTS: Record<Kind, [amount: bigint, reserved: bigint]> = {
  credit: [COST, 0n],
  reserve: [-COST, COST],
  settle: [0n, -COST],
  refund: [COST, -COST],
};

const moveOf = (accountId: string, messageId: string, kind: Kind): MoneyMove => {
  const [amountMicros, reservedMicros] = AMOUNTS[kind];
  return { accountId, kind, amountMicros, reservedMicros, messageId, note: null, at: new Date() };
};

/** Inserts a message of the given cost, and these ledger entries as the service writes them. */
async function makeBilled(
  accountId: string,
  status: string,
  costMicros: bigint,
  kinds: Kind[],
  messageId = newId("message"),
): Promise<string> {
  await transaction(async (tx) => {
    await lockAccounts(tx, [accountId]);
    await tx.query(
      `INSERT INTO messages (id, account_id, to_number, from_sender, body, encoding, segments, status, cost_micros, currency, created_at)
       VALUES ($1, $2, '+14155550123', 'T', 'Hi', 'GSM-7', 1, $3, $4, 'USD', now())`,
      [messageId, accountId, status, costMicros],
    );
    await postMoney(
      tx,
      kinds.map((kind) => moveOf(accountId, messageId, kind)),
    );
  });
  return messageId;
}

test("a consistent ledger is not reported, whatever the status of its messages", async () => {
  const { accountId } = await makeAccount();
  await makeBilled(accountId, "pending", COST, ["reserve"]);
  await makeBilled(accountId, "delivered", COST, ["reserve", "settle"]);
  await makeBilled(accountId, "failed", COST, ["reserve", "settle"]);
  await makeBilled(accountId, "failed", 0n, ["reserve", "refund"]);
  await makeBilled(accountId, "failed", 0n, []);
  const result = await checkLedger();
  expect(result.accounts).toBeGreaterThanOrEqual(1);
  expect(result.drifted.map((drift) => drift.accountId)).not.toContain(accountId);
});

test("messages reserved for together share an entry, as do those that are settled; each refund has its own, once", async () => {
  const [first, second] = [await makeAccount(), await makeAccount()];
  const owners = [first, first, second].map(({ accountId }) => accountId);
  const ids = await Promise.all(owners.map((accountId) => makeBilled(accountId, "pending", COST, [])));
  const post = (kind: Kind) =>
    transaction(async (tx) => {
      await lockAccounts(tx, owners);
      await postMoney(
        tx,
        ids.map((messageId, at) => moveOf(owners[at] ?? "", messageId, kind)),
      );
    });
  const entriesOf = async (kind: Kind) => {
    const { rows } = await pool().query(
      `SELECT account_id, amount_micros, held_micros, message_id, message_ids, message_micros FROM ledger_entries
       WHERE account_id = ANY($1) AND kind = $2 ORDER BY id`,
      [owners, kind],
    );
    return rows;
  };
  await post("reserve");
  expect(await entriesOf("reserve")).toEqual([
    {
      account_id: first.accountId,
      amount_micros: -2n * COST,
      held_micros: 2n * COST,
      message_id: null,
      message_ids: ids.slice(0, 2),
      message_micros: [String(COST), String(COST)],
    },
    expect.objectContaining({ account_id: second.accountId, held_micros: COST, message_ids: ids.slice(2) }),
  ]);
  expect(await driftOf(first.accountId)).toBeUndefined();
  expect(await driftOf(second.accountId)).toBeUndefined();

  await post("refund");
  expect(await entriesOf("refund")).toMatchObject(ids.map((id) => ({ message_id: id, message_ids: null })));
  // Reserved once more, so that nothing but the unique key can refuse it.
  await post("reserve");
  await expect(post("refund")).rejects.toMatchObject({ code: "23505" });
});

test("messages billed in the form of versions before are no drift, also when only their reserve has that form", async () => {
  const { accountId } = await makeAccount();
  const reserved = await makeBilled(accountId, "delivered", COST, []);
  const settled = await makeBilled(accountId, "delivered", COST, []);
  for (const [id, kinds] of [
    [reserved, ["reserve"]],
    [settled, ["reserve", "settle"]],
  ] as const) {
    for (const kind of kinds) {
      const { amountMicros, reservedMicros } = moveOf(accountId, id, kind);
      await pool().query(
        `WITH entry AS (INSERT INTO ledger_entries (account_id, kind, amount_micros, held_micros, message_id)
           VALUES ($1, $2, $3, $4, $5))
         UPDATE accounts SET balance_micros = balance_micros + $3, held_micros = held_micros + $4 WHERE id = $1`,
        [accountId, kind, amountMicros, reservedMicros, id],
      );
    }
  }
  expect(await driftOf(accountId)).toMatchObject({ faultyMessages: [reserved] });
  await transaction(async (tx) => {
    await lockAccounts(tx, [accountId]);
    await postMoney(tx, [moveOf(accountId, reserved, "settle")]);
  });
  expect(await driftOf(accountId)).toBeUndefined();
});

test.each([
  ["amount_micros", "balance_micros"],
  ["held_micros", "held_micros"],
])("an entry whose %s is not that of its messages is found, although the account has it too", async (column, sum) => {
  const { accountId } = await makeAccount();
  const messageId = await makeBilled(accountId, "pending", COST, ["reserve"]);
  await pool().query(
    `WITH entry AS (UPDATE ledger_entries SET ${column} = ${column} - 1 WHERE account_id = $1 AND kind = 'reserve')
     UPDATE accounts SET ${sum} = ${sum} - 1 WHERE id = $1`,
    [accountId],
  );
  const drift = await driftOf(accountId);
  expect([drift?.balanceMicros, drift?.reservedMicros]).toEqual([drift?.ledgerMicros, drift?.ledgerReservedMicros]);
  expect(drift?.faultyMessages).toEqual([messageId]);
});

test("a message of which only a part was settled is named", async () => {
  const { accountId } = await makeAccount();
  const messageId = await makeBilled(accountId, "sent", COST, ["reserve"]);
  await transaction(async (tx) => {
    await lockAccounts(tx, [accountId]);
    await postMoney(tx, [{ ...moveOf(accountId, messageId, "settle"), reservedMicros: -COST / 2n }]);
  });
  expect((await driftOf(accountId))?.faultyMessages).toEqual([messageId]);
});

test("entries of an account that is gone are found", async () => {
  const accountId = newId("account");
  await pool().query(
    "INSERT INTO ledger_entries (account_id, kind, amount_micros, held_micros) VALUES ($1, 'credit', 7, 0)",
    [accountId],
  );
  expect(await driftOf(accountId)).toMatchObject({ balanceMicros: 0n, ledgerMicros: 7n });
  await pool().query("DELETE FROM ledger_entries WHERE account_id = $1", [accountId]);
});

test("a balance changed by hand is reported with its amounts", async () => {
  const { accountId } = await makeAccount({ balanceMicros: 1_000_000n });
  await pool().query("UPDATE accounts SET balance_micros = balance_micros + 7, held_micros = 3 WHERE id = $1", [
    accountId,
  ]);
  expect(await driftOf(accountId)).toEqual({
    accountId,
    balanceMicros: 1_000_007n,
    ledgerMicros: 1_000_000n,
    reservedMicros: 3n,
    ledgerReservedMicros: 0n,
    forgottenMicros: 0n,
    ledgerForgottenMicros: 0n,
    faultyMessages: [],
  });
});

test("reserved money that was changed by hand is reported, although the balance is right", async () => {
  const { accountId } = await makeAccount();
  await pool().query("UPDATE accounts SET held_micros = 3 WHERE id = $1", [accountId]);
  expect(await driftOf(accountId)).toMatchObject({ reservedMicros: 3n, ledgerReservedMicros: 0n, faultyMessages: [] });
});

test("a missing ledger entry is found", async () => {
  const { accountId } = await makeAccount({ balanceMicros: 1_000_000n });
  await pool().query("DELETE FROM ledger_entries WHERE account_id = $1", [accountId]);
  expect(await driftOf(accountId)).toMatchObject({ balanceMicros: 1_000_000n, ledgerMicros: 0n });
});

test.each<[string, string, bigint, Kind[]]>([
  ["has a cost but was never charged", "sent", COST, []],
  ["was both settled and refunded", "failed", 0n, ["reserve", "settle", "refund"]],
  ["was refunded without a charge", "failed", 0n, ["refund"]],
  ["was charged an amount other than its cost", "sent", 2n * COST, ["reserve", "settle"]],
  ["was refunded but still has a cost", "failed", COST, ["reserve", "refund"]],
  ["was accepted by a provider and never settled", "sent", COST, ["reserve"]],
  ["was settled before any provider had it", "pending", COST, ["reserve", "settle"]],
  ["was reserved for twice", "pending", COST, ["reserve", "reserve"]],
])("a message that %s is named", async (_, status, costMicros, kinds) => {
  const { accountId } = await makeAccount();
  // A second reserve, so that a reserve released twice stays above zero.
  await makeBilled(accountId, "pending", COST, ["reserve"]);
  const messageId = await makeBilled(accountId, status, costMicros, kinds);
  const drift = await driftOf(accountId);
  expect(drift?.faultyMessages).toEqual([messageId]);
  expect(drift?.balanceMicros).toBe(drift?.ledgerMicros);
});

test.each<[string, Kind[], Kind[]]>([
  ["charged to another account", [], ["reserve"]],
  ["settled for another account", ["reserve"], ["settle"]],
])("a message that was %s is named", async (_, own, others) => {
  const [{ accountId }, { accountId: other }] = [await makeAccount(), await makeAccount()];
  // Money that the other account has reserved, so that a settlement leaves it above zero.
  await makeBilled(other, "pending", COST, ["reserve"]);
  const messageId = await makeBilled(accountId, "pending", COST, own);
  await transaction(async (tx) => {
    await lockAccounts(tx, [other]);
    await postMoney(
      tx,
      others.map((kind) => moveOf(other, messageId, kind)),
    );
    if (others.includes("settle")) await tx.query("UPDATE messages SET status = 'sent' WHERE id = $1", [messageId]);
  });
  expect((await driftOf(accountId))?.faultyMessages).toEqual([messageId]);
});

test("a charge for a message that does not exist is named", async () => {
  const { accountId } = await makeAccount();
  const messageId = await makeBilled(accountId, "sent", COST, ["reserve", "settle"]);
  await pool().query("DELETE FROM messages WHERE id = $1", [messageId]);
  expect((await driftOf(accountId))?.faultyMessages).toEqual([messageId]);
});

/** Moves every entry of the ledger, with its time, some days back: what was made so far is then old enough to be closed. */
const ageLedger = (days: number) =>
  pool().query("UPDATE ledger_entries SET created_at = created_at - make_interval(days => $1)", [days]);

test("closed days are summed once, and drift that somebody causes there later is found by both checks", async () => {
  const { accountId } = await makeAccount();
  const oldId = firstIdAt("message", new Date(Date.now() - 5 * DAY_MS));
  const messageId = await makeBilled(accountId, "delivered", COST, ["reserve", "settle"], oldId);
  await ageLedger(5);
  const found = async () => {
    const { drifted, chapters } = await watchLedger();
    return [...drifted, ...chapters].filter((drift) => drift.accountId === accountId);
  };
  expect(await found()).toEqual([]);
  const { rows } = await pool().query("SELECT amount_micros, held_micros FROM ledger_closings WHERE account_id = $1", [
    accountId,
  ]);
  const [account] = (await pool().query("SELECT balance_micros FROM accounts WHERE id = $1", [accountId])).rows;
  expect(rows).toEqual([{ amount_micros: account.balance_micros, held_micros: 0n }]);

  // Later changes are added to the kept sums.
  await makeBilled(accountId, "pending", COST, ["reserve"]);
  expect(await found()).toEqual([]);

  // Balance and ledger are changed alike in the closed day.
  const change = (by: number, column = "amount_micros") =>
    pool().query(
      `UPDATE ledger_entries SET ${column} = ${column} + $2
       WHERE account_id = $1 AND kind = 'reserve' AND created_at < now() - interval '4 days'`,
      [accountId, by],
    );
  await change(-1);
  expect(await found()).toEqual([
    expect.objectContaining({ keptMicros: expect.any(BigInt), faultyMessages: [messageId] }),
  ]);
  expect(await driftOf(accountId)).toMatchObject({ faultyMessages: [messageId] });
  await change(1);
  expect(await found()).toEqual([]);
  await change(1, "held_micros");
  expect(await found()).toEqual([
    expect.objectContaining({ keptReservedMicros: 0n, ledgerReservedMicros: 1n, faultyMessages: [messageId] }),
  ]);
  await change(-1, "held_micros");
});

test("the hourly check reads no entry of a closed day, but those of some chapters", async () => {
  const { accountId } = await makeAccount();
  await makeBilled(accountId, "delivered", COST, ["reserve", "settle"]);
  await ageLedger(5);
  await watchLedger();
  const { rows } = await pool().query<{ through: bigint; last: bigint }>(
    "SELECT (SELECT max(through_id) FROM ledger_chapters) AS through, (SELECT max(id) FROM ledger_entries) AS last",
  );
  expect(rows[0]?.through).toBe(rows[0]?.last);
  const statements = await statementsOf(watchLedger);
  const balances = statements.find(({ text }) => text.includes("ledger_closings") && text.includes("balance_micros"));
  if (!balances) throw new Error("the balances were not compared");
  const { plan } = await explain(balances, "SET LOCAL enable_seqscan = off");
  expect(rowsRead(plan, ["ledger_entries"])).toBe(0);
});

test("a scheduled message that was settled long after its chapter is no fault, and one that never was is", async () => {
  const [{ accountId }, { accountId: other }] = [await makeAccount(), await makeAccount()];
  const settle = (messageId: string) =>
    transaction(async (tx) => {
      await lockAccounts(tx, [accountId]);
      await postMoney(tx, [moveOf(accountId, messageId, "settle")]);
    });
  const idAt = (day: number) => firstIdAt("message", new Date(Date.now() - day * DAY_MS));
  // Entries 60, 52, 45, 20 and 6 days old: the settle is neither in the chapters of the four days after nor in the last ones.
  const scheduledId = await makeBilled(accountId, "delivered", COST, ["reserve"], idAt(60));
  await ageLedger(8);
  await makeBilled(other, "delivered", COST, ["reserve", "settle"], idAt(52));
  await ageLedger(7);
  await settle(scheduledId);
  await ageLedger(25);
  await makeBilled(other, "delivered", COST, ["reserve", "settle"], idAt(20));
  await ageLedger(14);
  const lostId = await makeBilled(accountId, "delivered", COST, ["reserve"], idAt(6));
  await ageLedger(6);
  const faulty = async () => {
    const { chapters } = await watchLedger();
    const own = chapters.filter((drift) => drift.accountId === accountId);
    return [...new Set(own.flatMap(({ faultyMessages }) => faultyMessages))];
  };
  for (let run = 0; run < 5; run += 1) expect((await faulty()).filter((id) => id !== lostId)).toEqual([]);
  expect(await faulty()).toEqual([lostId]);
});
