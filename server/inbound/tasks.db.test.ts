import { randomInt } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { ensureTestAccount } from "../accounts/test-mode";
import { MINUTE_MS, SECOND_MS } from "../core/clock";
import { pool } from "../core/db";
import { newId } from "../core/ids";
import type { InboundReport } from "../core/jobs";
import { createSuppression, deleteSuppression, listSuppressions } from "../suppressions/service";
import { findSuppressed, isSuppressed } from "../suppressions/store";
import { takeInbound } from "./tasks";

const HANDSET = "+14155550123";
let account: TestAccount;
let line = "";

const addSender = async ({ accountId }: TestAccount, senderId: string, status = "approved") => {
  await pool().query(
    "INSERT INTO senders (id, account_id, sender_id, type, status) VALUES ($1, $2, $3, 'numeric', $4)",
    [newId("sender"), accountId, senderId, status],
  );
};

/** A number of this test only. */
const newLine = () => `1646${randomInt(1_000_000, 9_999_999)}`;

beforeEach(async () => {
  account = await makeAccount();
  line = newLine();
  await addSender(account, line);
});

const inbound = (text: string, more: Partial<InboundReport> = {}): InboundReport => ({
  providerMessageId: newId("inbound"),
  from: HANDSET,
  to: `+${line}`,
  text,
  receivedAt: new Date().toISOString(),
  ...more,
});

const take = (...messages: InboundReport[]) => takeInbound({ provider: "twilio", messages });

const suppressed = async (of = account) =>
  (await listSuppressions(of.actor, { page: 1, limit: 50 })).items.map(({ number, sender_id, reason }) => [
    number,
    sender_id,
    reason,
  ]);

const kept = async (ids: string[]) => {
  const { rows } = await pool().query<{ account_id: string }>(
    `SELECT account_id, from_number, to_number, body, keyword FROM inbound_messages
     WHERE provider = 'twilio' AND provider_message_id = ANY($1) ORDER BY id`,
    [ids],
  );
  return rows;
};

test("STOP suppresses the number for the addressed sender, START undoes it", async () => {
  const stop = inbound(" Stop! ", { from: "1 415 555 0123" });
  await take(stop);
  expect(await suppressed()).toEqual([[HANDSET, line, "stop"]]);
  expect(await kept([stop.providerMessageId])).toEqual([
    { account_id: account.accountId, from_number: HANDSET, to_number: `+${line}`, body: " Stop! ", keyword: "stop" },
  ]);
  await take(inbound("start"));
  expect(await suppressed()).toEqual([]);
});

test("a keyword that the provider recognized counts, whatever the text, and else the text does", async () => {
  const stop = inbound("ARRET", { keyword: "stop" });
  await take(stop);
  expect(await suppressed()).toEqual([[HANDSET, line, "stop"]]);
  expect(await kept([stop.providerMessageId])).toMatchObject([{ body: "ARRET", keyword: "stop" }]);
  await take(inbound("OUI", { keyword: "start" }));
  expect(await suppressed()).toEqual([]);
  await take(inbound("ARRET"));
  expect(await suppressed()).toEqual([]);
  await take(inbound("STOP"));
  expect(await suppressed()).toEqual([[HANDSET, line, "stop"]]);
});

test("an opt-out from a name suppresses the number for that name", async () => {
  await addSender(account, "SHOP");
  await take(inbound("", { to: "SHOP", keyword: "stop" }));
  expect(await suppressed()).toEqual([[HANDSET, "SHOP", "stop"]]);
});

test("a job that runs again changes nothing, even if the recipient has changed their mind since", async () => {
  const [stop, start] = [inbound("STOP"), inbound("START")];
  await take(stop);
  await take(stop, stop);
  await take(start);
  await take(stop);
  expect(await suppressed()).toEqual([]);
  await take(inbound("STOP"));
  await take(start);
  expect(await suppressed()).toEqual([[HANDSET, line, "stop"]]);
  expect(await kept([stop.providerMessageId, start.providerMessageId])).toHaveLength(2);
});

