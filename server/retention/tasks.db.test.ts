import { beforeAll, beforeEach, expect, test } from "vitest";
import { contradictions } from "@/test/database/account-truth";
import { daysAgo, live } from "@/test/database/messages/ended-messages";
import { makeRoute } from "@/test/database/routes";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { runDeliveryJobs, startWebhook, takeDeliveryJobs } from "@/test/database/webhooks";
import { status } from "@/test/network/receiver";
import { plainRequest } from "../accounts/idempotency/request";
import { rebuildUsage } from "../accounts/rebuild-usage";
import { getUsage } from "../accounts/service";
import { checkLedger } from "../accounts/tasks";
import { pool } from "../core/db";
import { env } from "../core/env";
import { newId } from "../core/ids";
import { takeInbound } from "../inbound/tasks";
import { rebuildListTotals } from "../lists/rebuild";
import { sendMessage } from "../messages/accept/send";
import { claimFromThrottleQueue } from "../messages/dispatch/throttle-queue";
import { listMessages } from "../messages/lists/list-messages";
import { getMessage } from "../messages/read";
import { applyReceipts } from "../messages/receipts/apply-receipts";
import { listDeliveries } from "../webhooks/history/list-deliveries";
import { listEvents } from "../webhooks/history/list-events";
import { recoverDeliveries } from "../webhooks/history/recover";
import { resendDeliveries } from "../webhooks/history/resend";
import { updateEndpoint } from "../webhooks/service";
import { forgetOldData } from "./tasks";

const PAGE = { page: 1, limit: 100 } as const;

beforeAll(async () => {
  await makeRoute();
});

beforeEach(async () => {
  await pool().query("DELETE FROM retention_rounds");
  Object.assign(env(), {
    RETENTION_MESSAGES_DAYS: 0,
    RETENTION_BODIES_DAYS: 0,
    RETENTION_EVENTS_DAYS: 0,
    RETENTION_RECEIPTS_DAYS: 0,
    RETENTION_INBOUND_DAYS: 0,
  });
});

const countOf = async (table: string, where: string, values: unknown[]): Promise<number> => {
  const { rows } = await pool().query<{ count: string }>(`SELECT count(*) FROM ${table} WHERE ${where}`, values);
  return Number(rows[0]?.count);
};

/** Rows that belong to messages, by table. */
const rowsOf = async (ids: readonly string[]) => {
  const tables = { messages: "id", message_attempts: "message_id", receipts: "message_id", events: "message_id" };
  const counts = Object.entries(tables).map(async ([table, key]) => {
    return [table, await countOf(table, `${key} = ANY($1)`, [ids])] as const;
  });
  return Object.fromEntries(await Promise.all(counts));
};

const driftOf = async ({ accountId }: TestAccount) =>
  (await checkLedger()).drifted.find((drift) => drift.accountId === accountId);

const lengthsOf = async ({ actor }: TestAccount) => ({
  messages: (await listMessages(actor, PAGE)).pagination.total,
  delivered: (await listMessages(actor, { ...PAGE, status: "delivered" })).pagination.total,
  failed: (await listMessages(actor, { ...PAGE, status: "failed" })).pagination.total,
  events: (await listEvents(actor, PAGE)).pagination.total,
});

