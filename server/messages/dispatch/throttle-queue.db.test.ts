import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { plainRequest } from "@/server/accounts/idempotency/request";
import { pool, transaction } from "@/server/core/db";
import { newId } from "@/server/core/ids";
import { sendBulk, sendMessage } from "@/server/messages/accept/send";
import type { Attempt } from "@/server/messages/dispatch/claims";
import {
  chargeThroughput,
  claimFromThrottleQueue,
  drainThrottleQueue,
  enqueueThrottled,
  loadThroughputLimits,
  providersWithQueue,
} from "@/server/messages/dispatch/throttle-queue";
import { getMessage } from "@/server/messages/read";
import { invalidateProviders } from "@/server/providers/registry";
import { claimAttempts } from "@/test/database/attempts";
import { holdAfter, loseReply } from "@/test/database/intercepted-statements";
import { makeRoute } from "@/test/database/routes";
import { makeAccount, type TestAccount } from "@/test/database/seed";

const SLOTS = 500;

beforeAll(() => makeRoute());

afterEach(async () => {
  for (const table of ["providers", "waiting_messages", "pace_buckets"]) await pool().query(`DELETE FROM ${table}`);
  await pool().query("UPDATE senders SET max_segments_per_second = NULL");
  invalidateProviders();
});

async function throttleProvider(rate: number): Promise<void> {
  await pool().query("INSERT INTO providers (id, max_segments_per_second) VALUES ('sandbox', $1)", [rate]);
  invalidateProviders();
}

/** Sends `count` messages and dispatches them; throttled ones wait. */
async function send(account: TestAccount, count: number, body = "x"): Promise<Attempt[]> {
  const recipients = Array.from({ length: count }, (_, at) => `+1415555${String(at).padStart(4, "0")}`);
  const { messages } = await sendBulk(account.actor, { recipients, from: account.senderId, body }, plainRequest());
  return claimAttempts(messages.map((message) => message.id));
}

/** Serves the queue until `count` attempts are claimed. */
async function serve(count: number): Promise<Attempt[]> {
  const served: Attempt[] = [];
  await expect
    .poll(
      async () => {
        served.push(...(await claimFromThrottleQueue("sandbox", SLOTS)));
        return served.length;
      },
      { interval: 20 },
    )
    .toBeGreaterThanOrEqual(count);
  return served;
}

test("a few messages of one account do not wait behind many of another", async () => {
  await throttleProvider(20);
  const [many, few] = [await makeAccount(), await makeAccount()];
  expect(await send(many, 30)).toEqual([]);
  expect(await send(few, 3)).toEqual([]);
  expect(await providersWithQueue(["sandbox", "twilio"])).toEqual(["sandbox"]);
  const served = await serve(33);
  const places = served.flatMap((attempt, at) => (attempt.accountId === few.accountId ? [at] : []));
  expect(Math.max(...places)).toBeLessThan(10);
  expect(new Set(served.map((attempt) => attempt.message.id)).size).toBe(33);
  expect(await providersWithQueue(["sandbox"])).toEqual([]);
});

test("the throughput limit counts segments: a long message makes the next ones wait longer", async () => {
  await throttleProvider(30);
  const account = await makeAccount();
  await send(account, 12, "x".repeat(1_000));
  const startedAt = performance.now();
  await serve(12);
  // 84 segments, minus the burst and the last message's overdraft.
  expect(performance.now() - startedAt).toBeGreaterThan(((84 - 30 - 7) / 30) * 1_000 - 50);
});

/** Slows down each serving between the refill of its buckets and their write. */
async function slowDown<Result>(work: () => Promise<Result>): Promise<Result> {
  await pool().query(`CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_sleep(0.1); RETURN NULL; END $$`);
  await pool().query("CREATE TRIGGER pause BEFORE DELETE ON waiting_messages EXECUTE FUNCTION pause()");
  try {
    return await work();
  } finally {
    await pool().query("DROP FUNCTION pause CASCADE");
  }
}

test("the time that a serving takes counts for the next one: a bucket gets the tokens of all time, once", async () => {
  const rate = 10;
  const account = await makeAccount();
  await throttleProvider(rate);
  await pool().query("UPDATE senders SET max_segments_per_second = 10 WHERE account_id = $1", [account.accountId]);
  const rateOfSender = async () => (await loadThroughputLimits()).ofSender(account.accountId, account.senderId);
  await expect.poll(rateOfSender).toBe(rate);
  await send(account, 1);
  const ids = ["provider:sandbox", `sender:${account.accountId}:${account.senderId}`];
  await slowDown(async () => {
    const made = await pool().query<{ at: number }>(
      `INSERT INTO pace_buckets (id, tokens, refilled_at) SELECT id, 1, now() FROM unnest($1::text[]) AS b (id)
       RETURNING extract(epoch FROM refilled_at)::float8 AS at`,
      [ids],
    );
    expect(await claimFromThrottleQueue("sandbox", SLOTS)).toHaveLength(1);
    const { rows } = await pool().query<{ tokens: number; at: number }>(
      "SELECT tokens, extract(epoch FROM refilled_at)::float8 AS at FROM pace_buckets WHERE id = ANY($1)",
      [ids],
    );
    expect(rows).toHaveLength(2);
    for (const { tokens, at } of rows) {
      const refilled = Math.min(rate, 1 + (at - (made.rows[0]?.at ?? 0)) * rate);
      expect(tokens).toBeCloseTo(refilled - 1, 3);
    }
  });
});

