import { beforeAll, beforeEach, expect, test } from "vitest";
import { plainRequest } from "@/server/accounts/idempotency/request";
import { getAccount } from "@/server/accounts/service";
import { setQuietHours } from "@/server/accounts/set-quiet-hours";
import { ensureTestAccount } from "@/server/accounts/test-mode";
import { inTestMode, type SessionActor } from "@/server/core/actor";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@/server/core/clock";
import { pool } from "@/server/core/db";
import { newId } from "@/server/core/ids";
import { createSuppression } from "@/server/suppressions/service";
import { contradictions } from "@/test/database/account-truth";
import { claimAttempts, prepareAttempts } from "@/test/database/attempts";
import { statementsOf } from "@/test/database/plans";
import { makeRoute } from "@/test/database/routes";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { cancelMessage } from "../changes/cancel";
import { listMessages } from "../lists/list-messages";
import { getTimeline } from "../read";
import type { SendMessageInput } from "../schema";
import { estimateSend } from "./estimate";
import { sendBulk, sendMessage } from "./send";

/** India and Japan have one time zone each, and clocks that never change. */
const INDIA = "+919812345678";
const JAPAN = "+818012345678";
const INDIA_MS = 5.5 * HOUR_MS;
const NIGHT = { starts_at: "21:00", ends_at: "08:00" };
const AUTH = { kind: "session", isOperator: false } as const;

beforeAll(async () => {
  await prepareAttempts();
  await makeRoute({ prefix: "91", priceMicros: 10_000 });
  await makeRoute({ prefix: "81", priceMicros: 10_000 });
});
beforeEach(() => pool().query("DELETE FROM graphile_worker._private_jobs"));

const personOf = ({ accountId }: TestAccount): SessionActor => ({ ...AUTH, accountId, userId: newId("user") });

async function accountWith(quiet_hours: typeof NIGHT | null) {
  const account = await makeAccount();
  await setQuietHours(personOf(account), { quiet_hours });
  return account;
}

/** The time of day in India, this many minutes from now. */
const indiaIn = (minutes: number) =>
  new Date(Date.now() + INDIA_MS + minutes * MINUTE_MS)
    .toISOString()
    .slice("2026-01-01T".length, "2026-01-01T00:00".length);

/** Quiet hours in India that began an hour ago and last another. */
const quietNow = () => ({ starts_at: indiaIn(-60), ends_at: indiaIn(60) });

const send = (account: TestAccount, more: Partial<SendMessageInput> = {}) =>
  sendMessage(account.actor, { to: INDIA, from: account.senderId, body: "Hello", ...more }, plainRequest());

/** In two days, at a time of day in UTC. */
const at = (time: string) => `${new Date(Date.now() + 2 * DAY_MS).toISOString().slice(0, 10)}T${time}:00.000Z`;

const jobs = async () =>
  (
    await pool().query<{ ids: string[]; runAt: Date }>(
      `SELECT payload -> 'messageIds' AS ids, run_at AS "runAt" FROM graphile_worker._private_jobs j
       JOIN graphile_worker._private_tasks t ON t.id = j.task_id WHERE t.identifier = 'dispatch_messages' ORDER BY run_at`,
    )
  ).rows;

const expiryOf = async (id: string) =>
  (await pool().query<{ at: Date | null }>("SELECT expires_at AS at FROM messages WHERE id = $1", [id])).rows[0]?.at;

test("a message accepted in its recipient's quiet hours waits for their end, with its cost reserved, and nobody claims it before", async () => {
  const hours = quietNow();
  const account = await accountWith(hours);
  const message = await send(account);
  expect(message).toMatchObject({ status: "pending", cost: 0.01 });
  const scheduledAt = message.scheduled_at ?? "";
  expect(new Date(Date.parse(scheduledAt) + INDIA_MS).toISOString()).toContain(`T${hours.ends_at}:00.000Z`);
  expect(Date.parse(scheduledAt) - Date.now()).toBeLessThanOrEqual(HOUR_MS);
  expect(await jobs()).toEqual([{ ids: [message.id], runAt: new Date(scheduledAt) }]);
  expect(await claimAttempts([message.id])).toEqual([]);
  expect(await contradictions(account.accountId)).toEqual([]);
  expect(await cancelMessage(account.actor, message.id)).toMatchObject({ status: "failed", cost: 0 });
  expect(await contradictions(account.accountId)).toEqual([]);
});

test("`ignore` sends at once, and so does an account whose quiet hours are off or over", async () => {
  const account = await accountWith(quietNow());
  expect((await send(account, { quiet_hours: "ignore" })).scheduled_at).toBeNull();
  await setQuietHours(personOf(account), { quiet_hours: { starts_at: indiaIn(60), ends_at: indiaIn(120) } });
  expect((await send(account)).scheduled_at).toBeNull();
  await setQuietHours(personOf(account), { quiet_hours: null });
  expect((await send(account)).scheduled_at).toBeNull();
  expect((await jobs()).length).toBe(3);
});

