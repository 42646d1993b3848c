import { expect, test } from "vitest";
import { plainRequest } from "@/server/accounts/idempotency/request";
import { pool } from "@/server/core/db";
import { sendBulk, sendMessage } from "@/server/messages/accept/send";
import { rerouteUnavailable } from "@/server/messages/dispatch/provider-unavailable";
import { settleAttempts, startAttempts } from "@/server/messages/dispatch/run-attempt";
import { loadThroughputLimits } from "@/server/messages/dispatch/throttle-queue";
import { getMessage } from "@/server/messages/read";
import { updateProviderHealth } from "@/server/providers/health/provider-health";
import { slotsInUse } from "@/server/providers/health/slots";
import { invalidateProviders, providerTable } from "@/server/providers/registry";
import { moveClockAhead } from "@/test/clock";
import { claimAttempts } from "@/test/database/attempts";
import { explain, rowsRead, statementsOf } from "@/test/database/plans";
import { makeAccount } from "@/test/database/seed";
import { newNumber, sendTo, setProvider, stateOf, twilioOfFile, work } from "@/test/database/twilio";

const own = twilioOfFile();

/** Backdates the unavailability of providers and the waiting of messages by this much. */
async function letTimePass(minutes: number): Promise<void> {
  await updateProviderHealth();
  await pool().query("UPDATE providers SET unavailable_since = unavailable_since - $1 * interval '1 minute'", [
    minutes,
  ]);
  await pool().query("UPDATE waiting_messages SET created_at = created_at - $1 * interval '1 minute'", [minutes]);
  await pool().query("UPDATE messages SET created_at = created_at - $1 * interval '1 minute'", [minutes]);
  invalidateProviders();
}

/** Checks the queue of the provider, however recent the last check was. */
async function checkNow(lookedAt?: { once: number; call: number }): Promise<void> {
  const [table, state] = [await providerTable(), await stateOf()];
  if (!state) throw new Error("no state");
  moveClockAhead(10_000);
  await rerouteUnavailable(state, table, lookedAt);
}

/** Spreads the times at which messages were queued: those queued at the same moment would be checked together. */
const spreadQueue = () =>
  pool().query(
    `UPDATE waiting_messages w SET created_at = w.created_at - r.n * interval '1 millisecond'
     FROM (SELECT message_id, row_number() OVER (ORDER BY created_at DESC, message_id DESC) AS n FROM waiting_messages) r
     WHERE r.message_id = w.message_id`,
  );

test("a drained provider is skipped, not tried", async () => {
  await setProvider("is_drained", true);
  const to = newNumber();
  const message = await sendTo(to, own.twilioFirst);
  await work();
  expect(await message.read()).toMatchObject({ status: "sent", provider: "sandbox", attempts: 1 });
  expect(own.twilio.requestsFor(to)).toBe(0);
});

test("a message whose only provider is drained waits, and is sent when it is resumed", async () => {
  await setProvider("is_drained", true);
  const to = newNumber();
  const message = await sendTo(to, own.onlyTwilio);
  await work();
  expect(await message.read()).toMatchObject({ status: "pending", attempts: 0 });
  await setProvider("is_drained", false);
  await work();
  expect(await message.read()).toMatchObject({ status: "sent", provider: "twilio", attempts: 1 });
  expect(own.twilio.taken.filter((taken) => taken.to === to)).toHaveLength(1);
});

/** Runs `work` while Twilio has no settings. */
async function withoutSettings(work: () => Promise<void>): Promise<void> {
  const names = Object.keys(own.twilio.environment);
  for (const name of names) delete process.env[name];
  invalidateProviders();
  try {
    await work();
  } finally {
    Object.assign(process.env, own.twilio.environment);
    invalidateProviders();
  }
}

test("messages that wait at a drained provider fail and cost nothing when its settings are removed", async () => {
  await setProvider("is_drained", true);
  const message = await sendTo(newNumber(), own.onlyTwilio);
  await work();
  expect(await message.read()).toMatchObject({ status: "pending", attempts: 0 });
  await withoutSettings(work);
  expect(await message.read()).toMatchObject({ status: "failed", cost: 0, error: { code: "no_provider_available" } });
});

test("messages over the throughput limit of their sender pass a provider without settings", async () => {
  const { account, read } = await sendTo(newNumber(), own.twilioFirst);
  await pool().query("UPDATE senders SET max_segments_per_second = 1000 WHERE account_id = $1", [account.accountId]);
  await expect
    .poll(async () => (await loadThroughputLimits()).ofSender(account.accountId, account.senderId))
    .toBe(1_000);
  await withoutSettings(async () => {
    await work();
    await work();
  });
  expect(await read()).toMatchObject({ status: "sent", provider: "sandbox", attempts: 2 });
});

test("a message without an available provider for ten minutes fails and costs nothing", async () => {
  await setProvider("is_drained", true);
  const message = await sendTo(newNumber(), own.onlyTwilio);
  await work();
  await letTimePass(9);
  await work();
  expect(await message.read()).toMatchObject({ status: "pending" });
  await letTimePass(2);
  const statusAfterWork = async () => {
    await work();
    return (await message.read()).status;
  };
  await expect.poll(statusAfterWork).toBe("failed");
  expect(await message.read()).toMatchObject({ cost: 0, error: { code: "no_provider_available" } });
});