test("of several keywords the last one sent counts, in whatever order they are received", async () => {
  const at = (second: number) => new Date(Date.now() + second * 1_000).toISOString();
  await take(inbound("START", { receivedAt: at(2) }), inbound("STOP", { receivedAt: at(1) }));
  expect(await suppressed()).toEqual([]);
  await take(inbound("STOP", { receivedAt: at(5) }), inbound("START", { receivedAt: at(4) }));
  expect(await suppressed()).toHaveLength(1);
  await take(inbound("START", { receivedAt: at(3) }));
  expect(await suppressed()).toHaveLength(1);
});

test("a STOP applies to every account that has the number as an approved sender, in its own spelling", async () => {
  const [other, waiting, stranger] = await Promise.all([makeAccount(), makeAccount(), makeAccount()]);
  await addSender(other, `+${line}`);
  await addSender(waiting, line, "pending");
  const stop = inbound("STOP", { to: line });
  await take(stop);
  expect(await suppressed()).toEqual([[HANDSET, line, "stop"]]);
  expect(await suppressed(other)).toEqual([[HANDSET, `+${line}`, "stop"]]);
  expect(await suppressed(waiting)).toEqual([]);
  expect(await suppressed(stranger)).toEqual([]);
  const accounts = (await kept([stop.providerMessageId])).map((row) => row.account_id);
  expect(accounts.sort()).toEqual([account.accountId, other.accountId].sort());
});

/** Whether a message to the handset would be stopped when it is accepted, and when its attempt begins. */
const isStopped = async (fromSender: string) => {
  const { accountId } = account;
  const sending = { accountId, toNumber: HANDSET, fromSender };
  const { rows } = await pool().query<{ isSuppressed: boolean }>(
    `SELECT ${isSuppressed("m")} AS "isSuppressed"
     FROM (SELECT $1::text AS account_id, $2::text AS to_number, $3::text AS from_sender) m`,
    [accountId, HANDSET, fromSender],
  );
  return [(await findSuppressed(pool(), [sending]))(sending), rows[0]?.isSuppressed];
};

test("a STOP holds for the same number in its other spelling, and its START undoes it", async () => {
  await take(inbound("STOP"));
  expect(await isStopped(line)).toEqual([true, true]);
  expect(await isStopped(`+${line}`)).toEqual([true, true]);
  for (const other of [`${line}0`, line.slice(1), `00${line}`, "SHOP"]) {
    expect(await isStopped(other)).toEqual([false, false]);
  }
  // The account has deleted the sender, and registered the number anew in its other spelling.
  await pool().query("UPDATE senders SET sender_id = '+' || sender_id WHERE account_id = $1 AND sender_id = $2", [
    account.accountId,
    line,
  ]);
  await take(inbound("START"));
  expect(await suppressed()).toEqual([]);
  await take(inbound("STOP"));
  expect(await suppressed()).toEqual([[HANDSET, `+${line}`, "stop"]]);
  expect(await isStopped(line)).toEqual([true, true]);
});

test("a short code matches exactly", async () => {
  const code = String(randomInt(10_000, 99_999));
  await addSender(account, code);
  await take(inbound("stop", { to: code }), inbound("stop", { to: `${code}0` }));
  expect(await suppressed()).toEqual([[HANDSET, code, "stop"]]);
});

test("suppressions by STOP and by hand coexist and are removed independently", async () => {
  const { id } = await createSuppression(account.actor, { number: HANDSET, sender_id: line });
  await createSuppression(account.actor, { number: HANDSET });
  await take(inbound("STOP"));
  const manual = [
    [HANDSET, null, "manual"],
    [HANDSET, line, "manual"],
  ];
  expect(await suppressed()).toEqual([[HANDSET, line, "stop"], ...manual]);
  await take(inbound("START"));
  expect(await suppressed()).toEqual(manual);
  await take(inbound("STOP"));
  await deleteSuppression(account.actor, id);
  expect(await suppressed()).toEqual([[HANDSET, line, "stop"], manual[0]]);
  const sending = { accountId: account.accountId, toNumber: HANDSET, fromSender: line };
  expect((await findSuppressed(pool(), [sending]))(sending)).toBe(true);
});

