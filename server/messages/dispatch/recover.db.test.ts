import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { plainRequest } from "@/server/accounts/idempotency/request";
import { pool, transaction } from "@/server/core/db";
import { workerId } from "@/server/core/worker-id";
import { sendMessage } from "@/server/messages/accept/send";
import { attemptResult } from "@/server/messages/dispatch/attempt-result";
import { begin, claim, deleteClaims, dropClaims, giveBack, knownClaims } from "@/server/messages/dispatch/claims";
import { attemptOf } from "@/server/messages/dispatch/next-attempt";
import { recordOutcome } from "@/server/messages/dispatch/record-outcome";
import {
  findForgottenWorkers,
  giveBackUnheard,
  recoverAttempts,
  resolveBegun,
  takeBackClaims,
} from "@/server/messages/dispatch/recover";
import { continueWith, settleAttempts } from "@/server/messages/dispatch/run-attempt";
import { getMessage } from "@/server/messages/read";
import { applyReceipts } from "@/server/messages/receipts/apply-receipts";
import { referenceTo } from "@/server/providers/reference";
import {
  type Claimed,
  claimAttempts,
  claimed as claimedByUs,
  prepareAttempts,
  recordAndAdvance,
  report,
  statusOf,
  UNKNOWN,
} from "@/test/database/attempts";
import { loseReply } from "@/test/database/intercepted-statements";
import { openTransaction, untilWaiting } from "@/test/database/lock-waits";
import { makeRoute } from "@/test/database/routes";
import { makeAccount } from "@/test/database/seed";

beforeAll(prepareAttempts);

beforeEach(() => pool().query("DELETE FROM graphile_worker._private_jobs"));

type Row = { seq: number; provider: string; outcome: string | null; code: string | null; isBegun: boolean };

const attemptsOf = async (id: string): Promise<Row[]> =>
  (
    await pool().query<Row>(
      `SELECT seq, provider, outcome, code, begun_at IS NOT NULL AS "isBegun" FROM message_attempts
       WHERE message_id = $1 ORDER BY seq`,
      [id],
    )
  ).rows;

/** Ids of messages that dispatch jobs carry. */
async function queued(): Promise<string[]> {
  const { rows } = await pool().query<{ ids: string[] }>(
    `SELECT payload -> 'messageIds' AS ids FROM graphile_worker._private_jobs j
     JOIN graphile_worker._private_tasks t ON t.id = j.task_id WHERE t.identifier = 'dispatch_messages'`,
  );
  return rows.flatMap(({ ids }) => ids);
}

/** Assigns the message's attempts to another worker, which has begun them or not. */
async function belongsTo(worker: string, { id }: Claimed, isBegun: boolean): Promise<void> {
  await pool().query(
    `UPDATE message_attempts SET worker_id = $2, begun_at = CASE WHEN $3 THEN now() END WHERE message_id = $1`,
    [id, worker, isBegun],
  );
}

const letTimePass = (id: string, interval: string) =>
  pool().query(
    "UPDATE message_attempts SET started_at = started_at - $2::interval, begun_at = begun_at - $2::interval WHERE message_id = $1",
    [id, interval],
  );

/** A message at its first attempt, with an empty job queue. */
async function claimed(): Promise<Claimed> {
  const message = await claimedByUs();
  await pool().query("DELETE FROM graphile_worker._private_jobs");
  return message;
}

async function newMessage() {
  const account = await makeAccount();
  const input = { to: "+14155550123", from: account.senderId, body: "Hello" };
  const { id } = await sendMessage(account.actor, input, plainRequest());
  const message = { id, to: input.to, from: input.from, body: input.body, encoding: "GSM-7", segments: 1 } as const;
  const candidate = { message, accountId: account.accountId, tried: [], afterUnknown: false };
  await pool().query("DELETE FROM graphile_worker._private_jobs");
  return { account, id, candidate };
}

