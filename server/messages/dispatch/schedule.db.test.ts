import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { plainRequest } from "@/server/accounts/idempotency/request";
import { DAY_MS, HOUR_MS } from "@/server/core/clock";
import { pool, transaction } from "@/server/core/db";
import { sendBulk, sendMessage } from "@/server/messages/accept/send";
import { failStranded, requeueOrphans } from "@/server/messages/dispatch/sweeps";
import { listMessages } from "@/server/messages/lists/list-messages";
import { getMessage, getTimeline } from "@/server/messages/read";
import { insertManual } from "@/server/suppressions/store";
import { contradictions } from "@/test/database/account-truth";
import { claimAttempts, prepareAttempts } from "@/test/database/attempts";
import { copyMessage } from "@/test/database/messages/copies";
import { explain, rowsRead, statementsOf } from "@/test/database/plans";
import { makeAccount, type TestAccount } from "@/test/database/seed";

const TO = "+14155550123";
const later = (aheadMs = HOUR_MS) => new Date(Date.now() + aheadMs).toISOString();

beforeAll(prepareAttempts);
beforeEach(() => pool().query("DELETE FROM graphile_worker._private_jobs"));

const schedule = (account: TestAccount, send_at = later(), to = TO) =>
  sendMessage(account.actor, { to, from: account.senderId, body: "Hello", send_at }, plainRequest());

/** Moves the schedule to the past; its job stays where it was. */
const makeDue = (id: string, interval = "1 second") =>
  pool().query("UPDATE messages SET scheduled_at = now() - $2::interval WHERE id = $1", [id, interval]);

const claimAll = async (...ids: string[]) => {
  const attempts = await claimAttempts(ids);
  for (const { slot } of attempts) slot?.release();
  return attempts.map(({ message }) => message.id);
};

const dispatchJobs = async () =>
  (
    await pool().query<{ ids: string[]; runAt: Date }>(
      `SELECT payload -> 'messageIds' AS ids, run_at AS "runAt" FROM graphile_worker._private_jobs j
       JOIN graphile_worker._private_tasks t ON t.id = j.task_id WHERE t.identifier = 'dispatch_messages' ORDER BY run_at`,
    )
  ).rows;

describe("a scheduled message", () => {
  test("is pending with its cost reserved, and its job is due exactly when it is", async () => {
    const account = await makeAccount();
    const sendAt = later();
    const message = await schedule(account, sendAt);
    expect(message).toMatchObject({ status: "pending", scheduled_at: sendAt, validity_period: null, cost: 0.01 });
    expect(await dispatchJobs()).toEqual([{ ids: [message.id], runAt: new Date(sendAt) }]);
    expect(await getMessage(account.actor, message.id)).toEqual(message);
    expect((await getTimeline(account.actor, message.id)).entries[0]).toMatchObject({
      kind: "accepted",
      details: { scheduled_at: sendAt },
    });
    expect(await contradictions(account.accountId)).toEqual([]);
  });

  test("is not claimed before its time, by any dispatch", async () => {
    const account = await makeAccount();
    const { id } = await schedule(account);
    expect(await claimAll(id)).toEqual([]);
    await makeDue(id);
    expect(await claimAll(id)).toEqual([id]);
  });

  test("of a bulk shares its job with the others of the request, and an unscheduled one in the batch is sent at once", async () => {
    const account = await makeAccount();
    const sendAt = later();
    const recipients = ["+14155550101", "+14155550102"];
    const bulk = { recipients, from: account.senderId, body: "Hi", send_at: sendAt };
    const { messages } = await sendBulk(account.actor, bulk, plainRequest());
    const now = await sendMessage(account.actor, { to: TO, from: account.senderId, body: "Hi" }, plainRequest());
    const jobs = await dispatchJobs();
    expect(jobs.map(({ ids }) => ids)).toEqual([[now.id], messages.map(({ id }) => id)]);
    expect(jobs[1]?.runAt).toEqual(new Date(sendAt));
    expect(now.scheduled_at).toBeNull();
  });

  test("is found among the pending ones by the time of its acceptance", async () => {
    const account = await makeAccount();
    const { id, created_at } = await schedule(account, later(3 * DAY_MS));
    const page = { page: 1, limit: 10, status: "pending" } as const;
    const from = new Date(Date.parse(created_at) - 1_000).toISOString();
    const to = new Date(Date.parse(created_at) + 1_000).toISOString();
    const found = await listMessages(account.actor, { ...page, created_after: from, created_before: to });
    expect(found.items.map((message) => message.id)).toEqual([id]);
    expect(found.pagination.total).toBe(1);
    expect((await listMessages(account.actor, { ...page, created_after: to })).items).toEqual([]);
  });

  test("that lost its job is queued again ten minutes after it was due, and not before", async () => {
    const account = await makeAccount();
    const { id } = await schedule(account);
    const minutes = 10 * 60_000;
    await pool().query("DELETE FROM graphile_worker._private_jobs");
    await pool().query("UPDATE messages SET created_at = created_at - interval '1 day' WHERE id = $1", [id]);
    await requeueOrphans(minutes);
    expect(await dispatchJobs()).toEqual([]);
    await makeDue(id, "11 minutes");
    await requeueOrphans(minutes);
    expect((await dispatchJobs()).map(({ ids }) => ids)).toEqual([[id]]);
  });
});