test("a suppression for every sender stops messages of a number and of a name", async () => {
  await createSuppression(account.actor, { number: HANDSET });
  expect(await isStopped(line)).toEqual([true, true]);
  expect(await isStopped("SHOP")).toEqual([true, true]);
});

test("a suppression made by hand after a STOP outlives the START", async () => {
  await take(inbound("STOP"));
  const made = await createSuppression(account.actor, { number: HANDSET, sender_id: line });
  expect(made.reason).toBe("manual");
  await take(inbound("START"));
  expect(await suppressed()).toEqual([[HANDSET, line, "manual"]]);
});

test("a START sent between two STOPs but received last undoes nothing", async () => {
  const at = (second: number) => ({ receivedAt: new Date(Date.now() + second * 1_000).toISOString() });
  await take(inbound("STOP", at(1)));
  await take(inbound("STOP", at(3)));
  await take(inbound("START", at(2)));
  expect(await suppressed()).toEqual([[HANDSET, line, "stop"]]);
  const { pagination } = await listSuppressions(account.actor, { page: 1, limit: 1 });
  expect(pagination.total).toBe(1);
  await take(inbound("START", at(4)));
  expect(await suppressed()).toEqual([]);
});

test("a STOP sent before a START but received last suppresses nothing", async () => {
  const at = (second: number) => ({ receivedAt: new Date(Date.now() + second * 1_000).toISOString() });
  await addSender(account, "SHOP");
  await take(inbound("START", at(2)), inbound("START", { to: "SHOP", ...at(2) }));
  await take(inbound("STOP", at(1)), inbound("STOP", { to: "SHOP", ...at(1) }));
  expect(await suppressed()).toEqual([]);
  const { pagination } = await listSuppressions(account.actor, { page: 1, limit: 1 });
  expect(pagination.total).toBe(0);
  await take(inbound("STOP", { from: "+14155550124", ...at(1) }));
  expect(await suppressed()).toEqual([["+14155550124", line, "stop"]]);
  await take(inbound("STOP", { to: "SHOP", ...at(3) }));
  expect(await suppressed()).toHaveLength(2);
});

/** `minutes` before now; `received`: as a callback that comes in that order, seconds apart. */
const sentAndReceived = (minutes: number, received: number) => ({
  occurredAt: new Date(Date.now() - minutes * MINUTE_MS).toISOString(),
  receivedAt: new Date(Date.now() + received * SECOND_MS).toISOString(),
});

test("keywords that come late after an outage count in the order in which they were sent, as their provider says", async () => {
  await addSender(account, "SHOP");
  await take(inbound("START", sentAndReceived(10, 1)));
  await take(inbound("STOP", sentAndReceived(20, 2)));
  expect(await suppressed()).toEqual([]);
  await take(inbound("STOP", { to: "SHOP", ...sentAndReceived(10, 1) }));
  await take(inbound("START", { to: "SHOP", ...sentAndReceived(20, 2) }));
  expect(await suppressed()).toEqual([[HANDSET, "SHOP", "stop"]]);
  await take(inbound("STOP", { to: "SHOP", from: "+14155550124", ...sentAndReceived(10, 1) }));
  await take(inbound("START", { to: "SHOP", from: "+14155550124", ...sentAndReceived(5, 2) }));
  expect(await suppressed()).toHaveLength(1);
});

test("a STOP counts although a START that was sent before it arrived only after it was sent", async () => {
  const at = (second: number) => new Date(Date.now() + second * SECOND_MS).toISOString();
  await take(inbound("START", { occurredAt: at(-60), receivedAt: at(-10) }));
  await take(inbound("STOP", { occurredAt: at(-30), receivedAt: at(-5) }));
  expect(await suppressed()).toEqual([[HANDSET, line, "stop"]]);
});

test("a START of a clock that is ahead does not outlast the STOP that comes next", async () => {
  await take(inbound("START", sentAndReceived(-10, 0)));
  await take(inbound("STOP", { receivedAt: new Date(Date.now() + SECOND_MS).toISOString() }));
  expect(await suppressed()).toHaveLength(1);
});

