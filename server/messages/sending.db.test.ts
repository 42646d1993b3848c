import { beforeAll, describe, expect, test, vi } from "vitest";
import { checkLedger } from "@/server/accounts/tasks";
import { pool } from "@/server/core/db";
import { sendBulk, sendMessage } from "@/server/messages/accept/send";
import { attemptResult } from "@/server/messages/dispatch/attempt-result";
import { recordOutcome } from "@/server/messages/dispatch/record-outcome";
import { expireUnconfirmed, failUnresolved, requeueOrphans } from "@/server/messages/dispatch/sweeps";
import { getMessage } from "@/server/messages/read";
import { applyReceipts } from "@/server/messages/receipts/apply-receipts";
import { dispatchMessages } from "@/server/messages/tasks";
import { deleteSender, listSenders } from "@/server/senders/service";
import { claimAttempts } from "@/test/database/attempts";
import { lockWaits, untilWaiting } from "@/test/database/lock-waits";
import { drainQueue } from "@/test/database/queue";
import { makeRoute } from "@/test/database/routes";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { dispatchTasks, receiptTasks } from "@/worker/tasks";

const messageTasks = { ...dispatchTasks, ...receiptTasks };

const OPENING = 1_000_000_000n;
const PRICE = 10_000n;
const request = () => ({ idempotency: () => null, responseHeaders: {} });
/** Includes rows written a moment ago. */
const ANY_AGE = -60_000;

let twiceRoute = 0;

beforeAll(async () => {
  await makeRoute({ priceMicros: Number(PRICE) });
  await makeRoute({ prefix: "15550100004", chain: ["sandbox", "sandbox"], priceMicros: Number(PRICE) });
  twiceRoute = await makeRoute({ prefix: "1999", chain: ["sandbox", "sandbox"], priceMicros: Number(PRICE) });
});

const send = (account: TestAccount, to: string, routeId: number | null = null) =>
  sendMessage(account.actor, { to, from: account.senderId, body: "Hello", route_id: routeId }, request());

const eventsOf = async (messageId: string) =>
  (
    await pool().query<{ type: string; status: string }>(
      "SELECT type, status FROM events WHERE message_id = $1 ORDER BY id",
      [messageId],
    )
  ).rows.map((row) => `${row.type}:${row.status}`);

const receiptsOf = async (messageId: string) =>
  (
    await pool().query<{ applied: boolean }>("SELECT applied FROM receipts WHERE message_id = $1 ORDER BY id", [
      messageId,
    ])
  ).rows;

const balanceOf = async (account: TestAccount) =>
  (
    await pool().query<{ balance: bigint; reserved: bigint }>(
      "SELECT balance_micros AS balance, held_micros AS reserved FROM accounts WHERE id = $1",
      [account.accountId],
    )
  ).rows[0];

test("waiting messages of a deleted sender fail and are refunded; one that a provider has taken continues", async () => {
  const account = await makeAccount();
  const taken = await send(account, "+15550100008");
  await drainQueue(messageTasks);
  expect((await getMessage(account.actor, taken.id)).status).toBe("sent");
  const waiting = await send(account, "+14155550123");
  const [sender] = (await listSenders(account.actor, { page: 1, limit: 1 })).items;
  await deleteSender(account.actor, sender?.id ?? "");
  await drainQueue(messageTasks);
  expect(await getMessage(account.actor, waiting.id)).toMatchObject({
    status: "failed",
    cost: 0,
    attempts: 0,
    error: { code: "sender_not_approved" },
  });
  expect(await eventsOf(waiting.id)).toEqual(["message.failed:failed"]);
  expect((await getMessage(account.actor, taken.id)).status).toBe("sent");
  expect(await balanceOf(account)).toEqual({ balance: OPENING - PRICE, reserved: 0n });
});