test("messages that ended long ago go with all that belongs to them; usage, lengths of lists and the ledger stay exact", async () => {
  const { account, endpoint, receiver } = await startWebhook();
  try {
    const old = await daysAgo(async () => {
      const ids = [await live(account, "delivered"), await live(account, "delivered"), await live(account, "refused")];
      await runDeliveryJobs(endpoint.id);
      await pool().query("INSERT INTO rescheduled_messages SELECT unnest($1::text[]), now(), now(), 1", [ids]);
      return ids;
    });
    const open = await daysAgo(() => live(account, "sent"));
    const young = [await live(account, "delivered"), await live(account, "refused")];
    await runDeliveryJobs(endpoint.id);
    const usage = await getUsage(account.actor, { period: "all" });
    expect(await lengthsOf(account)).toEqual({ messages: 6, delivered: 3, failed: 2, events: 9 });

    env().RETENTION_MESSAGES_DAYS = 30;
    await forgetOldData();
    expect(await rowsOf(old)).toEqual({ messages: 0, message_attempts: 0, receipts: 0, events: 0 });
    expect(await countOf("rescheduled_messages", "message_id = ANY($1)", [old])).toBe(0);
    expect(await rowsOf([open, ...young])).toEqual({ messages: 3, message_attempts: 3, receipts: 1, events: 4 });
    expect(await countOf("message_metadata", "account_id = $1", [account.accountId])).toBe(3);
    await expect(getMessage(account.actor, old[0] ?? "")).rejects.toMatchObject({ status: 404 });
    expect(await lengthsOf(account)).toEqual({ messages: 3, delivered: 1, failed: 1, events: 4 });
    const { totals, by_status: byStatus } = await getUsage(account.actor, { period: "all" });
    expect({ totals, byStatus }).toEqual({ totals: usage.totals, byStatus: usage.by_status });
    expect((await listDeliveries(account.actor, { id: endpoint.id, ...PAGE })).pagination.total).toBe(4);
    expect(await driftOf(account)).toBeUndefined();
    expect([await rebuildUsage(), await rebuildListTotals()]).toEqual([0, 0]);
  } finally {
    await receiver.close();
  }
});

test("nothing is deleted before its time while the clock of the database is ahead of the worker's", async () => {
  const account = await makeAccount();
  const id = await daysAgo(() => live(account, "delivered"));
  env().RETENTION_MESSAGES_DAYS = 30;
  // To a worker whose clock is right the database's is sixteen days ahead.
  await daysAgo(() => forgetOldData(), 16);
  expect(await rowsOf([id])).toMatchObject({ messages: 1 });
  await pool().query("DELETE FROM retention_rounds");
  await forgetOldData();
  expect(await rowsOf([id])).toMatchObject({ messages: 0 });
});

test("a forgotten message leaves its place in the throttle queue, and those behind it are served", async () => {
  const account = await makeAccount();
  const old = await daysAgo(() => live(account, "delivered"));
  const input = { to: "+14155550123", from: account.senderId, body: "Waits" };
  const { id: waiting } = await sendMessage(account.actor, input, plainRequest());
  // A receipt has delivered the old one while it waited for another provider.
  await pool().query(
    `INSERT INTO waiting_messages (message_id, provider, account_id, sender, segments, seq, tag)
     SELECT id, 'sandbox', account_id, from_sender, 1, CASE id WHEN $1 THEN 2 ELSE 1 END, CASE id WHEN $1 THEN 1 ELSE 2 END
     FROM messages WHERE id IN ($1, $2)`,
    [old, waiting],
  );
  env().RETENTION_MESSAGES_DAYS = 30;
  await forgetOldData();
  const claimed = await claimFromThrottleQueue("sandbox", 1);
  expect(claimed.map(({ message }) => message.id)).toEqual([waiting]);
});

test("drift in the ledger of messages that were forgotten is still found", async () => {
  const account = await makeAccount();
  await daysAgo(() => live(account, "delivered"));
  env().RETENTION_MESSAGES_DAYS = 30;
  await forgetOldData();
  expect(await driftOf(account)).toBeUndefined();
  const change = (by: number) =>
    pool().query("UPDATE forgotten_days SET cost_micros = cost_micros + $2 WHERE account_id = $1", [
      account.accountId,
      by,
    ]);
  await change(1);
  const drift = await driftOf(account);
  expect((drift?.forgottenMicros ?? 0n) - (drift?.ledgerForgottenMicros ?? 0n)).toBe(1n);
  await change(-1);
});

