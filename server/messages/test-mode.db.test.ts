import { afterEach, beforeAll, expect, test } from "vitest";
import { checkLedger } from "@/server/accounts/tasks";
import { ensureTestAccount } from "@/server/accounts/test-mode";
import { createApiKey } from "@/server/api-keys/service";
import { inTestMode } from "@/server/core/actor";
import { pool } from "@/server/core/db";
import { env } from "@/server/core/env";
import { newId } from "@/server/core/ids";
import { takeInbound } from "@/server/inbound/tasks";
import { invalidateProviders } from "@/server/providers/registry";
import { createSender } from "@/server/senders/service";
import { listEvents } from "@/server/webhooks/history/list-events";
import { drainQueue } from "@/test/database/queue";
import { makeRoute } from "@/test/database/routes";
import { makeAccount } from "@/test/database/seed";
import { dispatchTasks, receiptTasks } from "@/worker/tasks";
import { getUsage } from "../accounts/service";
import { estimateSend } from "./accept/estimate";
import { sendBulk, sendMessage } from "./accept/send";
import { listMessages } from "./lists/list-messages";
import { getMessage } from "./read";

const PAGE = { page: 1, limit: 50 };
const tasks = { ...dispatchTasks, ...receiptTasks };
const plain = () => ({ idempotency: () => null, responseHeaders: {} });

beforeAll(async () => {
  // The only route of live messages leads nowhere while the sandbox is off.
  await makeRoute({ prefix: "1", priceMicros: 10_000 });
});

const setSandbox = (isOn: boolean) => {
  env().SANDBOX = isOn;
  invalidateProviders();
};

afterEach(() => {
  setSandbox(true);
  env().TEST_MESSAGES_PER_DAY = 10_000;
});

/** An account with a test key, which acts as `tester`. */
async function withTestKey() {
  const live = await makeAccount();
  await ensureTestAccount(live.accountId);
  const owner = { kind: "session", accountId: live.accountId, userId: newId("user"), isOperator: false } as const;
  const { id: keyId } = await createApiKey(inTestMode(owner), { name: "Test" });
  return { live, owner, tester: inTestMode({ ...live.actor, keyId } as typeof live.actor) };
}

const balanceOf = async (accountId: string) =>
  (await pool().query<{ micros: bigint }>("SELECT balance_micros AS micros FROM accounts WHERE id = $1", [accountId]))
    .rows[0]?.micros;

test.each([
  ["+15550100001", "delivered", null],
  ["+15550100003", "failed", "invalid_recipient"],
  ["+15550100004", "failed", "no_provider_available"],
  ["+15550100008", "sent", null],
  ["+15550100009", "undelivered", "absent_subscriber"],
  ["+442071838750", "delivered", null],
])("without any provider or route a message of test mode to %s ends %s, free of charge", async (to, status, code) => {
  setSandbox(false);
  const { live, tester } = await withTestKey();
  const opening = await balanceOf(live.accountId);
  const { id } = await sendMessage(tester, { to, from: "TEST", body: "Hello" }, plain());
  await drainQueue(tasks);
  expect(await getMessage(tester, id)).toMatchObject({ status, cost: 0, provider: "sandbox", attempts: 1 });
  expect((await getMessage(tester, id)).error?.code ?? null).toBe(code);
  expect(await balanceOf(live.accountId)).toBe(opening);
  expect(await balanceOf(tester.accountId)).toBe(1_000_000_000n);
  expect((await checkLedger()).drifted).toEqual([]);
});

test("messages, events, usage and idempotency of one mode are separate from the other's", async () => {
  const { live, tester } = await withTestKey();
  const idempotency = () => ({ key: "same", requestHash: "same" });
  const keyed = () => ({ idempotency, responseHeaders: {} });
  const own = await sendMessage(live.actor, { to: "+15550100001", from: live.senderId, body: "Live" }, keyed());
  const tried = await sendMessage(tester, { to: "+15550100001", from: "TEST", body: "Test" }, keyed());
  expect(tried.id).not.toBe(own.id);
  await drainQueue(tasks);
  for (const [actor, mine, other, livemode] of [
    [live.actor, own, tried, true],
    [tester, tried, own, false],
  ] as const) {
    expect((await listMessages(actor, PAGE)).items.map(({ id }) => id)).toEqual([mine.id]);
    await expect(getMessage(actor, other.id)).rejects.toMatchObject({ status: 404 });
    const events = (await listEvents(actor, PAGE)).items;
    expect(events.map((event) => [event.data.id, event.livemode])).toEqual([
      [mine.id, livemode],
      [mine.id, livemode],
    ]);
    const cost = livemode ? 0.01 : 0;
    expect((await getUsage(actor, { period: "day" })).totals).toEqual({ messages: 1, cost });
  }
});