describe("scenario numbers", () => {
  test.each([
    ["+15550100001", "delivered"],
    ["+15550100002", "delivered"],
    ["+15550100006", "delivered"],
    ["+15550100007", "delivered"],
    ["+15550100008", "sent"],
    ["+15550100009", "undelivered"],
    ["+14155550123", "delivered"],
  ])("%s ends %s, is billed once, and raises each event once", async (to, status) => {
    const account = await makeAccount();
    const { id } = await send(account, to);
    await drainQueue(messageTasks);
    const message = await getMessage(account.actor, id);
    expect(message).toMatchObject({ status, provider: "sandbox", attempts: 1, cost: 0.01 });
    expect(message.provider_message_id).toMatch(/^sbx_/);
    const last = { delivered: "message.delivered:delivered", undelivered: "message.failed:undelivered" }[status];
    expect(await eventsOf(id)).toEqual(["message.sent:sent", ...(last ? [last] : [])]);
    expect(await balanceOf(account)).toEqual({ balance: OPENING - PRICE, reserved: 0n });
  });

  test("a refusal stops the chain, fails the message and refunds it", async () => {
    const account = await makeAccount();
    const { id } = await send(account, "+15550100003", twiceRoute);
    // The forced route has another prefix, so the message has no route.
    expect(await getMessage(account.actor, id)).toMatchObject({
      status: "failed",
      error: { code: "no_route" },
      cost: 0,
    });
    const other = await send(account, "+15550100003");
    await drainQueue(messageTasks);
    expect(await getMessage(account.actor, other.id)).toMatchObject({
      status: "failed",
      cost: 0,
      attempts: 1,
      error: { code: "invalid_recipient" },
    });
    expect(await eventsOf(other.id)).toEqual(["message.failed:failed"]);
    expect(await balanceOf(account)).toEqual({ balance: OPENING, reserved: 0n });
  });

  test("receipts that repeat or come out of order are all stored and move nothing back", async () => {
    const account = await makeAccount();
    const { id } = await send(account, "+15550100007");
    await drainQueue(messageTasks);
    expect(await receiptsOf(id)).toHaveLength(3);
    expect((await receiptsOf(id)).filter((receipt) => receipt.applied)).toHaveLength(1);
  });
});

describe("fallback", () => {
  test("a retryable outcome falls back to the next provider, and the end of the chain fails and refunds", async () => {
    const account = await makeAccount();
    const { id } = await send(account, "+15550100004");
    await drainQueue(messageTasks);
    expect(await getMessage(account.actor, id)).toMatchObject({
      status: "failed",
      attempts: 2,
      cost: 0,
      error: { code: "no_provider_available" },
    });
    const { rows } = await pool().query(
      "SELECT seq, outcome, code FROM message_attempts WHERE message_id = $1 ORDER BY seq",
      [id],
    );
    expect(rows).toEqual([
      { seq: 1, outcome: "retryable", code: "http_503" },
      { seq: 2, outcome: "retryable", code: "http_503" },
    ]);
    expect(await balanceOf(account)).toEqual({ balance: OPENING, reserved: 0n });
  });
});

describe("a provider that violates its own API", () => {
  test("the same id for two messages: both are sent and billed, and others are unaffected", async () => {
    const account = await makeAccount();
    const ids = await Promise.all(["+14155550131", "+14155550132", "+14155550133"].map((to) => send(account, to)));
    const attempts = await claimAttempts(ids.map(({ id }) => id));
    const named = ["same", "same", "other"].map((name) => `${account.accountId}-${name}`);
    await Promise.all(
      attempts.map((attempt, at) =>
        recordOutcome(attemptResult(attempt, { kind: "accepted", providerMessageIds: [named[at] ?? ""] }, 1)),
      ),
    );
    const messages = await Promise.all(ids.map(({ id }) => getMessage(account.actor, id)));
    expect(messages.map((message) => message.status)).toEqual(["sent", "sent", "sent"]);
    expect(messages.filter((message) => message.provider_message_id === "")).toHaveLength(1);
    expect(await balanceOf(account)).toEqual({ balance: OPENING - 3n * PRICE, reserved: 0n });
  });

  test("a refusal text that cannot be stored is sanitized", async () => {
    const account = await makeAccount();
    const { id } = await send(account, "+14155550134");
    const [attempt] = await claimAttempts([id]);
    if (!attempt) throw new Error("not claimed");
    await recordOutcome(attemptResult(attempt, { kind: "refused", code: "x\0y", detail: "bro\0ken \ud83d" }, 1));
    expect((await getMessage(account.actor, id)).error).toEqual({
      code: "xy",
      message: "broken \ufffd",
      reason: "unknown",
    });
  });
});