test("a message stays while one of its webhooks waits: in a job, for a retry or for a disabled endpoint", async () => {
  const waiting = await startWebhook();
  const failing = await startWebhook(status(500));
  const disabled = await startWebhook();
  const hooks = [waiting, failing, disabled];
  try {
    await pool().query("UPDATE webhook_endpoints SET is_active = false WHERE id = $1", [disabled.endpoint.id]);
    const ids = await daysAgo(async () => [
      await live(waiting.account, "refused"),
      await live(failing.account, "refused"),
      await live(disabled.account, "refused"),
    ]);
    await runDeliveryJobs(failing.endpoint.id);
    Object.assign(env(), { RETENTION_MESSAGES_DAYS: 30, RETENTION_BODIES_DAYS: 30, RETENTION_EVENTS_DAYS: 30 });
    await forgetOldData();
    expect(await rowsOf(ids)).toMatchObject({ messages: 3, events: 3 });
    expect(await countOf("messages", "id = ANY($1) AND body <> ''", [ids])).toBe(3);
    // Sent at last: then nothing waits.
    await runDeliveryJobs(waiting.endpoint.id);
    await pool().query("UPDATE retention_rounds SET full_began_at = '-infinity', began_at = '-infinity'");
    await forgetOldData();
    expect(await rowsOf(ids)).toMatchObject({ messages: 2, events: 2 });
    expect(await rebuildListTotals()).toBe(0);
  } finally {
    await Promise.all(hooks.map(({ receiver }) => receiver.close()));
  }
});

test("a job of later tries that was given up keeps no message whose deliveries have ended; one of first tries does", async () => {
  const [retried, first] = [await startWebhook(status(500)), await startWebhook()];
  try {
    const ids = await daysAgo(async () => [
      await live(retried.account, "refused"),
      await live(first.account, "refused"),
    ]);
    await runDeliveryJobs(retried.endpoint.id);
    await pool().query("UPDATE webhook_deliveries SET status = 'abandoned' WHERE endpoint_id = $1", [
      retried.endpoint.id,
    ]);
    await pool().query("UPDATE graphile_worker._private_jobs SET attempts = max_attempts");
    await rebuildListTotals();
    Object.assign(env(), { RETENTION_MESSAGES_DAYS: 30, RETENTION_EVENTS_DAYS: 30 });
    await forgetOldData();
    expect(await rowsOf(ids.slice(0, 1))).toMatchObject({ messages: 0, events: 0 });
    expect(await rowsOf(ids.slice(1))).toMatchObject({ messages: 1, events: 1 });
  } finally {
    await Promise.all([retried, first].map(({ receiver }) => receiver.close()));
  }
});

test("events go before their messages, and lists stay exact", async () => {
  const { account, endpoint, receiver } = await startWebhook();
  try {
    const id = await daysAgo(() => live(account, "delivered"));
    await runDeliveryJobs(endpoint.id);
    Object.assign(env(), { RETENTION_EVENTS_DAYS: 30, RETENTION_RECEIPTS_DAYS: 30 });
    await forgetOldData();
    expect(await rowsOf([id])).toEqual({ messages: 1, message_attempts: 1, receipts: 0, events: 0 });
    expect(await lengthsOf(account)).toEqual({ messages: 1, delivered: 1, failed: 0, events: 0 });
    expect([await rebuildUsage(), await rebuildListTotals()]).toEqual([0, 0]);
    env().RETENTION_MESSAGES_DAYS = 35;
    await forgetOldData();
    expect(await lengthsOf(account)).toEqual({ messages: 0, delivered: 0, failed: 0, events: 0 });
    expect([await rebuildUsage(), await rebuildListTotals()]).toEqual([0, 0]);
  } finally {
    await receiver.close();
  }
});

test("receipts that came after the round had passed their message go by their own age", async () => {
  const account = await makeAccount();
  const [id, open] = await daysAgo(async () => [await live(account, "delivered"), await live(account, "sent")]);
  const receive = (messageId: string, status: "delivered" | "sent") => {
    const report = { providerMessageId: `up_${messageId}`, status, code: null, detail: null };
    return applyReceipts("sandbox", [{ ...report, occurredAt: new Date().toISOString() }]);
  };
  await daysAgo(() => receive(open, "sent"));
  env().RETENTION_RECEIPTS_DAYS = 30;
  await forgetOldData();
  expect(await countOf("receipts", "message_id = $1", [id])).toBe(0);
  await daysAgo(() => receive(id, "delivered"), 31);
  await receive(id, "delivered");
  await pool().query("UPDATE retention_rounds SET began_at = began_at - interval '1 day'");
  await forgetOldData();
  expect(await countOf("receipts", "message_id = $1", [id])).toBe(1);
  expect(await countOf("receipts", "message_id = $1", [open])).toBe(1);
});

