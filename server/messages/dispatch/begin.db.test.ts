/** Tests of attempts that waited after their claim: for a slot, for a connection, or for an earlier attempt to end. */

import pg from "pg";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { checkLedger } from "@/server/accounts/tasks";
import { pool } from "@/server/core/db";
import { ALLOWED_FRESH_MS, BEGUN_FRESH_MS, begin, giveBack } from "@/server/messages/dispatch/claims";
import { settleAttempts, startAttempts } from "@/server/messages/dispatch/run-attempt";
import { getMessage } from "@/server/messages/read";
import { moveClockAhead } from "@/test/clock";
import {
  BUSY,
  type Claimed,
  claimAttempts,
  claimed,
  prepareAttempts,
  recordAndAdvance,
  statusOf,
} from "@/test/database/attempts";

beforeAll(prepareAttempts);
afterEach(() => vi.restoreAllMocks());

const suppress = ({ account }: Claimed, senderId: string) =>
  pool().query(
    `INSERT INTO suppressions (id, account_id, number, sender_id, reason, created_at)
     VALUES ($1, $2, '+14155550123', $3, 'stop', now())`,
    [`sup_${account.accountId.slice(4)}${senderId === "" ? "" : "1"}`, account.accountId, senderId],
  );

const revocations: { what: string; code: string; revoke: (message: Claimed) => Promise<unknown> }[] = [
  {
    what: "a STOP to its sender",
    code: "blocklisted",
    revoke: (message) => suppress(message, message.account.senderId),
  },
  { what: "a STOP to every sender", code: "blocklisted", revoke: (message) => suppress(message, "") },
  {
    what: "the suspension of its account",
    code: "account_not_active",
    revoke: ({ account }) =>
      pool().query("UPDATE accounts SET status = 'suspended' WHERE id = $1", [account.accountId]),
  },
  {
    what: "the rejection of its sender",
    code: "sender_not_approved",
    revoke: ({ account }) =>
      pool().query("UPDATE senders SET status = 'rejected' WHERE account_id = $1", [account.accountId]),
  },
  {
    what: "the deletion of its sender",
    code: "sender_not_approved",
    revoke: ({ account }) => pool().query("DELETE FROM senders WHERE account_id = $1", [account.accountId]),
  },
];

describe.each(revocations)("after $what", ({ code, revoke }) => {
  test("an attempt that follows another one is not made, and its message fails and costs nothing", async () => {
    const message = await claimed();
    const second = await recordAndAdvance(message.first, BUSY);
    await revoke(message);

    expect(await begin(second)).toBe(false);
    startAttempts([second]);
    await settleAttempts();
    const { rows } = await pool().query("SELECT seq, provider, outcome FROM message_attempts WHERE message_id = $1", [
      message.id,
    ]);
    expect(rows).toEqual([{ seq: 1, provider: "vonage", outcome: "retryable" }]);
    expect(await claimAttempts([message.id])).toEqual([]);
    expect(await getMessage(message.account.actor, message.id)).toMatchObject({
      status: "failed",
      cost: 0,
      error: { code },
    });
    expect((await checkLedger()).drifted).toEqual([]);
  });
});

test("a STOP to another sender of the account lets an attempt begin", async () => {
  const message = await claimed();
  const second = await recordAndAdvance(message.first, BUSY);
  await suppress(message, "OTHER");
  expect(await begin(second)).toBe(true);
});

/** Calls `work` when the first begin of an attempt is committed, before this process gets the reply. */
function afterBeginning(work: () => Promise<unknown>): { count: () => number } {
  let begun = 0;
  type Done = (...results: unknown[]) => void;
  const query = pg.Client.prototype.query as unknown as (...args: unknown[]) => unknown;
  vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    if ((args[0] as { name?: string }).name !== "attempts.begin") return query.apply(this, args);
    begun += 1;
    if (begun > 1) return query.apply(this, args);
    // The pool passes a callback as the last argument.
    const done = args.pop() as Done;
    return query.call(this, ...args, (...results: unknown[]) => void work().then(() => done(...results)));
  } as never);
  return { count: () => begun };
}