describe("a worker whose lease has expired", () => {
  test("has its claims taken back and their messages dispatched: they were never sent", async () => {
    const message = await claimed();
    await belongsTo("worker-dead", message, false);
    expect(await takeBackClaims(["worker-dead"])).toBe(1);
    expect(await attemptsOf(message.id)).toEqual([]);
    expect(await queued()).toEqual([message.id]);
    const [again] = await claimAttempts([message.id]);
    expect(again).toMatchObject({ seq: 1, provider: "vonage" });
    again?.slot?.release();
  });

  test("cannot begin a claim that was taken back, even if it has claimed the attempt again", async () => {
    const message = await claimed();
    await belongsTo(workerId(), message, false);
    await takeBackClaims([workerId()]);
    const [again] = await claimAttempts([message.id]);
    again?.slot?.release();
    await belongsTo(workerId(), message, false);
    expect(await begin(message.first)).toBe(false);
    expect(await attemptsOf(message.id)).toMatchObject([{ isBegun: false }]);
    expect(again && (await begin(again))).toBe(true);
  });

  test("is the only one whose claims are taken back, except those begun meanwhile", async () => {
    const [dead, alive] = [await claimed(), await claimed()];
    await belongsTo("worker-dead", dead, false);
    await belongsTo("worker-alive", alive, false);
    expect(await takeBackClaims(["worker-dead"])).toBe(1);
    expect([await attemptsOf(dead.id), await attemptsOf(alive.id)]).toMatchObject([[], [{ seq: 1 }]]);
    // It was found before it was begun.
    await belongsTo("worker-alive", alive, true);
    expect(await transaction((tx) => deleteClaims(tx, [alive.first], { keepsBegun: true }))).toBe(0);
    expect(await attemptsOf(alive.id)).toMatchObject([{ seq: 1, isBegun: true }]);
  });

  test("keeps an attempt that begins while its claim is being taken back", async () => {
    const message = await claimed();
    await belongsTo("worker-suspended", message, false);
    const holder = await openTransaction((tx) =>
      tx.query("SELECT FROM messages WHERE id = $1 FOR UPDATE", [message.id]),
    );
    const taking = takeBackClaims(["worker-suspended"]);
    await untilWaiting("FROM messages");
    expect(await begin(message.first)).toBe(true);
    await holder.commit();
    expect(await taking).toBe(0);
    expect(await attemptsOf(message.id)).toMatchObject([{ seq: 1, outcome: null, isBegun: true }]);
    expect(await queued()).toEqual([]);
  });

  test("leaves begun attempts with an unknown outcome, and the messages fall back at once", async () => {
    const message = await claimed();
    await belongsTo("worker-dead", message, true);
    expect(await takeBackClaims(["worker-dead"])).toBe(0);
    expect(await resolveBegun(["worker-dead"])).toBe(1);
    await settleAttempts();
    // The next provider does not respond either, so both were tried.
    expect((await attemptsOf(message.id)).slice(0, 1)).toMatchObject([
      { seq: 1, provider: "vonage", outcome: "unknown", code: "worker_lost" },
    ]);
    expect((await attemptsOf(message.id))[1]).toMatchObject({ seq: 2, provider: "twilio" });
  });

  test("leaves no open attempt of a message that an earlier attempt has delivered meanwhile", async () => {
    const message = await claimed();
    await recordAndAdvance(message.first, UNKNOWN);
    await pool().query(
      "UPDATE message_attempts SET worker_id = 'worker-late', begun_at = now() WHERE message_id = $1 AND seq = 2",
      [message.id],
    );
    await applyReceipts("vonage", [report("id-of-late", "delivered", referenceTo(message.id, 1))]);
    expect(await statusOf(message)).toBe("delivered");
    await letTimePass(message.id, "2 minutes");
    expect(await findForgottenWorkers()).toContain("worker-late");
    await recoverAttempts(["worker-late"]);
    expect((await attemptsOf(message.id))[1]).toMatchObject({ seq: 2, outcome: "unknown", code: "worker_lost" });
    expect(await findForgottenWorkers()).not.toContain("worker-late");
    expect(await statusOf(message)).toBe("delivered");
    expect(await queued()).toEqual([]);
  });

  test("is found by its attempts when its lease is gone", async () => {
    const message = await claimed();
    await belongsTo("worker-forgotten", message, false);
    expect(await findForgottenWorkers()).not.toContain("worker-forgotten");
    await letTimePass(message.id, "2 minutes");
    expect(await findForgottenWorkers()).toContain("worker-forgotten");
    await pool().query("INSERT INTO workers (id) VALUES ('worker-forgotten')");
    expect(await findForgottenWorkers()).not.toContain("worker-forgotten");
    await pool().query("DELETE FROM workers WHERE id = 'worker-forgotten'");
    await recoverAttempts(["worker-forgotten"]);
    expect(await queued()).toEqual([message.id]);
  });
});