test.each([
  ["long before it came", 3 * 24 * 60],
  ["after it came", -10],
])("a time of a provider %s is not believed", async (_, minutes) => {
  await take(inbound("STOP", { receivedAt: new Date(Date.now() - MINUTE_MS).toISOString() }));
  await take(inbound("START", sentAndReceived(minutes, 0)));
  expect(await suppressed()).toEqual([]);
  await take(inbound("STOP", sentAndReceived(minutes, 1)));
  expect(await suppressed()).toEqual([[HANDSET, line, "stop"]]);
});

test("a START and an earlier STOP that are received at once suppress nothing", async () => {
  const at = (second: number) => ({ receivedAt: new Date(Date.now() + second * 1_000).toISOString() });
  for (let second = 0; second < 20; second += 2) {
    await Promise.all([take(inbound("START", at(second + 1))), take(inbound("STOP", at(second)))]);
    expect(await suppressed()).toEqual([]);
  }
});

test("a STOP to a suspended sender applies when the sender is approved again", async () => {
  const setStatus = (status: string) =>
    pool().query("UPDATE senders SET status = $3, approved_at = now() WHERE account_id = $1 AND sender_id = $2", [
      account.accountId,
      line,
      status,
    ]);
  await setStatus("suspended");
  await take(inbound("STOP"));
  await setStatus("approved");
  expect(await suppressed()).toEqual([[HANDSET, line, "stop"]]);
});

test.each([
  ["4915112345678", "+4915112345678"],
  ["14155550123", "+14155550123"],
  ["6592345678", "+6592345678"],
])("a STOP from %s, without its plus as many carriers write, suppresses %s", async (from, number) => {
  await take(inbound("STOP", { from }));
  expect(await suppressed()).toEqual([[number, line, "stop"]]);
});

test("a STOP from a North American number without its country code suppresses no number of another country", async () => {
  const stop = inbound("STOP", { from: "4155550123" });
  await take(stop);
  expect(await suppressed()).toEqual([]);
  expect(await kept([stop.providerMessageId])).toMatchObject([{ from_number: "4155550123", keyword: "stop" }]);
});

test("a message without a keyword, without a number, or for no account is stored but has no effect", async () => {
  const messages = [
    inbound("please stop"),
    inbound("STOP", { from: "ACME" }),
    inbound("STOP", { to: newLine() }),
    inbound(`a\0b\ud800${"x".repeat(6_000)}`, { from: "A\0B", to: `${line}\0` }),
  ];
  await take(...messages);
  expect(await suppressed()).toEqual([]);
  const rows = await kept(messages.map(({ providerMessageId }) => providerMessageId));
  expect(rows).toMatchObject([
    { account_id: account.accountId, keyword: null },
    { account_id: account.accountId, from_number: "ACME", keyword: "stop" },
    { account_id: "", keyword: "stop" },
    { account_id: account.accountId, from_number: "AB", to_number: `+${line}`, keyword: null },
  ]);
});

test("a STOP to a number that test mode alone has registered, as anybody may, belongs to no account", async () => {
  const testId = await ensureTestAccount(account.accountId);
  const number = newLine();
  await addSender({ ...account, accountId: testId }, number);
  const stop = inbound("STOP", { to: `+${number}` });
  await take(stop);
  expect(await kept([stop.providerMessageId])).toMatchObject([{ account_id: "", keyword: "stop" }]);
  const { rowCount } = await pool().query("SELECT FROM suppressions WHERE account_id = $1", [testId]);
  expect(rowCount).toBe(0);
});

test("concurrent jobs for the same numbers make one suppression each, without a deadlock", async () => {
  const handsets = Array.from({ length: 40 }, (_, at) => `+1415555${1_000 + at}`);
  await Promise.all(
    Array.from({ length: 8 }, (_, at) => {
      const order = at % 2 === 0 ? handsets : handsets.toReversed();
      return take(...order.map((from) => inbound("STOP", { from })));
    }),
  );
  expect((await suppressed()).map(([number]) => number).sort()).toEqual(handsets);
});