test("a sender's throughput limit delays only that sender", async () => {
  const [slow, other] = [await makeAccount(), await makeAccount()];
  await pool().query("UPDATE senders SET max_segments_per_second = 0.01 WHERE account_id = $1", [slow.accountId]);
  await expect.poll(() => send(slow, 1)).toEqual([]);
  await send(slow, 5);
  expect(await send(other, 5)).toHaveLength(5);
  expect((await serve(1)).map((attempt) => attempt.accountId)).toEqual([slow.accountId]);
  expect(await claimFromThrottleQueue("sandbox", SLOTS)).toEqual([]);
});

/** Limits the account's sender to one segment in a hundred seconds. */
async function slowDownSender({ accountId, senderId }: TestAccount): Promise<void> {
  await pool().query("UPDATE senders SET max_segments_per_second = 0.01 WHERE account_id = $1", [accountId]);
  await expect.poll(async () => (await loadThroughputLimits()).ofSender(accountId, senderId)).toBe(0.01);
}

/** Gives a bucket this state now. */
const setBucket = (id: string, tokens: number, virtualTime = 0) =>
  pool().query(
    `INSERT INTO pace_buckets (id, tokens, virtual_time, refilled_at) VALUES ($1, $2, $3, clock_timestamp())
     ON CONFLICT (id) DO UPDATE SET tokens = excluded.tokens, virtual_time = excluded.virtual_time`,
    [id, tokens, virtualTime],
  );

test("a sender with half a token keeps no other from its turn", async () => {
  const [slow, other] = [await makeAccount(), await makeAccount()];
  await throttleProvider(400);
  await slowDownSender(slow);
  await send(slow, 2);
  await send(other, 1);
  await setBucket(`sender:${slow.accountId}:${slow.senderId}`, 0.5);
  expect(await claimFromThrottleQueue("sandbox", 1)).toMatchObject([{ accountId: other.accountId }]);
});

test("messages of a slow sender that enter the queue while it is served wait for their sender's limit too", async () => {
  const [slow, other] = [await makeAccount(), await makeAccount()];
  await throttleProvider(400);
  await slowDownSender(slow);
  await send(other, 1);
  await setBucket("provider:sandbox", 400);
  const held = holdAfter("waiting.senders");
  const serving = claimFromThrottleQueue("sandbox", SLOTS);
  await held.reached;
  await send(slow, 3);
  held.release();
  expect(await serving).toMatchObject([{ accountId: other.accountId }]);
  expect(await claimFromThrottleQueue("sandbox", SLOTS)).toMatchObject([{ accountId: slow.accountId }]);
});

test("an attempt that bypasses the queue takes a token for each of its segments from its provider and its sender", async () => {
  const account = await makeAccount();
  const ids = ["provider:sandbox", `sender:${account.accountId}:${account.senderId}`];
  for (const id of ids) await setBucket(id, 5);
  const attempts = await send(account, 2, "x".repeat(400));
  for (const { slot } of attempts) slot?.release();
  await chargeThroughput(pool(), attempts);
  const { rows } = await pool().query("SELECT id, tokens FROM pace_buckets ORDER BY id");
  expect(rows).toEqual(ids.map((id) => ({ id, tokens: 5 - 2 * 3 })));
});

test("messages of a slow sender are skipped, however many are queued", async () => {
  const [slow, other] = [await makeAccount(), await makeAccount()];
  await throttleProvider(400);
  await slowDownSender(slow);
  await send(slow, 300);
  await send(other, 40);
  const served = await serve(41);
  expect(served.filter((attempt) => attempt.accountId === slow.accountId)).toHaveLength(1);
  expect(served.filter((attempt) => attempt.accountId === other.accountId)).toHaveLength(40);
});

test("concurrent workers claim no message twice, and share one throughput limit", async () => {
  await throttleProvider(1_000);
  await send(await makeAccount(), 200);
  const turns = await Promise.all(Array.from({ length: 8 }, () => claimFromThrottleQueue("sandbox", SLOTS)));
  const served = [...turns.flat(), ...(await serve(200 - turns.flat().length))];
  expect(new Set(served.map((attempt) => attempt.message.id)).size).toBe(200);
  expect(served).toHaveLength(200);
});

test("a drained queue is dispatched again", async () => {
  await throttleProvider(0.1);
  await send(await makeAccount(), 5);
  expect(await drainThrottleQueue("sandbox", 3)).toBe(3);
  expect(await drainThrottleQueue("sandbox", 3)).toBe(2);
  expect(await providersWithQueue(["sandbox"])).toEqual([]);
});

/** Ids of messages that dispatch jobs carry. */
async function dispatched(): Promise<string[]> {
  const { rows } = await pool().query<{ ids: string[] }>(
    "SELECT payload -> 'messageIds' AS ids FROM graphile_worker._private_jobs WHERE payload::jsonb ? 'messageIds'",
  );
  return rows.flatMap(({ ids }) => ids);
}

