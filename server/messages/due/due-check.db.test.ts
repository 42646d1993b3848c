/** The spending cap of the day on which scheduled messages are due. */
import { beforeAll, expect, test } from "vitest";
import { plainRequest } from "@/server/accounts/idempotency/request";
import { lockAccounts } from "@/server/accounts/store";
import { HOUR_MS } from "@/server/core/clock";
import { pool, transaction } from "@/server/core/db";
import { sendBulk, sendMessage } from "@/server/messages/accept/send";
import { SendBulkInput } from "@/server/messages/schema";
import { insertManual } from "@/server/suppressions/store";
import { contradictions } from "@/test/database/account-truth";
import { claimAttempts, prepareAttempts } from "@/test/database/attempts";
import { openTransaction, untilWaiting } from "@/test/database/lock-waits";
import { explain, rowsRead, statementsOf } from "@/test/database/plans";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { cancelMessage } from "../changes/cancel";
import { failUndispatched } from "../dispatch/fail-undispatched";
import { findDueRefusals } from "./due-check";

beforeAll(prepareAttempts);

/** Messages of 0.01 that were accepted today and are due now. @returns their ids. */
async function acceptedToday(account: TestAccount, count: number): Promise<string[]> {
  const input = SendBulkInput.parse({
    recipients: Array.from({ length: count }, (_, at) => `+141555502${String(at).padStart(2, "0")}`),
    from: account.senderId,
    body: "Hello",
    send_at: new Date(Date.now() + HOUR_MS).toISOString(),
  });
  const { messages } = await sendBulk(account.actor, input, plainRequest());
  const ids = messages.map(({ id }) => id);
  await pool().query(
    `WITH due AS (UPDATE messages SET scheduled_at = created_at WHERE id = ANY($1) RETURNING id, created_at)
     UPDATE pending_messages p SET created_at = due.created_at FROM due WHERE p.message_id = due.id`,
    [ids],
  );
  return ids;
}

/** As {@link acceptedToday}, but yesterday. */
async function acceptedYesterday(account: TestAccount, count: number): Promise<string[]> {
  const ids = await acceptedToday(account, count);
  await pool().query(
    `UPDATE messages SET created_at = date_trunc('day', now(), 'UTC') - interval '1 hour',
       scheduled_at = date_trunc('day', now(), 'UTC') WHERE id = ANY($1)`,
    [ids],
  );
  await pool().query("UPDATE usage_days SET day = day - 1 WHERE account_id = $1", [account.accountId]);
  return ids;
}

const cap = ({ accountId }: TestAccount, micros: number) =>
  pool().query("UPDATE accounts SET own_daily_spend_cap_micros = $2 WHERE id = $1", [accountId, micros]);

const refusedOf = async (jobs: readonly (readonly string[])[]): Promise<string[]> =>
  (await Promise.all(jobs.map((job) => findDueRefusals(job)))).flatMap((refusals) => [...refusals.keys()]);

const DIVISIONS: [string, (ids: string[]) => string[][]][] = [
  ["one job", (ids) => [ids]],
  ["a job each, at the same time", (ids) => ids.map((id) => [id])],
  ["jobs of three", (ids) => [ids.slice(0, 3), ids.slice(3, 6), ids.slice(6, 9), ids.slice(9)]],
];

test.each(DIVISIONS)("as many leave as the cap allows, in %s", async (_, jobsOf) => {
  const account = await makeAccount();
  const ids = await acceptedYesterday(account, 12);
  await cap(account, 50_000);
  expect(await refusedOf(jobsOf(ids))).toHaveLength(7);
});

test.each(DIVISIONS)("as many of the day leave as a lowered cap allows, in %s", async (_, jobsOf) => {
  const account = await makeAccount();
  const ids = await acceptedToday(account, 12);
  await cap(account, 50_000);
  const claimed = (await Promise.all(jobsOf(ids).map(claimAttempts))).flat();
  for (const { slot } of claimed) slot?.release();
  expect(claimed).toHaveLength(5);
  expect(await contradictions(account.accountId)).toEqual([]);
});

test("the refund of messages that are stopped for another reason leaves room for the others", async () => {
  const account = await makeAccount();
  const { accountId } = account;
  const ids = await acceptedToday(account, 4);
  await cap(account, 20_000);
  // The last two, so that the others are decided on before them.
  for (const at of [2, 3]) {
    const number = `+1415555020${at}`;
    await transaction((tx) => insertManual(tx, { accountId, number, senderId: "", at: new Date() }, null));
  }
  const claimed = await claimAttempts(ids);
  for (const { slot } of claimed) slot?.release();
  expect(claimed.map(({ message }) => message.id).sort()).toEqual(ids.slice(0, 2));
  const { rows } = await pool().query(
    "SELECT error_code AS code FROM messages WHERE account_id = $1 AND status = 'failed'",
    [accountId],
  );
  expect(rows).toEqual([{ code: "blocklisted" }, { code: "blocklisted" }]);
  expect(await contradictions(accountId)).toEqual([]);
});