test("jobs that a worker fetched together share the statements of their dispatch", async () => {
  const account = await makeAccount();
  const sent = await Promise.all(Array.from({ length: 20 }, (_, at) => send(account, `+141555601${at + 10}`)));
  const queried = vi.spyOn(pool(), "query");
  try {
    await Promise.all(sent.map(({ id }) => dispatchMessages({ messageIds: [id] })));
    const reads = (queried.mock.calls as unknown[][]).filter(
      ([statement]) => (statement as { name?: string }).name === "dispatch.candidates",
    );
    expect(reads).toHaveLength(1);
  } finally {
    queried.mockRestore();
  }
  await drainQueue(messageTasks);
  for (const { id } of sent) {
    expect(await getMessage(account.actor, id)).toMatchObject({ status: "delivered", attempts: 1 });
  }
});

describe("crashes", () => {
  test("a dispatch job that runs twice concurrently makes one attempt per message", async () => {
    const account = await makeAccount();
    const recipients = Array.from({ length: 60 }, (_, at) => `+1415556${String(at).padStart(4, "0")}`);
    const { messages } = await sendBulk(account.actor, { recipients, from: account.senderId, body: "Hi" }, request());
    const messageIds = messages.map((message) => message.id);
    await Promise.all([dispatchMessages({ messageIds }), dispatchMessages({ messageIds })]);
    await drainQueue(messageTasks);
    const { rows } = await pool().query<{ n: bigint }>(
      "SELECT count(*) AS n FROM message_attempts WHERE message_id = ANY($1::text[])",
      [messageIds],
    );
    expect(rows[0]?.n).toBe(60n);
    expect(await balanceOf(account)).toEqual({ balance: OPENING - 60n * PRICE, reserved: 0n });
  });

  test("an attempt that a crash left open is never repeated, and its message is refunded after its time", async () => {
    const account = await makeAccount();
    const { id } = await send(account, "+14155550123");
    expect(await claimAttempts([id])).toHaveLength(1);
    await drainQueue(messageTasks);
    expect((await getMessage(account.actor, id)).status).toBe("pending");
    await failUnresolved(ANY_AGE);
    expect(await getMessage(account.actor, id)).toMatchObject({
      status: "failed",
      cost: 0,
      error: { code: "provider_outcome_unknown" },
    });
    expect(await balanceOf(account)).toEqual({ balance: OPENING, reserved: 0n });
  });

  test("a receipt resolves an attempt without a response", async () => {
    const account = await makeAccount();
    const { id } = await send(account, "+14155550123");
    await claimAttempts([id]);
    await pool().query(
      "UPDATE message_attempts SET outcome = 'unknown', provider_message_id = $2 WHERE message_id = $1",
      [id, `x-${id}`],
    );
    const report = { providerMessageId: `x-${id}`, status: "delivered" as const, code: null, detail: null };
    await applyReceipts("sandbox", [{ ...report, occurredAt: new Date().toISOString() }]);
    expect((await getMessage(account.actor, id)).status).toBe("delivered");
    expect(await eventsOf(id)).toEqual(["message.sent:sent", "message.delivered:delivered"]);
    expect(await balanceOf(account)).toEqual({ balance: OPENING - PRICE, reserved: 0n });
  });

  test("an outcome whose transaction was aborted by the database is written again, once", async () => {
    const account = await makeAccount();
    const { id } = await send(account, "+15550100006");
    const dispatched = dispatchMessages({ messageIds: [id] });
    const blocker = await pool().connect();
    try {
      await blocker.query("BEGIN");
      await blocker.query("SET LOCAL idle_in_transaction_session_timeout = 0");
      await blocker.query("SELECT 1 FROM messages WHERE id = $1 FOR UPDATE", [id]);
      await untilWaiting("", 1);
      for (const { pid } of await lockWaits()) await pool().query("SELECT pg_terminate_backend($1)", [pid]);
    } finally {
      await blocker.query("ROLLBACK");
      blocker.release();
    }
    await dispatched;
    await drainQueue(messageTasks);
    expect(await getMessage(account.actor, id)).toMatchObject({ status: "delivered", attempts: 1 });
    expect(await eventsOf(id)).toEqual(["message.sent:sent", "message.delivered:delivered"]);
    expect(await balanceOf(account)).toEqual({ balance: OPENING - PRICE, reserved: 0n });
  });

  test("a message that lost its dispatch job is queued again", async () => {
    const account = await makeAccount();
    const { id } = await send(account, "+15550100001");
    await pool().query("DELETE FROM graphile_worker._private_jobs");
    await requeueOrphans(ANY_AGE);
    await drainQueue(messageTasks);
    expect((await getMessage(account.actor, id)).status).toBe("delivered");
  });

  test("a message that waits in a backlog of jobs is not queued again", async () => {
    const account = await makeAccount();
    await pool().query("DELETE FROM graphile_worker._private_jobs");
    const { id } = await send(account, "+15550100001");
    const jobs = () => pool().query("SELECT 1 FROM graphile_worker.jobs WHERE task_identifier = 'dispatch_messages'");
    await pool().query("UPDATE graphile_worker._private_jobs SET run_at = now() - interval '1 hour'");
    await requeueOrphans(ANY_AGE);
    expect((await jobs()).rowCount).toBe(1);
    const age = "UPDATE messages SET created_at = created_at - $2::interval WHERE id = $1";
    await pool().query(age, [id, "2 hours"]);
    await requeueOrphans(ANY_AGE);
    expect((await jobs()).rowCount).toBe(2);
    // The day on which it is counted may have been the previous one.
    await pool().query(age, [id, "-2 hours"]);
    await drainQueue(messageTasks);
  });

  test("a sent message without a final receipt ends undelivered, still billed", async () => {
    const account = await makeAccount();
    const { id } = await send(account, "+15550100008");
    await drainQueue(messageTasks);
    await expireUnconfirmed(ANY_AGE);
    expect(await getMessage(account.actor, id)).toMatchObject({ status: "undelivered", cost: 0.01 });
    expect(await eventsOf(id)).toEqual(["message.sent:sent", "message.failed:undelivered"]);
  });
});