describe("a claim whose reply is lost", () => {
  test("is given back by the worker that made it unknowingly, begun or not", async () => {
    for (const begins of [true, false]) {
      const { id, candidate } = await newMessage();
      const attempt = attemptOf(candidate, "vonage", new Date());
      expect(await claim(null, [attempt], () => begins)).toHaveLength(1);
      await letTimePass(id, "1 minute");
      // While it knows the claim, it is making the attempt.
      expect(await giveBackUnheard()).toBe(0);
      dropClaims([attempt]);
      expect(await giveBackUnheard(undefined, 30_000)).toBe(0);
      expect(await giveBackUnheard()).toBe(1);
      expect(await attemptsOf(id)).toEqual([]);
      expect(await queued()).toEqual([id]);
      await pool().query("DELETE FROM graphile_worker._private_jobs");
    }
  });

  test("is left alone for a moment: the reply may still arrive", async () => {
    const { id, candidate } = await newMessage();
    const attempt = attemptOf(candidate, "vonage", new Date());
    await claim(null, [attempt], () => true);
    dropClaims([attempt]);
    expect(await giveBackUnheard()).toBe(0);
    expect(await attemptsOf(id)).toHaveLength(1);
  });

  test("is left alone if it belongs to another worker or was begun a moment ago", async () => {
    const [others, begun] = [await claimed(), await claimed()];
    for (const { id, first } of [others, begun]) {
      dropClaims([first]);
      await letTimePass(id, "1 minute");
    }
    await belongsTo("worker-alive", others, false);
    await belongsTo(workerId(), begun, true);
    expect(await giveBackUnheard()).toBe(0);
    expect([await attemptsOf(others.id), await attemptsOf(begun.id)]).toMatchObject([[{ seq: 1 }], [{ seq: 1 }]]);
    await letTimePass(begun.id, "1 minute");
    expect(await giveBackUnheard()).toBe(1);
  });

  test("is given back at once when its statement fails", async () => {
    const { id, candidate } = await newMessage();
    const attempt = attemptOf(candidate, "vonage", new Date());
    // The database carries it out, and the reply is lost.
    const losing = {
      query: async (...args: Parameters<ReturnType<typeof pool>["query"]>) => {
        await pool().query(...args);
        throw new Error("The connection was lost.");
      },
    } as never;
    await expect(claim(losing, [attempt], () => true)).rejects.toThrow("lost");
    await expect.poll(() => attemptsOf(id)).toEqual([]);
    expect(await queued()).toEqual([id]);
  });

  test("is dropped by the worker if another one has the attempt", async () => {
    const { candidate } = await newMessage();
    const [first, second] = [attemptOf(candidate, "vonage", new Date()), attemptOf(candidate, "vonage", new Date())];
    expect(await claim(null, [first], () => false)).toHaveLength(1);
    expect(await claim(null, [second], () => false)).toEqual([]);
    expect([first, second].map(({ claim: token }) => knownClaims().has(token))).toEqual([true, false]);
    dropClaims([first]);
  });

  test("is dropped by the worker if its statement was not carried out", async () => {
    const { candidate } = await newMessage();
    const attempt = attemptOf(candidate, "vonage", new Date());
    const refusing = { query: () => Promise.reject(new Error("The connection was lost.")) } as never;
    await expect(claim(refusing, [attempt], () => true)).rejects.toThrow("lost");
    expect(knownClaims().has(attempt.claim)).toBe(false);
  });
});