test("one after the other, with what is accepted on the day, until the cap is raised; a repeated job counts once", async () => {
  const account = await makeAccount();
  const [one = "", two = "", three = "", four = ""] = await acceptedYesterday(account, 4);
  await pool().query(
    "INSERT INTO usage_days (account_id, day, messages, cost_micros) VALUES ($1, (now() AT TIME ZONE 'UTC')::date, 1, 10000)",
    [account.accountId],
  );
  await cap(account, 30_000);
  for (const job of [[one], [one], [two], [one, two]]) expect(await refusedOf([job])).toEqual([]);
  expect(await refusedOf([[three]])).toEqual([three]);
  await cap(account, 40_000);
  expect(await refusedOf([[four]])).toEqual([]);
  await cap(account, 0);
  expect(await refusedOf([[three]])).toEqual([three]);
});

test("sends of the day are refused once messages of the day before have used the cap, until one of them is refunded", async () => {
  const account = await makeAccount();
  const ids = await acceptedYesterday(account, 3);
  await cap(account, 30_000);
  expect(await refusedOf([ids])).toEqual([]);
  const send = () =>
    sendMessage(account.actor, { to: "+14155550199", from: account.senderId, body: "Hello" }, plainRequest());
  await expect(send()).rejects.toMatchObject({ status: 429, wire: { details: { limit: 0.03, spent: 0.03 } } });
  const error = { code: "expired", message: "Too late." };
  await transaction((tx) => failUndispatched(tx, [{ messageId: ids[1] ?? "", error }], new Date()));
  await send();
  await expect(send()).rejects.toMatchObject({ status: 429 });
  expect(await refusedOf([[ids[0] ?? ""], [ids[2] ?? ""]])).toEqual([]);
});

test("a message that is canceled while the check waits for its account does not count", async () => {
  const account = await makeAccount();
  const [canceled = "", other = ""] = await acceptedYesterday(account, 2);
  await cap(account, 10_000);
  const holder = await openTransaction((tx) => lockAccounts(tx, [account.accountId]));
  const canceling = cancelMessage(account.actor, canceled);
  await untilWaiting("", 1);
  const checking = refusedOf([[canceled]]);
  await untilWaiting("", 2);
  await holder.commit();
  await Promise.all([canceling, checking]);
  expect(await refusedOf([[other]])).toEqual([]);
});

test("a check reads the messages of its job and the sum of the day, not all that were let through", async () => {
  const account = await makeAccount();
  const ids = await acceptedYesterday(account, 5);
  await cap(account, 1_000_000_000);
  await pool().query(
    `INSERT INTO due_spending (account_id, message_id, day, cost_micros)
     SELECT $1, 'msg_' || n, (now() AT TIME ZONE 'UTC')::date, 10000 FROM generate_series(1, 20000) n`,
    [account.accountId],
  );
  const reads = new Map<string, number>();
  const relations = ["due_spending", "due_spending_days", "usage_days", "messages"];
  const fail = async () => {
    const error = { code: "expired", message: "Too late." };
    await transaction((tx) => failUndispatched(tx, [{ messageId: ids[0] ?? "", error }], new Date()));
  };
  for (const statistics of ["SELECT 1", "ANALYZE due_spending, due_spending_days"]) {
    await pool().query(statistics);
    const statements = await statementsOf(async () => {
      await findDueRefusals(ids);
      await fail();
    });
    // Each runs once more, and would find its rows there already.
    await pool().query("DELETE FROM due_spending WHERE message_id = ANY($1)", [ids]);
    for (const statement of statements.filter(({ name }) => /^(dispatch\.due_check|due_spending)/.test(name))) {
      reads.set(`${statement.name} ${statistics}`, rowsRead((await explain(statement)).plan, relations));
    }
    await pool().query("UPDATE messages SET status = 'pending', cost_micros = 10000 WHERE id = ANY($1)", [ids]);
    await pool().query("DELETE FROM message_attempts WHERE message_id = ANY($1)", [ids]);
    await pool().query("DELETE FROM ledger_entries WHERE message_id = ANY($1) AND kind = 'refund'", [ids]);
  }
  expect([...reads.keys()].map((name) => name.split(" ")[0])).toContain("due_spending.uncount");
  expect(Math.max(...reads.values())).toBeLessThan(100);
});

test("accounts do not count for each other, and those without a cap leave no trace", async () => {
  const [capped, other, free] = [await makeAccount(), await makeAccount(), await makeAccount()];
  const [own, others, frees] = [
    await acceptedYesterday(capped, 2),
    await acceptedYesterday(other, 1),
    await acceptedYesterday(free, 3),
  ];
  for (const account of [capped, other]) await cap(account, 10_000);
  expect(await refusedOf([[...own, ...others, ...frees]])).toEqual([own[1]]);
  const { rows } = await pool().query<{ id: string }>("SELECT account_id AS id FROM due_spending ORDER BY message_id");
  expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining([capped.accountId, other.accountId]));
  expect(rows.map(({ id }) => id)).not.toContain(free.accountId);
});
