import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { plainRequest } from "@/server/accounts/idempotency/request";
import { checkLedger } from "@/server/accounts/tasks";
import { HOUR_MS } from "@/server/core/clock";
import { pool, transaction } from "@/server/core/db";
import { sendMessage } from "@/server/messages/accept/send";
import { type Attempt, claim, dropClaims } from "@/server/messages/dispatch/claims";
import { failUndispatched } from "@/server/messages/dispatch/fail-undispatched";
import { recoverAttempts } from "@/server/messages/dispatch/recover";
import { claimFromThrottleQueue, enqueueThrottled } from "@/server/messages/dispatch/throttle-queue";
import { getMessageDetail, getTimeline } from "@/server/messages/read";
import { createEndpoint } from "@/server/webhooks/service";
import { contradictions } from "@/test/database/account-truth";
import {
  accepted,
  BUSY,
  type Claimed,
  claimAttempts,
  claimed,
  prepareAttempts,
  record,
  recordAndAdvance,
  statusOf,
  THROTTLED,
  UNKNOWN,
} from "@/test/database/attempts";
import { openTransaction, untilWaiting } from "@/test/database/lock-waits";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { takeDeliveryJobs } from "@/test/database/webhooks";
import { attemptOf } from "../dispatch/next-attempt";
import { cancelMessage } from "./cancel";

beforeAll(prepareAttempts);
beforeEach(() => pool().query("DELETE FROM graphile_worker._private_jobs"));

type Sent = { account: TestAccount; id: string };

async function send(send_at: string | null = null): Promise<Sent> {
  const account = await makeAccount();
  const input = { to: "+14155550123", from: account.senderId, body: "Hello", send_at };
  return { account, id: (await sendMessage(account.actor, input, plainRequest())).id };
}

const cancel = ({ account, id }: Sent) => cancelMessage(account.actor, id);
const NOT_CANCELABLE = { status: 400, wire: { param: "id", details: { reason: "not_cancelable" } } };
const CANCELED = { status: "failed", cost: 0, sent_at: null, error: { code: "canceled" } };

/** The first attempt of a message, not yet claimed. */
const attemptFor = ({ account, id }: Sent): Attempt =>
  attemptOf(
    {
      message: { id, to: "+14155550123", from: account.senderId, body: "Hello", encoding: "GSM-7", segments: 1 },
      accountId: account.accountId,
      tried: [],
      afterUnknown: false,
    },
    "vonage",
    new Date(),
  );

const attemptsOf = async ({ id }: Sent) =>
  (
    await pool().query<{ provider: string; outcome: string | null }>(
      "SELECT provider, outcome FROM message_attempts WHERE message_id = $1 ORDER BY seq",
      [id],
    )
  ).rows;

describe("a canceled message", () => {
  test("fails, is refunded and raises its event once, however often it is canceled", async () => {
    const sent = await send(new Date(Date.now() + HOUR_MS).toISOString());
    const { account, id } = sent;
    const endpoint = await createEndpoint(account.actor, { url: "https://93.184.215.14/hook" }, plainRequest());
    const [first, second] = await Promise.all([cancel(sent), cancel(sent)]);
    expect(first).toMatchObject(CANCELED);
    expect(second).toEqual(first);
    expect(await cancel(sent)).toEqual(first);
    expect(await contradictions(account.accountId)).toEqual([]);
    expect(await takeDeliveryJobs(endpoint.id)).toHaveLength(1);
    const { entries } = await getTimeline(account.actor, id);
    expect(entries.map(({ kind }) => kind)).toEqual(["accepted", "money", "money", "event"]);
    expect((await getMessageDetail(account.actor, id)).attempts).toEqual([]);
  });

  test("is not sent by a job that still names it", async () => {
    const sent = await send();
    await cancel(sent);
    expect(await claimAttempts([sent.id])).toEqual([]);
    expect(await claim(null, [attemptFor(sent)], () => true)).toEqual([]);
    expect(await statusOf(sent)).toBe("failed");
  });

  test("leaves the throttle queue", async () => {
    const sent = await send();
    await transaction((tx) => enqueueThrottled(tx, [attemptFor(sent)]));
    expect(await cancel(sent)).toMatchObject(CANCELED);
    expect((await pool().query("SELECT 1 FROM waiting_messages WHERE message_id = $1", [sent.id])).rowCount).toBe(0);
    expect(await contradictions(sent.account.accountId)).toEqual([]);
  });

  test("may have waited for its providers to become available", async () => {
    const message = await claimed();
    const second = await recordAndAdvance(message.first, BUSY);
    expect(await record(second, THROTTLED)).toBeNull();
    expect(await cancel(message)).toMatchObject({ ...CANCELED, attempts: 2 });
    expect(await claimAttempts([message.id])).toEqual([]);
    expect(await contradictions(message.account.accountId)).toEqual([]);
  });
});

