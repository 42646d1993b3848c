import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { plainRequest } from "@/server/accounts/idempotency/request";
import { setQuietHours } from "@/server/accounts/set-quiet-hours";
import { lockAccounts } from "@/server/accounts/store";
import { DAY_MS, HOUR_MS } from "@/server/core/clock";
import { pool, type Tx, transaction } from "@/server/core/db";
import { newId } from "@/server/core/ids";
import { contradictions } from "@/test/database/account-truth";
import { claimAttempts, claimed, prepareAttempts, statusOf } from "@/test/database/attempts";
import { openTransaction, untilWaiting } from "@/test/database/lock-waits";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { sendMessage } from "../accept/send";
import { attemptOf } from "../dispatch/next-attempt";
import { requeueOrphans } from "../dispatch/sweeps";
import { claimFromThrottleQueue, enqueueThrottled } from "../dispatch/throttle-queue";
import { findDueRefusals } from "../due/due-check";
import { cancelMessage } from "./cancel";
import { rescheduleMessage } from "./reschedule";

beforeAll(prepareAttempts);
beforeEach(() => pool().query("DELETE FROM graphile_worker._private_jobs"));

type Sent = { account: TestAccount; id: string };
type Given = { validity_period?: number; to?: string };

const TO = "+14155550123";
const ahead = (ms: number) => new Date(Date.now() + ms).toISOString();

async function schedule(send_at: string, { to = TO, ...more }: Given = {}): Promise<Sent> {
  const account = await makeAccount();
  const input = { to, from: account.senderId, body: "Hello", send_at, ...more };
  return { account, id: (await sendMessage(account.actor, input, plainRequest())).id };
}

const reschedule = ({ account, id }: Sent, send_at: string | null, quiet_hours?: "apply" | "ignore") =>
  rescheduleMessage(account.actor, id, { send_at, quiet_hours });

const refusedFor = (reason: string, param = "send_at") => ({ status: 400, wire: { param, details: { reason } } });

/** Makes a scheduled message due, as time does. */
const makeDue = async ({ id }: Sent) => {
  const dueAt = new Date(Date.now() - 1_000);
  await pool().query("UPDATE messages SET scheduled_at = $2 WHERE id = $1", [id, dueAt]);
  await pool().query("UPDATE pending_messages SET created_at = $2 WHERE message_id = $1", [id, dueAt]);
};

const stored = async ({ id }: Sent) => {
  const { rows } = await pool().query<{ scheduledAt: Date; dueAt: Date; expiresAt: Date | null; listed: Date | null }>(
    `SELECT m.scheduled_at AS "scheduledAt", p.created_at AS "dueAt", m.expires_at AS "expiresAt", p.expires_at AS listed
     FROM messages m JOIN pending_messages p ON p.account_id = m.account_id AND p.message_id = m.id WHERE m.id = $1`,
    [id],
  );
  return rows[0];
};

const jobTimes = async () =>
  (
    await pool().query<{ runAt: Date }>(`SELECT run_at AS "runAt" FROM graphile_worker._private_jobs ORDER BY run_at`)
  ).rows.map(({ runAt }) => runAt.toISOString());