/** One claimed attempt of a new message. */
async function claimOne(): Promise<Attempt> {
  const [attempt] = await send(await makeAccount(), 1);
  if (!attempt) throw new Error("not claimed");
  attempt.slot?.release();
  await pool().query("DELETE FROM graphile_worker._private_jobs");
  return attempt;
}

describe("a dispatch that another one has overtaken", () => {
  const end = ({ message }: Attempt, outcome: string) =>
    pool().query("UPDATE message_attempts SET outcome = $2 WHERE message_id = $1", [message.id, outcome]);

  test.each([
    ["has the attempt under way", async () => {}],
    ["has made the attempt", (attempt: Attempt) => end(attempt, "retryable")],
    [
      "ended the message",
      async ({ message }: Attempt) => {
        await pool().query("DELETE FROM message_attempts WHERE message_id = $1", [message.id]);
        await pool().query("UPDATE messages SET status = 'failed' WHERE id = $1", [message.id]);
      },
    ],
  ])("enqueues nothing when the other %s", async (_, overtake) => {
    const attempt = await claimOne();
    await overtake(attempt);
    await transaction((tx) => enqueueThrottled(tx, [attempt]));
    expect(await providersWithQueue(["sandbox"])).toEqual([]);
  });

  test.each([
    ["the attempt that follows", "retryable", ["sandbox"]],
    ["nothing after a refusal", "refused", []],
  ])("enqueues %s", async (_, outcome, expected) => {
    const attempt = await claimOne();
    await end(attempt, outcome);
    await transaction((tx) => enqueueThrottled(tx, [{ ...attempt, seq: 2 }]));
    expect(await providersWithQueue(["sandbox"])).toEqual(expected);
  });

  test("has its message dispatched again when its place in the queue turns out to be stale", async () => {
    await throttleProvider(100);
    const account = await makeAccount();
    expect(await send(account, 2)).toEqual([]);
    const { rows } = await pool().query<{ id: string }>(
      "SELECT message_id AS id FROM waiting_messages ORDER BY message_id",
    );
    const [stale, fresh] = rows.map(({ id }) => id);
    // Another worker has made the attempt since, and the message is to be tried again.
    await pool().query(
      `INSERT INTO message_attempts (message_id, seq, provider, started_at, outcome, fault)
       VALUES ($1, 1, 'sandbox', now(), 'retryable', 'throttled')`,
      [stale],
    );
    await pool().query("DELETE FROM graphile_worker._private_jobs");
    expect((await serve(1)).map(({ message }) => message.id)).toEqual([fresh]);
    expect(await dispatched()).toEqual([stale]);
    expect(await providersWithQueue(["sandbox"])).toEqual([]);
  });
});

test("a STOP while messages wait applies to them: they fail, free of charge", async () => {
  const account = await makeAccount();
  const to = "+14155550199";
  const stop = () =>
    pool().query(
      `INSERT INTO suppressions (id, account_id, number, sender_id, reason) VALUES ($1, $2, $3, $4, 'stop')
       ON CONFLICT DO NOTHING`,
      [newId("suppression"), account.accountId, to, account.senderId],
    );
  const accept = () => sendMessage(account.actor, { to, from: account.senderId, body: "x" }, plainRequest());
  const [waiting, undispatched] = [await accept(), await accept()];
  await throttleProvider(1);
  expect(await claimAttempts([waiting.id])).toEqual([]);
  await stop();
  await pool().query("DELETE FROM graphile_worker._private_jobs");
  await setBucket("provider:sandbox", 1, 7);
  expect(await claimFromThrottleQueue("sandbox", SLOTS)).toEqual([]);
  // By it, accounts whose messages come next get their places.
  expect((await pool().query("SELECT virtual_time AS at FROM pace_buckets")).rows).toEqual([{ at: 7 }]);
  expect(await providersWithQueue(["sandbox"])).toEqual([]);
  expect(await dispatched()).toEqual([waiting.id]);
  expect(await claimAttempts([waiting.id, undispatched.id])).toEqual([]);
  for (const { id } of [waiting, undispatched]) {
    expect(await getMessage(account.actor, id)).toMatchObject({
      status: "failed",
      cost: 0,
      attempts: 0,
      error: { code: "blocklisted" },
    });
  }
});

test("claims from the queue whose commit got no reply are given back, and their messages dispatched again", async () => {
  await throttleProvider(100);
  expect(await send(await makeAccount(), 1)).toEqual([]);
  await pool().query("DELETE FROM graphile_worker._private_jobs");
  loseReply(/^COMMIT$/, new Error("Connection terminated unexpectedly"));
  await expect(claimFromThrottleQueue("sandbox", SLOTS)).rejects.toThrow();
  await expect.poll(dispatched).toHaveLength(1);
  const { rowCount } = await pool().query("SELECT FROM message_attempts WHERE message_id = ANY($1::text[])", [
    await dispatched(),
  ]);
  expect(rowCount).toBe(0);
});