test("a `send_at` in quiet hours is put off to their end, and one outside stays", async () => {
  const account = await accountWith(NIGHT);
  expect((await send(account, { send_at: at("16:00") })).scheduled_at).toBe(
    new Date(Date.parse(at("02:30")) + DAY_MS).toISOString(),
  );
  expect((await send(account, { send_at: at("02:30") })).scheduled_at).toBe(at("02:30"));
});

test("each recipient of a bulk waits for its own time, recipients with the same time share a job, and an estimate predicts it", async () => {
  const account = await accountWith(NIGHT);
  // 01:00 UTC: 06:30 in India, 10:00 in Japan.
  const recipients = [INDIA, JAPAN, "+919812345679"];
  const bulk = { recipients, from: account.senderId, body: "Hi", send_at: at("01:00") };
  const times = [at("02:30"), at("01:00"), at("02:30")];
  expect((await estimateSend(account.actor, bulk)).recipients.map(({ scheduled_at }) => scheduled_at)).toEqual(times);
  const { messages } = await sendBulk(account.actor, bulk, plainRequest());
  expect(messages.map(({ scheduled_at }) => scheduled_at)).toEqual(times);
  expect((await jobs()).map(({ ids }) => ids)).toEqual([[messages[1]?.id], [messages[0]?.id, messages[2]?.id]]);
  expect(await contradictions(account.accountId)).toEqual([]);
});

test("a validity period counts from the requested time: a message that would expire in quiet hours fails at once, free of charge", async () => {
  const account = await accountWith(NIGHT);
  const late = { send_at: at("01:30"), validity_period: 3_600 };
  const refusal = { code: "quiet_hours" };
  const estimate = await estimateSend(account.actor, { to: INDIA, from: account.senderId, body: "Hello", ...late });
  expect(estimate.recipients[0]).toMatchObject({ cost: 0, scheduled_at: null, refusal });
  expect(await send(account, late)).toMatchObject({ status: "failed", cost: 0, scheduled_at: null, error: refusal });
  const kept = await send(account, { ...late, validity_period: 7_200 });
  expect(kept).toMatchObject({ status: "pending", scheduled_at: at("02:30") });
  expect(await expiryOf(kept.id)).toEqual(new Date(at("03:30")));
});

test("a message that fails at acceptance was never scheduled, as its estimate says; a canceled one was", async () => {
  const account = await makeAccount();
  await createSuppression(account.actor, { number: INDIA });
  const sendAt = at("12:00");
  const bulk = { recipients: [INDIA, "nobody", JAPAN], from: account.senderId, body: "Hi", send_at: sendAt };
  const times = [null, null, sendAt];
  expect((await estimateSend(account.actor, bulk)).recipients.map(({ scheduled_at }) => scheduled_at)).toEqual(times);
  const { messages } = await sendBulk(account.actor, bulk, plainRequest());
  expect(messages.map(({ status }) => status)).toEqual(["failed", "failed", "pending"]);
  expect(messages.map(({ scheduled_at }) => scheduled_at)).toEqual(times);
  const { items } = await listMessages(account.actor, { page: 1, limit: 10 });
  expect(new Set(items)).toEqual(new Set(messages));
  const [suppressed = "", , scheduled = ""] = messages.map(({ id }) => id);
  const [accepted] = (await getTimeline(account.actor, suppressed)).entries;
  expect(accepted).toMatchObject({ kind: "accepted", details: { scheduled_at: null } });
  expect(await cancelMessage(account.actor, scheduled)).toMatchObject({ status: "failed", scheduled_at: sendAt });
});

test("quiet hours add no statement to an acceptance", async () => {
  const [without, having] = [await accountWith(null), await accountWith(quietNow())];
  // The minimum over several sends, because now and then one reads briefly cached data, such as routes.
  const count = async (account: TestAccount) => {
    const counts: number[] = [];
    for (let sends = 0; sends < 8; sends += 1) {
      counts.push((await statementsOf(() => send(account, { send_at: at("12:00") }))).length);
    }
    return Math.min(...counts);
  };
  expect(await count(having)).toBe(await count(without));
});

test("test mode has its own quiet hours", async () => {
  const live = await makeAccount();
  await ensureTestAccount(live.accountId);
  const [owner, tester] = [personOf(live), inTestMode(personOf(live))];
  expect(await setQuietHours(tester, { quiet_hours: NIGHT })).toMatchObject({ id: live.accountId, quiet_hours: NIGHT });
  expect((await getAccount(owner)).quiet_hours).toBeNull();
  expect((await getAccount(tester)).quiet_hours).toEqual(NIGHT);
});

test("the database refuses quiet hours with only one end", async () => {
  const { accountId } = await makeAccount();
  const set = (starts: number | null, ends: number | null) =>
    pool().query("UPDATE accounts SET quiet_starts_minute = $2, quiet_ends_minute = $3 WHERE id = $1", [
      accountId,
      starts,
      ends,
    ]);
  for (const [starts, ends] of [
    [60, null],
    [null, 60],
    [60, 60],
    [-1, 60],
    [60, 1_440],
  ] as const) {
    await expect(set(starts, ends)).rejects.toThrow("accounts_quiet_hours");
  }
  await set(1_260, 480);
});