describe("a rescheduled message", () => {
  test("has its new time everywhere, and is dispatched then", async () => {
    const [first, second] = [ahead(DAY_MS), ahead(HOUR_MS)];
    const sent = await schedule(first, { validity_period: 600 });
    expect(await reschedule(sent, second)).toMatchObject({ id: sent.id, status: "pending", scheduled_at: second });
    const expiresAt = new Date(Date.parse(second) + 600_000);
    expect(await stored(sent)).toEqual({
      scheduledAt: new Date(second),
      dueAt: new Date(second),
      expiresAt,
      listed: expiresAt,
    });
    expect(await jobTimes()).toEqual([second, first]);
    expect(await claimAttempts([sent.id])).toEqual([]);
    await makeDue(sent);
    expect(await claimAttempts([sent.id])).toHaveLength(1);
    // The job of its first time.
    expect(await claimAttempts([sent.id])).toEqual([]);
    expect(await contradictions(sent.account.accountId)).toEqual([]);
  });

  test("is not sent by the job of its earlier time", async () => {
    const sent = await schedule(ahead(HOUR_MS));
    await reschedule(sent, ahead(2 * HOUR_MS));
    expect(await claimAttempts([sent.id])).toEqual([]);
    expect(await cancelMessage(sent.account.actor, sent.id)).toMatchObject({ error: { code: "canceled" } });
  });

  test("is sent at once when asked to; a repeated request gets it as it is", async () => {
    const sent = await schedule(ahead(DAY_MS));
    const { scheduled_at } = await reschedule(sent, null);
    expect(Date.parse(scheduled_at ?? "")).toBeLessThanOrEqual(Date.now() + HOUR_MS);
    expect(await reschedule(sent, null)).toMatchObject({ scheduled_at });
    expect(await claimAttempts([sent.id])).toHaveLength(1);
    expect(await reschedule(sent, null)).toMatchObject({ status: "pending", scheduled_at });
  });

  test("is returned to a request that is repeated after its time", async () => {
    const sent = await schedule(ahead(DAY_MS));
    await makeDue(sent);
    const send_at = (await stored(sent))?.scheduledAt.toISOString() ?? "";
    expect(await reschedule(sent, send_at)).toMatchObject({ status: "pending", scheduled_at: send_at });
    expect(await claimAttempts([sent.id])).toHaveLength(1);
    expect(await reschedule(sent, send_at)).toMatchObject({ status: "pending", scheduled_at: send_at });
  });

  test("adds no job when it has that time already, and is found by the sweep when its job is lost", async () => {
    const send_at = ahead(DAY_MS);
    const sent = await schedule(send_at);
    await reschedule(sent, send_at);
    expect(await jobTimes()).toEqual([send_at]);
    await reschedule(sent, ahead(HOUR_MS));
    await pool().query("DELETE FROM graphile_worker._private_jobs");
    await requeueOrphans(0);
    expect(await jobTimes()).toEqual([]);
    await makeDue(sent);
    await requeueOrphans(0);
    const { rows } = await pool().query("SELECT payload -> 'messageIds' AS ids FROM graphile_worker._private_jobs");
    expect(rows.flatMap(({ ids }) => ids)).toContain(sent.id);
  });

  test("waits for the end of quiet hours, unless it asks to ignore them", async () => {
    const account = await makeAccount();
    const person = { kind: "session", isOperator: false, accountId: account.accountId, userId: newId("user") } as const;
    await setQuietHours(person, { quiet_hours: { starts_at: "21:00", ends_at: "08:00" } });
    const day = ahead(3 * DAY_MS).slice(0, "2026-01-01".length);
    // India has one time zone, five and a half hours ahead of UTC.
    const [noon, midnight, morning] = [`${day}T06:30:00.000Z`, `${day}T18:30:00.000Z`, `${day}T02:30:00.000Z`];
    const input = { to: "+919812345678", from: account.senderId, body: "Hello", send_at: noon, validity_period: 3_600 };
    const sent = { account, id: (await sendMessage(account.actor, input, plainRequest())).id };
    await expect(reschedule(sent, midnight)).rejects.toMatchObject(refusedFor("quiet_hours"));
    expect(await reschedule(sent, midnight, "ignore")).toMatchObject({ scheduled_at: midnight });
    const early = `${day}T02:00:00.000Z`;
    expect(await reschedule(sent, early)).toMatchObject({ scheduled_at: morning });
    expect(await reschedule(sent, early)).toMatchObject({ scheduled_at: morning });
  });
});