describe("a repeated request", () => {
  test("gets its first response even when the time of its schedule has passed", async () => {
    const account = await makeAccount();
    const keyed = () => ({ ...plainRequest(), idempotency: () => ({ key: "order-1", requestHash: "same" }) });
    const input = { to: TO, from: account.senderId, body: "Hello", send_at: later() };
    const first = await sendMessage(account.actor, input, keyed());
    const again = await sendMessage(account.actor, { ...input, send_at: later(-HOUR_MS) }, keyed());
    expect(again).toEqual(first);
  });
});

describe("when it is due", () => {
  /** A scheduled message that is due, after `change`. */
  async function dueAfter(change: (account: TestAccount) => Promise<unknown>) {
    const account = await makeAccount();
    const { id } = await schedule(account);
    await change(account);
    await makeDue(id);
    expect(await claimAll(id)).toEqual([]);
    expect(await contradictions(account.accountId)).toEqual([]);
    return getMessage(account.actor, id);
  }
  const set = (account: TestAccount, column: string, value: unknown) =>
    pool().query(`UPDATE accounts SET ${column} = $2 WHERE id = $1`, [account.accountId, value]);

  test("a number that was suppressed meanwhile gets no message, and the cost is refunded", async () => {
    const message = await dueAfter(({ accountId }) =>
      transaction((tx) => insertManual(tx, { accountId, number: TO, senderId: "", at: new Date() }, null)),
    );
    expect(message).toMatchObject({ status: "failed", cost: 0, attempts: 0, error: { code: "blocklisted" } });
  });

  test("a sender that lost its approval sends nothing", async () => {
    const message = await dueAfter(({ accountId }) =>
      pool().query("UPDATE senders SET status = 'suspended' WHERE account_id = $1", [accountId]),
    );
    expect(message).toMatchObject({ status: "failed", cost: 0, error: { code: "sender_not_approved" } });
  });

  test("a suspended account sends nothing", async () => {
    const message = await dueAfter((account) => set(account, "status", "suspended"));
    expect(message).toMatchObject({ status: "failed", cost: 0, error: { code: "account_not_active" } });
  });

  test("no message goes to a country that the account no longer sends to", async () => {
    const message = await dueAfter((account) => set(account, "allowed_countries", ["DE"]));
    expect(message).toMatchObject({ status: "failed", cost: 0, error: { code: "country_not_allowed" } });
  });

  test("the spending cap of the day is checked again", async () => {
    const message = await dueAfter((account) => set(account, "daily_spend_cap_micros", 9_999));
    expect(message).toMatchObject({ status: "failed", cost: 0, error: { code: "daily_spend_cap" } });
  });
});

test("the sweeps read none of the messages that are scheduled for later", async () => {
  const account = await makeAccount();
  const { id } = await schedule(account, later(29 * DAY_MS));
  const copies = 20_000;
  await copyMessage(id, copies, {
    id: "'msg_' || substr(m.id, 5, 10) || lpad(n::text, 16, '0')",
    created_at: "now() - interval '1 hour'",
  });
  await pool().query("ANALYZE messages, message_attempts, pending_messages");
  const statements = await statementsOf(async () => {
    await requeueOrphans(60_000);
    await failStranded(60_000);
  });
  const relations = ["messages", "message_attempts", "pending_messages"];
  const reads: number[] = [];
  for (const statement of statements.filter(({ text }) => text.includes("FROM pending_messages"))) {
    const { plan, listsRead } = await explain(statement);
    reads.push(rowsRead(plan, relations) + listsRead);
  }
  // Both sweeps share one statement.
  expect(reads).toHaveLength(1);
  expect(Math.max(...reads)).toBeLessThan(100);
});