describe("an attempt whose begin took long", () => {
  test("is begun again before its provider is called, and is not made if others have taken it over", async () => {
    const message = await claimed();
    const beginnings = afterBeginning(async () => {
      moveClockAhead(2 * BEGUN_FRESH_MS);
      await pool().query(
        "UPDATE message_attempts SET outcome = 'unknown', code = 'worker_lost', finished_at = now() WHERE message_id = $1",
        [message.id],
      );
    });
    startAttempts([{ ...message.first, begunAtMs: null }]);
    await settleAttempts();
    expect(beginnings.count()).toBeGreaterThan(1);
    const { rows } = await pool().query("SELECT code FROM message_attempts WHERE message_id = $1 AND seq = 1", [
      message.id,
    ]);
    expect(rows).toEqual([{ code: "not_begun" }]);
  });

  test("is begun again if its process stood still for a second meanwhile, and is not made if its number was suppressed", async () => {
    const message = await claimed();
    const beginnings = afterBeginning(async () => {
      await suppress(message, "");
      moveClockAhead(2 * ALLOWED_FRESH_MS);
    });
    startAttempts([{ ...message.first, begunAtMs: null }]);
    await settleAttempts();
    expect(beginnings.count()).toBe(2);
    expect(await claimAttempts([message.id])).toEqual([]);
    expect(await getMessage(message.account.actor, message.id)).toMatchObject({
      status: "failed",
      attempts: 0,
      error: { code: "blocklisted" },
    });
  });

  test("is made when it is still its own, and one that was begun at once is not begun again", async () => {
    const [slow, quick] = [await claimed(), await claimed()];
    for (const message of [slow, quick]) {
      await pool().query("UPDATE messages SET chain = '{vonage}' WHERE id = $1", [message.id]);
    }
    const beginnings = afterBeginning(async () => moveClockAhead(2 * BEGUN_FRESH_MS));
    startAttempts([{ ...slow.first, begunAtMs: null }]);
    await settleAttempts();
    expect(beginnings.count()).toBe(2);
    startAttempts([{ ...quick.first, begunAtMs: performance.now() }]);
    await settleAttempts();
    expect(beginnings.count()).toBe(2);
    const { rows } = await pool().query(
      "SELECT DISTINCT outcome, fault FROM message_attempts WHERE message_id = ANY($1) AND seq = 1",
      [[slow.id, quick.id]],
    );
    expect(rows).toEqual([{ outcome: "retryable", fault: "provider" }]);
  });
});

describe("a worker that stalled between the begin of an attempt and its call, and was declared dead", () => {
  /** An attempt whose worker resumes after others have recorded it. */
  async function resumed(): Promise<Claimed> {
    const message = await claimed();
    expect(await begin(message.first)).toBe(true);
    await pool().query(
      "UPDATE message_attempts SET outcome = 'unknown', code = 'worker_lost', finished_at = now() WHERE message_id = $1",
      [message.id],
    );
    return { ...message, first: { ...message.first, begunAtMs: performance.now() - 2 * BEGUN_FRESH_MS } };
  }

  const attemptsOf = async ({ id }: Claimed) =>
    (
      await pool().query(
        "SELECT provider, outcome, code FROM message_attempts WHERE message_id = $1 AND seq < 3 ORDER BY seq",
        [id],
      )
    ).rows;

  test("knows that it made no call: the chain goes on", async () => {
    const message = await resumed();
    startAttempts([message.first]);
    await settleAttempts();
    expect(await attemptsOf(message)).toEqual([
      { provider: "vonage", outcome: "retryable", code: "not_begun" },
      { provider: "twilio", outcome: "retryable", code: expect.any(String) },
    ]);
  });

  test("sends a message with a chain of one provider through it again", async () => {
    const message = await resumed();
    await pool().query("UPDATE messages SET chain = '{vonage}' WHERE id = $1", [message.id]);
    startAttempts([message.first]);
    await settleAttempts();
    expect(await attemptsOf(message)).toEqual([{ provider: "vonage", outcome: "retryable", code: "not_begun" }]);
    expect(await statusOf(message)).toBe("pending");
    const [again] = await claimAttempts([message.id]);
    again?.slot?.release();
    expect(again).toMatchObject({ seq: 2, provider: "vonage" });
  });

  test("does not touch a following attempt, which decides", async () => {
    const message = await resumed();
    const [second] = await claimAttempts([message.id]);
    second?.slot?.release();
    startAttempts([message.first]);
    await settleAttempts();
    expect(await attemptsOf(message)).toEqual([
      { provider: "vonage", outcome: "retryable", code: "not_begun" },
      { provider: "twilio", outcome: null, code: null },
    ]);
  });

  test("changes nothing of an attempt that another worker has claimed since", async () => {
    const message = await claimed();
    await giveBack([message.first]);
    const [other] = await claimAttempts([message.id]);
    other?.slot?.release();
    startAttempts([{ ...message.first, begunAtMs: null }]);
    await settleAttempts();
    expect(await attemptsOf(message)).toEqual([{ provider: "vonage", outcome: null, code: null }]);
  });
});