test("a validity period counts from the new time, even if quiet hours had put the message off to that time", async () => {
  const account = await makeAccount();
  const person = { kind: "session", isOperator: false, accountId: account.accountId, userId: newId("user") } as const;
  await setQuietHours(person, { quiet_hours: { starts_at: "21:00", ends_at: "08:00" } });
  const day = ahead(3 * DAY_MS).slice(0, "2026-01-01".length);
  const at = (time: string) => `${day}T${time}:00.000Z`;
  const input = {
    to: "+919812345678",
    from: account.senderId,
    body: "Hello",
    send_at: at("01:30"),
    validity_period: 7_200,
  };
  const sent = { account, id: (await sendMessage(account.actor, input, plainRequest())).id };
  const expiry = async () => {
    const { expiresAt, listed } = (await stored(sent)) ?? {};
    expect(listed).toEqual(expiresAt);
    return expiresAt?.toISOString();
  };
  expect(await expiry()).toBe(at("03:30"));
  for (const [send_at, expires] of [
    ["02:30", "04:30"],
    ["02:00", "04:00"],
    ["02:00", "04:00"],
  ] as const) {
    expect(await reschedule(sent, at(send_at))).toMatchObject({ scheduled_at: at("02:30") });
    expect(await expiry()).toBe(at(expires));
  }
  expect(await jobTimes()).toEqual([at("02:30")]);
});

describe("a message keeps its time", () => {
  test("when the new one has passed or is too far ahead", async () => {
    const send_at = ahead(DAY_MS);
    const sent = await schedule(send_at);
    await expect(reschedule(sent, ahead(-1_000))).rejects.toMatchObject(refusedFor("send_at_in_the_past"));
    await expect(reschedule(sent, ahead(31 * DAY_MS))).rejects.toMatchObject(refusedFor("send_at_too_far_ahead"));
    expect((await stored(sent))?.scheduledAt.toISOString()).toBe(send_at);
  });

  test("when it is due, was sent, has ended or was never scheduled", async () => {
    const due = await schedule(ahead(DAY_MS));
    await makeDue(due);
    const ended = await schedule(ahead(DAY_MS));
    await cancelMessage(ended.account.actor, ended.id);
    for (const message of [due, ended, await claimed()]) {
      const before = await statusOf(message);
      await expect(reschedule(message, ahead(HOUR_MS))).rejects.toMatchObject(refusedFor("not_reschedulable", "id"));
      expect(await statusOf(message)).toBe(before);
    }
    await expect(reschedule(ended, null)).rejects.toMatchObject(refusedFor("not_reschedulable", "id"));
  });

  test("when another account asks, which gets a 404", async () => {
    const sent = await schedule(ahead(DAY_MS));
    const other = await makeAccount();
    await expect(reschedule({ account: other, id: sent.id }, ahead(HOUR_MS))).rejects.toMatchObject({ status: 404 });
  });
});