test("afterwards every balance equals its ledger", async () => {
  await drainQueue(messageTasks);
  const report = await checkLedger();
  expect(report.accounts).toBeGreaterThan(5);
  expect(report.drifted).toEqual([]);
});

test("counters agree with the messages and events they count", async () => {
  const { rows } = await pool().query(
    `SELECT u.account_id FROM usage_days u
     JOIN LATERAL (SELECT count(*) AS n, count(*) FILTER (WHERE status = 'delivered') AS d,
       count(*) FILTER (WHERE status = 'failed') AS f, count(*) FILTER (WHERE status = 'pending') AS p,
       count(*) FILTER (WHERE status = 'sent') AS s, count(*) FILTER (WHERE status = 'undelivered') AS x,
       sum(cost_micros) AS c FROM messages m WHERE m.account_id = u.account_id) m ON true
     JOIN LATERAL (SELECT count(*) FILTER (WHERE type = 'message.sent') AS s,
       count(*) FILTER (WHERE type = 'message.delivered') AS d, count(*) FILTER (WHERE type = 'message.failed') AS f
       FROM events e WHERE e.account_id = u.account_id) e ON true
     WHERE (u.messages, u.delivered, u.failed, u.pending, u.sent, u.undelivered, u.cost_micros) IS DISTINCT FROM
       (m.n, m.d, m.f, m.p, m.s, m.x, m.c) OR (u.events_sent, u.events_delivered, u.events_failed) IS DISTINCT FROM (e.s, e.d, e.f)`,
  );
  expect(rows).toEqual([]);
});
