import { beforeAll, expect, test } from "vitest";
import { contradictions } from "@/test/database/account-truth";
import { makeRoute } from "@/test/database/routes";
import { makeAccount } from "@/test/database/seed";
import { makeMessages, raiseEvents, startWebhook } from "@/test/database/webhooks";
import { rebuildUsage } from "../accounts/rebuild-usage";
import { pool, transaction } from "../core/db";
import { sendMessage } from "../messages/accept/send";
import { insertManual } from "../suppressions/store";
import { rebuildListTotals } from "./rebuild";
import { INSERT_CHANGES, readTotal } from "./store";

beforeAll(() => makeRoute());

const suppress = (accountId: string, at: number) =>
  transaction((tx) =>
    insertManual(tx, { accountId, number: `+1415555${1000 + at}`, senderId: "", at: new Date() }, null),
  );

test("damaged lengths of lists are right after a rebuild, and right ones stay", async () => {
  const { account, endpoint, receiver } = await startWebhook(() => undefined);
  try {
    await raiseEvents(account, await makeMessages(account, 5));
    await suppress(account.accountId, 1);
    expect(await rebuildListTotals()).toBe(0);
    const lengths = () =>
      Promise.all([
        readTotal("deliveries", { ownerId: endpoint.id }),
        readTotal("suppressions", { ownerId: account.accountId }),
      ]);
    const before = await lengths();
    await pool().query("DELETE FROM list_totals WHERE list = 'deliveries'");
    await pool().query(`${INSERT_CHANGES} VALUES ('suppressions', $1, '', 7), ('suppressions', 'acc_gone', '', 2)`, [
      account.accountId,
    ]);
    expect(await lengths()).not.toEqual(before);
    expect(await rebuildListTotals()).toBeGreaterThan(1);
    expect(await lengths()).toEqual(before);
    expect(await readTotal("suppressions", { ownerId: "acc_gone" })).toBe(0);
    expect(await rebuildListTotals()).toBe(0);
  } finally {
    await receiver.close();
  }
});

test("lists that change during rebuilds keep their lengths", async () => {
  const { accountId } = await makeAccount();
  await pool().query(`${INSERT_CHANGES} VALUES ('suppressions', $1, '', 5)`, [accountId]);
  await Promise.all([
    ...Array.from({ length: 40 }, (_, at) => suppress(accountId, at)),
    ...Array.from({ length: 10 }, () => rebuildListTotals()),
  ]);
  expect(await readTotal("suppressions", { ownerId: accountId })).toBe(40);
  expect(await rebuildListTotals()).toBe(0);
});

test("damaged usage counters are right after a rebuild, while messages are accepted", async () => {
  const { actor, accountId, senderId } = await makeAccount();
  // Accounts of other tests have messages that were not accepted.
  await rebuildUsage();
  const send = (at: number) =>
    sendMessage(
      actor,
      { to: `+1555010${String(1000 + at)}`, from: senderId, body: `Text ${at}` },
      { idempotency: () => null, responseHeaders: {} },
    );
  await Promise.all(Array.from({ length: 20 }, (_, at) => send(at)));
  expect(await rebuildUsage()).toBe(0);
  await pool().query(
    "UPDATE usage_days SET messages = messages + 3, pending = 0, cost_micros = 1, events_failed = 9 WHERE account_id = $1",
    [accountId],
  );
  expect(await contradictions(accountId)).toHaveLength(1);
  const rebuilds = Array.from({ length: 5 }, () => rebuildUsage());
  await Promise.all([...rebuilds, ...Array.from({ length: 40 }, (_, at) => send(100 + at))]);
  expect(await contradictions(accountId)).toEqual([]);
  await pool().query("DELETE FROM usage_days WHERE account_id = $1", [accountId]);
  expect(await rebuildUsage()).toBe(1);
  expect(await contradictions(accountId)).toEqual([]);
});