test("a message that was already queued for long waits another ten minutes after its provider is drained", async () => {
  await setProvider("max_segments_per_second", 0.01);
  const messages: Awaited<ReturnType<typeof sendTo>>[] = [];
  for (let count = 0; count < 4; count += 1) messages.push(await sendTo(newNumber(), own.onlyTwilio));
  const statuses = async () =>
    (await Promise.all(messages.map((message) => message.read()))).map(({ status }) => status);
  await work();
  const waiting = (await statuses()).filter((status) => status === "pending");
  expect(waiting.length).toBeGreaterThanOrEqual(3);
  await letTimePass(60);
  await setProvider("is_drained", true);
  await work();
  expect((await statuses()).filter((status) => status === "pending")).toEqual(waiting);
  await setProvider("is_drained", false);
  await setProvider("max_segments_per_second", null);
  await work();
  expect(await statuses()).toEqual(messages.map(() => "sent"));
});

test("a message that waits for two providers is sent by the first to become available", async () => {
  await setProvider("is_drained", true);
  await setProvider("is_drained", true, "sandbox");
  const message = await sendTo(newNumber(), own.twilioFirst);
  await work();
  expect(await message.read()).toMatchObject({ status: "pending", attempts: 0 });
  await setProvider("is_drained", false, "sandbox");
  await work();
  expect(await message.read()).toMatchObject({ provider: "sandbox", attempts: 1 });
});

test("a long queue is checked in parts, each of so many messages, and those with another provider are found", async () => {
  await setProvider("is_drained", true);
  await setProvider("is_drained", true, "sandbox");
  const stuck = await Promise.all(Array.from({ length: 7 }, () => sendTo(newNumber(), own.onlyTwilio)));
  await work();
  const message = await sendTo(newNumber(), own.twilioFirst);
  await work();
  await spreadQueue();
  await setProvider("is_drained", false, "sandbox");
  const [table, state] = [await providerTable(), await stateOf()];
  if (!state) throw new Error("no state");
  const queued = async () => (await pool().query("SELECT FROM waiting_messages")).rowCount;
  for (let call = 1; call <= 3; call += 1) {
    const calls = await statementsOf(() => rerouteUnavailable(state, table, { once: 2, call: 2 }));
    const release = calls.find(({ name }) => name === "unavailable.release");
    if (!release) throw new Error("no statement");
    expect(rowsRead((await explain(release)).plan, ["messages"])).toBe(2);
    expect(await queued()).toBe(8);
  }
  await rerouteUnavailable(state, table, { once: 2, call: 2 });
  expect(await queued()).toBe(7);
  await work();
  expect(await message.read()).toMatchObject({ provider: "sandbox", attempts: 1 });
  for (const { read } of stuck) expect(await read()).toMatchObject({ status: "pending", attempts: 0 });
});

test("a message that is to be retried at its providers is sent by the first to become available", async () => {
  await setProvider("is_drained", true);
  await setProvider("is_drained", true, "sandbox");
  const message = await sendTo(newNumber(), own.twilioFirst);
  // Both have throttled it, and are in its chain a second time.
  await pool().query("UPDATE messages SET chain = chain || chain WHERE id = $1", [message.id]);
  await pool().query(
    `INSERT INTO message_attempts (message_id, seq, provider, started_at, finished_at, outcome, fault)
     VALUES ($1, 1, 'twilio', now(), now(), 'retryable', 'throttled'), ($1, 2, 'sandbox', now(), now(), 'retryable', 'throttled')`,
    [message.id],
  );
  await work();
  expect(await message.read()).toMatchObject({ status: "pending" });
  await setProvider("is_drained", false, "sandbox");
  await work();
  expect(await message.read()).toMatchObject({ status: "sent", provider: "sandbox", attempts: 3 });
});

test("only messages that have waited at the provider for ten minutes fail with it", async () => {
  await setProvider("is_drained", true);
  const [old, elsewhere] = [await sendTo(newNumber(), own.onlyTwilio), await sendTo(newNumber(), own.onlyTwilio)];
  await work();
  await letTimePass(11);
  await pool().query("UPDATE waiting_messages SET provider = 'sandbox' WHERE message_id = $1", [elsewhere.id]);
  const young = await sendTo(newNumber(), own.onlyTwilio);
  expect(await claimAttempts([young.id])).toEqual([]);
  await checkNow();
  const statuses = await Promise.all([old, elsewhere, young].map(async ({ read }) => (await read()).status));
  expect(statuses).toEqual(["failed", "pending", "pending"]);
  await pool().query("DELETE FROM waiting_messages");
});