describe("a message cannot be canceled", () => {
  const refuses = async (message: Claimed | Sent) => {
    const before = await statusOf(message);
    await expect(cancel(message)).rejects.toMatchObject(NOT_CANCELABLE);
    expect(await statusOf(message)).toBe(before);
  };

  test("while an attempt is claimed or begun", async () => {
    await refuses(await claimed());
  });

  test("when a provider may have it", async () => {
    const message = await claimed();
    const second = await recordAndAdvance(message.first, UNKNOWN);
    await record(second, BUSY);
    await refuses(message);
  });

  test("when a provider took it", async () => {
    const message = await claimed();
    await record(message.first, accepted("taken"));
    await refuses(message);
  });

  test("when a provider takes it while the cancellation waits for it", async () => {
    const message = await claimed();
    const taking = await openTransaction(async (tx) => {
      await tx.query("UPDATE messages SET status = 'sent', sent_at = now() WHERE id = $1", [message.id]);
      await tx.query("UPDATE message_attempts SET outcome = 'accepted' WHERE message_id = $1", [message.id]);
    });
    const canceling = cancel(message);
    await untilWaiting("FROM messages");
    await taking.commit();
    await expect(canceling).rejects.toMatchObject(NOT_CANCELABLE);
    expect(await statusOf(message)).toBe("sent");
  });

  test("when another account asks, which gets a 404", async () => {
    const sent = await send();
    const other = await makeAccount();
    await expect(cancelMessage(other.actor, sent.id)).rejects.toMatchObject({ status: 404 });
    expect(await statusOf(sent)).toBe("pending");
  });

  test("while a killed worker may have called the provider; once its claim is taken back, it can", async () => {
    const message = await claimed();
    await pool().query("UPDATE message_attempts SET worker_id = 'killed', begun_at = NULL WHERE message_id = $1", [
      message.id,
    ]);
    await refuses(message);
    await recoverAttempts(["killed"]);
    dropClaims([message.first]);
    expect(await cancel(message)).toMatchObject(CANCELED);
    expect(await claimAttempts([message.id])).toEqual([]);
  });
});

describe("canceling and claiming race in the database", () => {
  test("an uncommitted claim comes first: the message is sent", async () => {
    const sent = await send();
    const claiming = await openTransaction((tx) => claim(tx, [attemptFor(sent)], () => true));
    const refused = expect(cancel(sent)).rejects.toMatchObject(NOT_CANCELABLE);
    await untilWaiting();
    await claiming.commit();
    await refused;
    expect(claiming.result).toHaveLength(1);
    expect(await attemptsOf(sent)).toEqual([{ provider: "vonage", outcome: null }]);
    expect(await statusOf(sent)).toBe("pending");
  });

  test("an uncommitted cancellation comes first: nothing is claimed", async () => {
    const sent = await send();
    const error = { code: "canceled", message: "Canceled." };
    const canceling = await openTransaction((tx) => failUndispatched(tx, [{ messageId: sent.id, error }], new Date()));
    const claiming = claim(null, [attemptFor(sent)], () => true);
    await untilWaiting();
    await canceling.commit();
    expect(await claiming).toEqual([]);
    expect(await cancel(sent)).toMatchObject(CANCELED);
    expect(await contradictions(sent.account.accountId)).toEqual([]);
  });

  test("a message that the throttle queue is serving is sent or canceled, and never both", async () => {
    const sent = await send();
    await transaction((tx) => enqueueThrottled(tx, [attemptFor(sent)]));
    const [served, canceled] = await Promise.allSettled([
      claimFromThrottleQueue("vonage", 10, { begins: true }),
      cancel(sent),
    ]);
    const isServed = served.status === "fulfilled" && served.value.some(({ message }) => message.id === sent.id);
    expect(isServed).toBe(canceled.status === "rejected");
    expect((await pool().query("SELECT 1 FROM waiting_messages WHERE message_id = $1", [sent.id])).rowCount).toBe(0);
  });

  test("messages that are dispatched and canceled at once are each sent or canceled, and never both", async () => {
    const sent = await Promise.all(Array.from({ length: 60 }, () => send()));
    const claims: Promise<Attempt[]>[] = [];
    const cancels = sent.map((each) => {
      claims.push(claim(null, [attemptFor(each)], () => true));
      return cancel(each).then(
        () => true,
        () => false,
      );
    });
    const claimedIds = new Set((await Promise.all(claims)).flat().map(({ message }) => message.id));
    for (const [at, isCanceled] of (await Promise.all(cancels)).entries()) {
      expect(claimedIds.has(sent[at]?.id ?? "")).toBe(!isCanceled);
    }
    const own = new Set(sent.map(({ account }) => account.accountId));
    expect((await checkLedger()).drifted.filter(({ accountId }) => own.has(accountId))).toEqual([]);
  });
});