test("a text goes before its message; the event is then refused with the reason, and left out of a recovery", async () => {
  const { account, endpoint, receiver } = await startWebhook(status(500));
  try {
    const old = await daysAgo(() => live(account, "refused"));
    const young = await live(account, "refused");
    await runDeliveryJobs(endpoint.id);
    await takeDeliveryJobs(endpoint.id);
    await pool().query("UPDATE webhook_deliveries SET status = 'abandoned' WHERE endpoint_id = $1", [endpoint.id]);
    await rebuildListTotals();
    env().RETENTION_BODIES_DAYS = 30;
    await forgetOldData();
    expect((await getMessage(account.actor, old)).body).toBe("");
    expect((await getMessage(account.actor, young)).body).toBe("Secret refused");
    const { items } = await listDeliveries(account.actor, { id: endpoint.id, ...PAGE });
    const delivery = items.find(({ message_id: id }) => id === old);
    await expect(
      resendDeliveries(account.actor, { id: endpoint.id, delivery_ids: [delivery?.id ?? ""] }),
    ).rejects.toMatchObject({ status: 400, wire: { param: "delivery_ids", details: { reason: "text_forgotten" } } });
    const recovery = await recoverDeliveries(account.actor, { id: endpoint.id, since: "2020-01-01T00:00:00Z" });
    expect(recovery.recovered).toBe(1);
  } finally {
    await receiver.close();
  }
});

test("a run that ended half-way is gone on with, and one that is over begins again a day later", async () => {
  const account = await makeAccount();
  const ids = await daysAgo(async () => [await live(account, "refused"), await live(account, "refused")]);
  env().RETENTION_MESSAGES_DAYS = 30;
  await forgetOldData(AbortSignal.abort());
  expect(await rowsOf(ids)).toMatchObject({ messages: 2 });
  await forgetOldData();
  expect(await rowsOf(ids)).toMatchObject({ messages: 0 });
  const later = await daysAgo(() => live(account, "refused"), 35);
  await forgetOldData();
  expect(await rowsOf([later])).toMatchObject({ messages: 1 });
  await pool().query("UPDATE retention_rounds SET began_at = began_at - interval '1 day'");
  await forgetOldData();
  expect(await rowsOf([later])).toMatchObject({ messages: 0 });
});

test("nothing is forgotten unless a setting asks for it", async () => {
  const account = await makeAccount();
  const id = await daysAgo(() => live(account, "delivered"), 3_000);
  await forgetOldData();
  expect(await rowsOf([id])).toEqual({ messages: 1, message_attempts: 1, receipts: 1, events: 2 });
  expect(await contradictions(account.accountId)).toEqual([]);
});

test("inbound messages go with their events, unless a webhook waits, and lengths of lists stay exact", async () => {
  const { account, endpoint, receiver } = await startWebhook();
  try {
    await updateEndpoint(account.actor, { id: endpoint.id, events: ["message.received"] });
    await pool().query("UPDATE senders SET sender_id = '16465550142', type = 'numeric' WHERE account_id = $1", [
      account.accountId,
    ]);
    const receive = () => {
      const report = { from: "+14155550123", to: "+16465550142", text: "Hi", receivedAt: new Date().toISOString() };
      return takeInbound({ provider: "twilio", messages: [{ ...report, providerMessageId: newId("inbound") }] });
    };
    await daysAgo(receive);
    await runDeliveryJobs(endpoint.id);
    await daysAgo(receive);
    await receive();
    await forgetOldData();
    expect(await countOf("inbound_messages", "account_id = $1", [account.accountId])).toBe(3);
    env().RETENTION_INBOUND_DAYS = 30;
    await forgetOldData();
    // The second one still waits for its webhook.
    expect(await countOf("inbound_messages", "account_id = $1", [account.accountId])).toBe(2);
    await runDeliveryJobs(endpoint.id);
    await forgetOldData();
    expect(await countOf("inbound_messages", "account_id = $1", [account.accountId])).toBe(1);
    expect(await countOf("events", "account_id = $1", [account.accountId])).toBe(1);
    expect(await rebuildListTotals()).toBe(0);
  } finally {
    await receiver.close();
  }
});