test("of a long queue, a call fails a part, and the next one another", async () => {
  await setProvider("is_drained", true);
  const messages = await Promise.all(Array.from({ length: 5 }, () => sendTo(newNumber(), own.onlyTwilio)));
  await work();
  await letTimePass(11);
  const pending = async () => {
    const statuses = await Promise.all(messages.map(async ({ read }) => (await read()).status));
    return statuses.filter((status) => status === "pending").length;
  };
  for (const left of [3, 1, 0]) {
    await checkNow({ once: 2, call: 2 });
    expect(await pending()).toBe(left);
  }
});

test("of a long queue, no message fails before it was checked for the provider that has become usable", async () => {
  await setProvider("is_drained", true);
  await setProvider("is_drained", true, "sandbox");
  const sendMany = (count: number, route: number) =>
    Promise.all(Array.from({ length: count }, () => sendTo(newNumber(), route)));
  const [stuck, movable] = [await sendMany(2, own.onlyTwilio), await sendMany(5, own.twilioFirst)];
  await work();
  await spreadQueue();
  await setProvider("is_drained", false, "sandbox");
  await letTimePass(11);
  for (let call = 1; call <= 5; call += 1) await checkNow({ once: 2, call: 2 });
  await work();
  for (const { read } of movable) expect(await read()).toMatchObject({ status: "sent", provider: "sandbox" });
  for (const { read } of stuck) expect(await read()).toMatchObject({ status: "failed", cost: 0 });
});

test("a message whose usable providers were all tried stays in the queue", async () => {
  await setProvider("is_drained", true);
  const { id } = await sendTo(newNumber(), own.twilioFirst);
  await pool().query(
    `INSERT INTO message_attempts (message_id, seq, provider, started_at, finished_at, outcome, fault)
     VALUES ($1, 1, 'sandbox', now(), now(), 'retryable', 'provider')`,
    [id],
  );
  expect(await claimAttempts([id])).toEqual([]);
  await checkNow();
  const { rows } = await pool().query("SELECT provider, seq FROM waiting_messages WHERE message_id = $1", [id]);
  expect(rows).toEqual([{ provider: "twilio", seq: 2 }]);
});

test("failed claims leave nothing in the throttle queue", async () => {
  const account = await makeAccount();
  const recipients = Array.from({ length: 50 }, newNumber);
  const input = { recipients, from: account.senderId, body: "Hello", route_id: own.onlyTwilio };
  const { messages } = await sendBulk(account.actor, input, plainRequest());
  const ids = messages.map((message) => message.id);
  await pool().query(
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''away''; END'`,
  );
  await pool().query("CREATE TRIGGER refuse BEFORE INSERT ON message_attempts EXECUTE FUNCTION refuse()");
  for (let count = 0; count < 20; count += 1) await expect(claimAttempts(ids)).rejects.toThrow("away");
  await pool().query("DROP TRIGGER refuse ON message_attempts");
  await pool().query("DROP FUNCTION refuse");
  expect(await pool().query("SELECT FROM waiting_messages")).toMatchObject({ rowCount: 0 });
  startAttempts(await claimAttempts(ids));
  await settleAttempts();
  expect(recipients.map((to) => own.twilio.requestsFor(to))).toEqual(recipients.map(() => 1));
});

test.each([
  ["account", "account_not_active", "UPDATE accounts SET status = 'suspended' WHERE id = $1"],
  ["sender", "sender_not_approved", "UPDATE senders SET status = 'rejected' WHERE account_id = $1"],
])("a waiting message fails, free of charge, when its %s is suspended", async (_, code, suspend) => {
  const account = await makeAccount();
  const send = () =>
    sendMessage(
      account.actor,
      { to: newNumber(), from: account.senderId, body: "Hello", route_id: own.onlyTwilio },
      plainRequest(),
    );
  await setProvider("max_segments_per_second", 0.01);
  await send();
  await work();
  const [queued, undispatched] = [await send(), await send()];
  await claimAttempts([queued.id]);
  await pool().query(suspend, [account.accountId]);
  await setProvider("max_segments_per_second", 100);
  await work();
  for (const { id } of [queued, undispatched]) {
    const message = await getMessage(account.actor, id);
    expect(message).toMatchObject({ status: "failed", cost: 0, attempts: 0, error: { code } });
  }
});

test("an attempt survives a database outage when it is made, and releases its slot", async () => {
  const messages = await Promise.all(Array.from({ length: 5 }, () => sendTo(newNumber(), own.onlyTwilio)));
  const adapter = (await providerTable()).openAdapter("twilio");
  if (!adapter) throw new Error("no adapter");
  const attempts = await claimAttempts(messages.map(({ id }) => id));
  expect(slotsInUse(adapter)).toBe(5);
  await pool().query("ALTER TABLE providers RENAME TO providers_away");
  try {
    invalidateProviders();
    startAttempts(attempts);
    await expect(providerTable()).rejects.toThrow();
  } finally {
    await pool().query("ALTER TABLE providers_away RENAME TO providers");
  }
  await settleAttempts();
  for (const message of messages) expect(await message.read()).toMatchObject({ status: "sent", provider: "twilio" });
  expect(slotsInUse(adapter)).toBe(0);
});