test("a claim that follows an outcome is given back if the reply was lost, and a receipt has sent the message meanwhile", async () => {
  const message = await claimed();
  loseReply(/^COMMIT$/, new Error("Connection terminated unexpectedly"), () =>
    applyReceipts("vonage", [report(`${message.id}-1`, "sent", referenceTo(message.id, 1))]),
  );
  await continueWith(message.first, UNKNOWN);
  expect(await statusOf(message)).toBe("sent");
  expect(await attemptsOf(message.id)).toMatchObject([{ seq: 1 }, { seq: 2, outcome: null, isBegun: false }]);
  await giveBackUnheard(0);
  expect(await attemptsOf(message.id)).toMatchObject([{ seq: 1 }]);
});

describe("an attempt that is given back", () => {
  test("a second time, because the reply to COMMIT was lost, leaves another worker's attempt alone", async () => {
    const message = await claimed();
    await giveBack([message.first]);
    // Another worker has claimed the same attempt number and calls the provider.
    const [other] = await claimAttempts([message.id]);
    other?.slot?.release();
    await giveBack([message.first]);
    expect(await attemptsOf(message.id)).toMatchObject([{ seq: 1, provider: "vonage", outcome: null }]);
    expect(await queued()).toEqual([message.id]);
  });

  test("after its outcome is known is kept", async () => {
    const message = await claimed();
    await recordOutcome(attemptResult(message.first, { kind: "accepted", providerMessageIds: [`${message.id}-1`] }, 1));
    await giveBack([message.first]);
    expect(await attemptsOf(message.id)).toHaveLength(1);
    expect(await statusOf(message)).toBe("sent");
  });
});

test("an attempt does not begin for a message that has failed meanwhile", async () => {
  const message = await claimed();
  const second = await recordAndAdvance(message.first, UNKNOWN);
  await recordOutcome(attemptResult(message.first, { kind: "accepted", providerMessageIds: [`${message.id}-1`] }, 1));
  expect(await begin(second)).toBe(false);
  expect((await getMessage(message.account.actor, message.id)).provider).toBe("vonage");
});

test("attempts at a provider that needs a connection are claimed first and begin later", async () => {
  await makeRoute({ prefix: "1777", chain: ["sandbox"] });
  const { id, candidate } = await newMessage();
  const [attempt] = await claim(null, [attemptOf(candidate, "sandbox", new Date())], () => false);
  expect(await attemptsOf(id)).toMatchObject([{ isBegun: false }]);
  expect(attempt?.begunAtMs).toBeNull();
  expect(attempt && (await begin(attempt))).toBe(true);
  expect(await attemptsOf(id)).toMatchObject([{ isBegun: true }]);
});

test.each([
  { isBegun: false, since: null, probes: 1 },
  { isBegun: true, since: null, probes: 1 },
  { isBegun: true, since: "a minute before", probes: 1 },
  // Its attempt was under way when the breaker opened, so that it is no probe.
  { isBegun: false, since: "a minute after", probes: 0 },
  { isBegun: true, since: "a minute after", probes: 0 },
])("probes that a dead worker had taken can be taken by others (%o)", async ({ isBegun, since, probes }) => {
  const message = await claimed();
  await belongsTo("worker-dead", message, isBegun);
  await pool().query(
    `INSERT INTO providers (id, breaker, probes_left, open_until)
     VALUES ($1, 'probing', 0, (SELECT max(started_at) FROM message_attempts WHERE message_id = $3) + $2::interval)
     ON CONFLICT (id) DO UPDATE SET breaker = 'probing', probes_left = 0, open_until = excluded.open_until`,
    [
      message.first.provider,
      since && { "a minute before": "-1 minute", "a minute after": "1 minute" }[since],
      message.id,
    ],
  );
  try {
    await recoverAttempts(["worker-dead"]);
    const { rows } = await pool().query("SELECT probes_left AS probes FROM providers WHERE id = $1", [
      message.first.provider,
    ]);
    expect(rows).toEqual([{ probes }]);
  } finally {
    await pool().query("UPDATE providers SET breaker = 'closed', probes_left = 0, open_until = NULL WHERE id = $1", [
      message.first.provider,
    ]);
    await settleAttempts();
  }
});
