import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { plainRequest } from "@/server/accounts/idempotency/request";
import { HOUR_MS } from "@/server/core/clock";
import { pool, transaction } from "@/server/core/db";
import { sendMessage } from "@/server/messages/accept/send";
import { begin, claim } from "@/server/messages/dispatch/claims";
import { failExpired } from "@/server/messages/dispatch/expire";
import { claimFromThrottleQueue, enqueueThrottled } from "@/server/messages/dispatch/throttle-queue";
import { getMessage } from "@/server/messages/read";
import { contradictions } from "@/test/database/account-truth";
import { accepted, BUSY, claimAttempts, prepareAttempts, record, UNKNOWN } from "@/test/database/attempts";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { attemptOf } from "./next-attempt";

const PERIOD_S = 600;
const NO_GRACE = 0;

beforeAll(prepareAttempts);
beforeEach(async () => {
  await pool().query("DELETE FROM graphile_worker._private_jobs");
  await pool().query("DELETE FROM waiting_messages");
});

type Sent = { account: TestAccount; id: string };

async function send(send_at: string | null = null): Promise<Sent> {
  const account = await makeAccount();
  const input = { to: "+14155550123", from: account.senderId, body: "Hello", validity_period: PERIOD_S, send_at };
  return { account, id: (await sendMessage(account.actor, input, plainRequest())).id };
}

const read = ({ account, id }: Sent) => getMessage(account.actor, id);

/** Ends the validity period of a message. */
const expire = ({ id }: Sent) =>
  pool().query("UPDATE messages SET expires_at = now() - interval '1 millisecond' WHERE id = $1", [id]);

async function claimOne({ id }: Sent) {
  const [attempt] = await claimAttempts([id]);
  attempt?.slot?.release();
  return attempt;
}

const candidateOf = ({ account, id }: Sent) => ({
  message: { id, to: "+14155550123", from: account.senderId, body: "Hello", encoding: "GSM-7", segments: 1 } as const,
  accountId: account.accountId,
  tried: [],
  afterUnknown: false,
});

/** Checks that the message failed as expired and was refunded. */
async function expectExpired(sent: Sent, attempts = 0): Promise<void> {
  expect(await read(sent)).toMatchObject({ status: "failed", cost: 0, attempts, error: { code: "expired" } });
  expect(await contradictions(sent.account.accountId)).toEqual([]);
}

describe("the validity period of a message", () => {
  test("is shown, and counts from its acceptance, by the database's clock", async () => {
    const sent = await send();
    expect(await read(sent)).toMatchObject({ validity_period: PERIOD_S, scheduled_at: null });
    const { rows } = await pool().query<{ leftS: number }>(
      `SELECT extract(epoch FROM expires_at - clock_timestamp())::float8 AS "leftS" FROM messages WHERE id = $1`,
      [sent.id],
    );
    expect(rows[0]?.leftS).toBeGreaterThan(PERIOD_S - 60);
    expect(rows[0]?.leftS).toBeLessThanOrEqual(PERIOD_S);
  });

  test("counts from its schedule", async () => {
    const sendAt = new Date(Date.now() + HOUR_MS);
    const { id } = await send(sendAt.toISOString());
    const { rows } = await pool().query("SELECT expires_at AS at FROM messages WHERE id = $1", [id]);
    expect(rows).toEqual([{ at: new Date(sendAt.getTime() + PERIOD_S * 1_000) }]);
  });

  test("is passed to the provider", async () => {
    const attempt = await claimOne(await send());
    expect(attempt?.message.expiresAt).toBeInstanceOf(Date);
  });
});

describe("a message whose period is over", () => {
  test("is failed by dispatch and never handed to a provider", async () => {
    const sent = await send();
    await expire(sent);
    expect(await claimOne(sent)).toBeUndefined();
    await expectExpired(sent);
  });

  test("is not claimed, even by a dispatch that read it in time", async () => {
    const sent = await send();
    await expire(sent);
    expect(await claim(null, [attemptOf(candidateOf(sent), "vonage", new Date())], () => true)).toEqual([]);
    expect((await read(sent)).status).toBe("pending");
  });

  test("does not begin an attempt that was claimed in time", async () => {
    const sent = await send();
    const [claimed] = await claim(null, [attemptOf(candidateOf(sent), "vonage", new Date())], () => false);
    await expire(sent);
    expect(claimed && (await begin(claimed))).toBe(false);
  });

  test("is failed in the throttle queue by the sweep, before its turn", async () => {
    const sent = await send();
    await transaction((tx) => enqueueThrottled(tx, [attemptOf(candidateOf(sent), "vonage", new Date())]));
    await expire(sent);
    await failExpired(NO_GRACE);
    await expectExpired(sent);
    expect(await claimFromThrottleQueue("vonage", 10, { begins: true })).toEqual([]);
  });

  test("is failed at its turn in the throttle queue", async () => {
    const sent = await send();
    await transaction((tx) => enqueueThrottled(tx, [attemptOf(candidateOf(sent), "vonage", new Date())]));
    await expire(sent);
    expect(await claimFromThrottleQueue("vonage", 10, { begins: true })).toEqual([]);
    expect(await claimOne(sent)).toBeUndefined();
    await expectExpired(sent);
  });

  test("goes to no further provider after one that could not take it", async () => {
    const sent = await send();
    const first = await claimOne(sent);
    await expire(sent);
    expect(first && (await record(first, BUSY))).toBeNull();
    expect((await read(sent)).attempts).toBe(1);
    const { rows } = await pool().query("SELECT payload -> 'messageIds' AS ids FROM graphile_worker._private_jobs");
    expect(rows).toContainEqual({ ids: [sent.id] });
    expect(await claimOne(sent)).toBeUndefined();
    await expectExpired(sent, 1);
  });

  test("goes to no further provider after one that may have taken it", async () => {
    const sent = await send();
    const first = await claimOne(sent);
    await expire(sent);
    expect(first && (await record(first, UNKNOWN))).toBeNull();
    expect(await claimOne(sent)).toBeUndefined();
    expect(await read(sent)).toMatchObject({ status: "pending", attempts: 1 });
  });

  test("stays sent when the attempt began in time", async () => {
    const sent = await send();
    const attempt = await claimOne(sent);
    await expire(sent);
    await failExpired(NO_GRACE);
    expect((await read(sent)).status).toBe("pending");
    if (attempt) await record(attempt, accepted(`taken-${sent.id}`));
    await failExpired(NO_GRACE);
    expect((await read(sent)).status).toBe("sent");
  });

  test("waits for the end of an attempt whose outcome is unknown", async () => {
    const sent = await send();
    const attempt = await claimOne(sent);
    if (attempt) await record(attempt, UNKNOWN);
    await expire(sent);
    await failExpired(NO_GRACE);
    expect((await read(sent)).status).toBe("pending");
  });
});