describe("rescheduling and sending race in the database", () => {
  type Race = { prepare: (sent: Sent) => Promise<unknown>; hold: (sent: Sent, tx: Tx) => Promise<unknown> };
  const holdsPending: Race["hold"] = ({ id }, tx) =>
    tx.query("SELECT FROM pending_messages WHERE message_id = $1 FOR UPDATE", [id]);

  /**
   * A message whose rescheduling was begun before it was due, and is not committed yet although it is due now.
   * @param more `prepare`: changes the message before. `hold`: takes the lock for which the rescheduling waits.
   * @returns `commit`: lets it commit.
   */
  async function duringReschedule({ prepare, hold = holdsPending }: Partial<Race> = {}) {
    // Longer on a machine that is too slow for less, but rescheduling waits for a lock for ten seconds at most.
    for (const leadMs of [1_500, 4_000, 9_000]) {
      const due = ahead(leadMs);
      const sent = await schedule(due);
      await prepare?.(sent);
      const blocker = await openTransaction((tx) => hold(sent, tx));
      const rescheduled = reschedule(sent, ahead(DAY_MS)).then(
        () => true,
        () => false,
      );
      const isWaiting = await Promise.race([rescheduled.then(() => false), untilWaiting().then(() => true)]);
      if (!isWaiting) {
        await blocker.commit();
        continue;
      }
      await new Promise((resolve) => setTimeout(resolve, Date.parse(due) + 100 - Date.now()));
      return { sent, rescheduled, commit: blocker.commit };
    }
    throw new Error("The message was due before it could be rescheduled.");
  }

  test("a dispatch at the earlier time waits for the new one, and sends nothing", async () => {
    const { sent, rescheduled, commit } = await duringReschedule();
    const dispatched = claimAttempts([sent.id]);
    await untilWaiting("", 2);
    await commit();
    expect([await rescheduled, await dispatched]).toEqual([true, []]);
    expect(await statusOf(sent)).toBe("pending");
    await makeDue(sent);
    expect(await claimAttempts([sent.id])).toHaveLength(1);
  });

  test("a dispatch at the earlier time that would have to fail it leaves it to the new one", async () => {
    const { sent, rescheduled, commit } = await duringReschedule();
    await pool().query("UPDATE accounts SET own_daily_spend_cap_micros = 0 WHERE id = $1", [sent.account.accountId]);
    const dispatched = claimAttempts([sent.id]);
    await untilWaiting("", 2);
    await commit();
    expect([await rescheduled, await dispatched]).toEqual([true, []]);
    expect(await statusOf(sent)).toBe("pending");
    await makeDue(sent);
    expect(await claimAttempts([sent.id])).toEqual([]);
    expect(await statusOf(sent)).toBe("failed");
  });

  test("so does the throttle queue, and dispatch sends it at the new time", async () => {
    const { sent, rescheduled, commit } = await duringReschedule();
    const { account, id } = sent;
    const message = { id, to: TO, from: account.senderId, body: "Hello", encoding: "GSM-7" as const, segments: 1 };
    const candidate = { message, accountId: account.accountId, tried: [], afterUnknown: false };
    await transaction((tx) => enqueueThrottled(tx, [attemptOf(candidate, "vonage", new Date())]));
    const served = claimFromThrottleQueue("vonage", 10, { begins: true });
    await untilWaiting("", 2);
    await commit();
    expect([await rescheduled, await served]).toEqual([true, []]);
    expect((await pool().query("SELECT 1 FROM waiting_messages WHERE message_id = $1", [id])).rowCount).toBe(0);
    await makeDue(sent);
    expect(await claimAttempts([id])).toHaveLength(1);
  });

  test.each([
    { order: "before its new time is stored", hold: holdsPending },
    { order: "after it", hold: (({ account }, tx) => lockAccounts(tx, [account.accountId])) as Race["hold"] },
  ])(
    "one that was let through at the earlier time, $order, does not count towards the cap of that day",
    async (race) => {
      const { sent, rescheduled, commit } = await duringReschedule({
        hold: race.hold,
        prepare: async ({ account, id }) => {
          await pool().query("UPDATE messages SET created_at = created_at - interval '1 day' WHERE id = $1", [id]);
          await pool().query("UPDATE accounts SET own_daily_spend_cap_micros = 1000000 WHERE id = $1", [
            account.accountId,
          ]);
        },
      });
      const checked = findDueRefusals([sent.id]);
      await Promise.race([checked, untilWaiting("", 2)]);
      await commit();
      expect([await rescheduled, (await checked).size]).toEqual([true, 0]);
      const { rows } = await pool().query(
        `SELECT COALESCE((SELECT sum(cost_micros) FROM due_spending_days WHERE account_id = $1), 0)::int AS days,
         (SELECT count(*) FROM due_spending WHERE account_id = $1)::int AS messages`,
        [sent.account.accountId],
      );
      expect(rows).toEqual([{ days: 0, messages: 0 }]);
    },
  );
});
