/** Accounts that keep the texts of their messages for a shorter time than the installation. */
import { beforeAll, beforeEach, expect, test } from "vitest";
import { openTransaction, untilWaiting } from "@/test/database/lock-waits";
import { daysAgo, live } from "@/test/database/messages/ended-messages";
import { makeRoute } from "@/test/database/routes";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { startWebhook } from "@/test/database/webhooks";
import { HOUR_MS } from "../core/clock";
import { pool } from "../core/db";
import { getMessage } from "../messages/read";
import { forgetOldData } from "./tasks";
import { forgetTextsOfAccounts } from "./texts-of-accounts";

beforeAll(() => makeRoute());
beforeEach(async () => {
  await pool().query("DELETE FROM retention_rounds");
  await pool().query("UPDATE accounts SET text_retention_days = NULL");
});

const keepTexts = ({ accountId }: TestAccount, days: number | null) =>
  pool().query("UPDATE accounts SET text_retention_days = $2 WHERE id = $1", [accountId, days]);

const textOf = async ({ actor }: TestAccount, id: string) => (await getMessage(actor, id)).body;

/** Lets the last rounds begin earlier. */
const anotherDay = () =>
  pool().query("UPDATE retention_rounds SET began_at = began_at - $1::float8 * interval '1 millisecond'", [
    21 * HOUR_MS,
  ]);

test("texts of messages that ended longer ago go, in these accounts alone; everything else stays", async () => {
  const [account, other, without] = [await makeAccount(), await makeAccount(), await makeAccount()];
  const sent = async (days: number) => ({
    own: await daysAgo(() => live(account, "delivered"), days),
    others: await daysAgo(() => live(other, "refused"), days),
    withouts: await daysAgo(() => live(without, "delivered"), days),
  });
  const [older, younger] = [await sent(40), await sent(10)];
  const open = await daysAgo(() => live(account, "sent"));
  await keepTexts(account, 7);
  await keepTexts(other, 30);
  await forgetOldData();
  expect(await textOf(account, older.own)).toBe("");
  expect(await textOf(account, younger.own)).toBe("");
  expect(await textOf(account, open)).toBe("Secret sent");
  expect(await textOf(other, older.others)).toBe("");
  expect(await textOf(other, younger.others)).toBe("Secret refused");
  expect(await textOf(without, older.withouts)).toBe("Secret delivered");
  const { status, metadata } = await getMessage(account.actor, older.own);
  expect([status, metadata]).toEqual(["delivered", { end: "delivered" }]);
});

test("a message that became old, and one that a shorter time makes old, lose their texts a day later", async () => {
  const account = await makeAccount();
  await keepTexts(account, 30);
  const old = await daysAgo(() => live(account, "delivered"));
  const young = await daysAgo(() => live(account, "delivered"), 10);
  expect(await forgetTextsOfAccounts()).toBe(1);
  await keepTexts(account, 7);
  expect(await forgetTextsOfAccounts()).toBe(0);
  await anotherDay();
  expect(await forgetTextsOfAccounts()).toBe(1);
  expect([await textOf(account, old), await textOf(account, young)]).toEqual(["", ""]);
});

test.each([
  ["keeps them for longer", 90],
  ["keeps all of them", null],
])("an account that %s from now on loses none in a run under way", async (_, days) => {
  const account = await makeAccount();
  await keepTexts(account, 7);
  await forgetTextsOfAccounts();
  const id = await daysAgo(() => live(account, "delivered"));
  await anotherDay();
  const other = await openTransaction((tx) => tx.query("SELECT FROM retention_rounds FOR UPDATE"));
  const run = forgetTextsOfAccounts();
  await untilWaiting("retention_rounds", 1);
  await keepTexts(account, days);
  await other.commit();
  expect(await run).toBe(0);
  expect(await textOf(account, id)).toBe("Secret delivered");
});

test("an account that keeps them for a shorter time from now on loses the others in the next run", async () => {
  const account = await makeAccount();
  await keepTexts(account, 30);
  await forgetTextsOfAccounts();
  const id = await daysAgo(() => live(account, "delivered"), 10);
  await anotherDay();
  const other = await openTransaction((tx) => tx.query("SELECT FROM retention_rounds FOR UPDATE"));
  const run = forgetTextsOfAccounts();
  await untilWaiting("retention_rounds", 1);
  await keepTexts(account, 7);
  await other.commit();
  // This run does not know which texts of messages that are so young are still needed.
  expect(await run).toBe(0);
  expect(await textOf(account, id)).toBe("Secret delivered");
  await anotherDay();
  expect(await forgetTextsOfAccounts()).toBe(1);
});

test("a message whose webhook waits keeps its text", async () => {
  const { account, receiver } = await startWebhook();
  try {
    await keepTexts(account, 7);
    const id = await daysAgo(() => live(account, "refused"));
    expect(await forgetTextsOfAccounts()).toBe(0);
    expect(await textOf(account, id)).toBe("Secret refused");
  } finally {
    await receiver.close();
  }
});

test("an account that fails does not stop the others, and is not forgotten", async () => {
  const [broken, account] = [await makeAccount(), await makeAccount()];
  for (const each of [broken, account]) await keepTexts(each, 7);
  const [stuck, free] = [
    await daysAgo(() => live(broken, "delivered")),
    await daysAgo(() => live(account, "delivered")),
  ];
  await pool().query(
    `CREATE FUNCTION refuse_empty() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;
     CREATE TRIGGER refuse_empty BEFORE UPDATE OF body ON messages FOR EACH ROW
       WHEN (NEW.account_id = '${broken.accountId}') EXECUTE FUNCTION refuse_empty()`,
  );
  try {
    await expect(forgetTextsOfAccounts()).rejects.toThrow("no");
  } finally {
    await pool().query("DROP FUNCTION refuse_empty CASCADE");
  }
  expect(await textOf(account, free)).toBe("");
  expect(await textOf(broken, stuck)).toBe("Secret delivered");
  expect(await forgetTextsOfAccounts()).toBe(1);
  expect(await textOf(broken, stuck)).toBe("");
});