test("a live sender is not valid in test mode, and vice versa", async () => {
  const { live, tester } = await withTestKey();
  const notApproved = { wire: { details: { reason: "sender_not_approved" } } };
  const input = { to: "+15550100001", body: "Hello" };
  await expect(sendMessage(tester, { ...input, from: live.senderId }, plain())).rejects.toMatchObject(notApproved);
  await expect(sendMessage(live.actor, { ...input, from: "TEST" }, plain())).rejects.toMatchObject(notApproved);
});

test("in test mode the sandbox may be named, a provider that is not configured may not, and an estimate is free", async () => {
  setSandbox(false);
  const { tester } = await withTestKey();
  const input = { to: "+15550100001", from: "TEST", body: "Hello" };
  await sendMessage(tester, { ...input, provider: "sandbox" }, plain());
  const refused = { wire: { details: { reason: "provider_not_configured" } } };
  await expect(sendMessage(tester, { ...input, provider: "twilio" }, plain())).rejects.toMatchObject(refused);
  expect(await estimateSend(tester, input)).toMatchObject({
    cost: 0,
    sufficient: true,
    refusals: [],
    recipients: [{ provider: "sandbox", cost: 0, refusal: null }],
  });
});

test("in test mode an account has a daily message limit, for its keys and the console together", async () => {
  env().TEST_MESSAGES_PER_DAY = 3;
  const { owner, live, tester } = await withTestKey();
  const bulk = { recipients: ["+15550100001", "+15550100002"], from: "TEST", body: "Hello" };
  await sendBulk(tester, bulk, plain());
  await expect(sendBulk(tester, bulk, plain())).rejects.toMatchObject({
    status: 429,
    wire: { details: { reason: "test_mode_limit", limit: 3, used: 2, requested: 2 } },
  });
  const input = { to: "+15550100001", from: "TEST", body: "Hello" };
  await sendMessage(inTestMode(owner), input, plain());
  await expect(sendMessage(inTestMode(owner), input, plain())).rejects.toMatchObject({ status: 429 });
  await sendMessage(live.actor, { ...input, from: live.senderId }, plain());
});

test("a live message that was accepted before the sandbox was switched off is not delivered there", async () => {
  const { live, tester } = await withTestKey();
  const { id } = await sendMessage(live.actor, { to: "+15550100001", from: live.senderId, body: "Hello" }, plain());
  const tried = await sendMessage(tester, { to: "+15550100001", from: "TEST", body: "Hello" }, plain());
  setSandbox(false);
  await drainQueue(tasks);
  expect(await getMessage(live.actor, id)).toMatchObject({
    status: "failed",
    cost: 0,
    error: { code: "no_provider_available" },
    provider_message_id: "",
  });
  expect(await getMessage(tester, tried.id)).toMatchObject({ status: "delivered" });
});

test("a handset's reply to a number does not reach accounts that registered the number in test mode", async () => {
  const { tester } = await withTestKey();
  const number = "16465550177";
  await createSender(tester, { sender_id: number });
  const report = { providerMessageId: newId("inbound"), from: "+14155550123", to: `+${number}`, text: "STOP" };
  await takeInbound({ provider: "twilio", messages: [{ ...report, receivedAt: new Date().toISOString() }] });
  const { rows } = await pool().query<{ owner: string }>(
    "SELECT account_id AS owner FROM inbound_messages WHERE provider_message_id = $1",
    [report.providerMessageId],
  );
  expect(rows).toEqual([{ owner: "" }]);
  const input = { to: "+14155550123", from: number, body: "Hello" };
  expect((await sendMessage(tester, input, plain())).status).toBe("pending");
});
