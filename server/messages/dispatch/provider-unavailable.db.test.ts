import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { plainRequest } from "@/server/accounts/idempotency/request";
import { pool } from "@/server/core/db";
import { sendBulk, sendMessage } from "@/server/messages/accept/send";
import { claimAttempts } from "@/server/messages/dispatch/dispatch";
import { settleAttempts, startAttempts } from "@/server/messages/dispatch/run-attempt";
import { serveThrottleQueue } from "@/server/messages/dispatch/serve-throttle-queue";
import { loadThroughputLimits } from "@/server/messages/dispatch/throttle-queue";
import { getMessage } from "@/server/messages/read";
import { updateProviderHealth } from "@/server/providers/health/provider-health";
import { slotsInUse } from "@/server/providers/health/slots";
import { invalidateProviders, providerTable } from "@/server/providers/registry";
import type { Carrier } from "@/test/carriers/carrier";
import { startTwilio } from "@/test/carriers/twilio";
import { runJobs } from "@/test/database/queue";
import { makeRoute } from "@/test/database/routes";
import { makeAccount } from "@/test/database/seed";
import { dispatchTasks } from "@/worker/tasks";

let twilio: Carrier;
let onlyTwilio = 0;
let twilioFirst = 0;

beforeAll(async () => {
  twilio = await startTwilio();
  Object.assign(process.env, twilio.environment);
  onlyTwilio = await makeRoute({ prefix: "1", chain: ["twilio"] });
  twilioFirst = await makeRoute({ prefix: "1", chain: ["twilio", "sandbox"] });
});

afterAll(() => twilio.close());

afterEach(async () => {
  for (const table of ["providers", "waiting_messages", "pace_buckets"]) await pool().query(`DELETE FROM ${table}`);
  await pool().query("DELETE FROM graphile_worker._private_jobs");
  invalidateProviders();
});

type Column = "is_drained" | "max_segments_per_second";

async function set(column: Column, value: unknown, provider = "twilio"): Promise<void> {
  await pool().query(
    `INSERT INTO providers (id, ${column}) VALUES ($2, $1) ON CONFLICT (id) DO UPDATE SET ${column} = excluded.${column}`,
    [value, provider],
  );
  invalidateProviders();
}

/** As if the wait of the open breaker had ended a second ago, which exceeds the difference between clocks. */
const endWait = () =>
  pool()
    .query("UPDATE providers SET open_until = now() - interval '1 second' WHERE id = 'twilio'")
    .then(invalidateProviders);

const newNumber = () => `+1415${String(Math.floor(Math.random() * 1e7)).padStart(7, "0")}`;

async function sendTo(to: string, routeId: number) {
  const account = await makeAccount();
  const input = { to, from: account.senderId, body: "Hello", route_id: routeId };
  const { id } = await sendMessage(account.actor, input, plainRequest());
  return { id, account, read: () => getMessage(account.actor, id) };
}

/** Runs the work of a worker until nothing is due. */
async function work(): Promise<void> {
  await updateProviderHealth();
  for (let turn = 0; turn < 3; turn += 1) {
    await runJobs(dispatchTasks);
    await serveThrottleQueue();
    await settleAttempts();
  }
}

/** As if providers had been unavailable, and messages had waited, for this much longer. */
async function letTimePass(minutes: number): Promise<void> {
  await updateProviderHealth();
  await pool().query("UPDATE providers SET unavailable_since = unavailable_since - $1 * interval '1 minute'", [
    minutes,
  ]);
  await pool().query("UPDATE waiting_messages SET created_at = created_at - $1 * interval '1 minute'", [minutes]);
  await pool().query("UPDATE messages SET created_at = created_at - $1 * interval '1 minute'", [minutes]);
  invalidateProviders();
}

const stateOf = async () => (await providerTable()).stateOf("twilio");

test("a drained provider is skipped, not tried", async () => {
  await set("is_drained", true);
  const to = newNumber();
  const message = await sendTo(to, twilioFirst);
  await work();
  expect(await message.read()).toMatchObject({ status: "sent", provider: "sandbox", attempts: 1 });
  expect(twilio.requestsFor(to)).toBe(0);
});

test("a message whose only provider is drained waits, and is sent when it is resumed", async () => {
  await set("is_drained", true);
  const to = newNumber();
  const message = await sendTo(to, onlyTwilio);
  await work();
  expect(await message.read()).toMatchObject({ status: "pending", attempts: 0 });
  await set("is_drained", false);
  await work();
  expect(await message.read()).toMatchObject({ status: "sent", provider: "twilio", attempts: 1 });
  expect(twilio.taken.filter((taken) => taken.to === to)).toHaveLength(1);
});

/** Runs `work` while Twilio has no settings. */
async function withoutSettings(work: () => Promise<void>): Promise<void> {
  const names = Object.keys(twilio.environment);
  for (const name of names) delete process.env[name];
  invalidateProviders();
  try {
    await work();
  } finally {
    Object.assign(process.env, twilio.environment);
    invalidateProviders();
  }
}

test("messages that wait at a drained provider fail and cost nothing when its settings are removed", async () => {
  await set("is_drained", true);
  const message = await sendTo(newNumber(), onlyTwilio);
  await work();
  expect(await message.read()).toMatchObject({ status: "pending", attempts: 0 });
  await withoutSettings(work);
  expect(await message.read()).toMatchObject({ status: "failed", cost: 0, error: { code: "no_provider_available" } });
});

test("messages over the throughput limit of their sender pass a provider without settings", async () => {
  const { account, read } = await sendTo(newNumber(), twilioFirst);
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
  await set("is_drained", true);
  const message = await sendTo(newNumber(), onlyTwilio);
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

test("a message that was queued for long has ten minutes from when its provider is drained", async () => {
  await set("max_segments_per_second", 0.01);
  const messages: Awaited<ReturnType<typeof sendTo>>[] = [];
  for (let count = 0; count < 4; count += 1) messages.push(await sendTo(newNumber(), onlyTwilio));
  const statuses = async () =>
    (await Promise.all(messages.map((message) => message.read()))).map(({ status }) => status);
  await work();
  const waiting = (await statuses()).filter((status) => status === "pending");
  expect(waiting.length).toBeGreaterThanOrEqual(3);
  await letTimePass(60);
  await set("is_drained", true);
  await work();
  expect((await statuses()).filter((status) => status === "pending")).toEqual(waiting);
  await set("is_drained", false);
  await set("max_segments_per_second", null);
  await work();
  expect(await statuses()).toEqual(messages.map(() => "sent"));
});

test("a message that waits for two providers is sent by the first to become available", async () => {
  await set("is_drained", true);
  await set("is_drained", true, "sandbox");
  const message = await sendTo(newNumber(), twilioFirst);
  await work();
  expect(await message.read()).toMatchObject({ status: "pending", attempts: 0 });
  await set("is_drained", false, "sandbox");
  await work();
  expect(await message.read()).toMatchObject({ provider: "sandbox", attempts: 1 });
});

test("a half-open provider with a throughput limit is probed too, and closes on success", async () => {
  for (const route of [onlyTwilio, twilioFirst]) {
    await set("max_segments_per_second", 50);
    await pool().query("UPDATE providers SET breaker = 'open', opens = 1 WHERE id = 'twilio'");
    await endWait();
    await work();
    expect(await stateOf()).toMatchObject({ breaker: "probing", probesLeft: 3 });
    const to = newNumber();
    const message = await sendTo(to, route);
    await work();
    expect(await message.read()).toMatchObject({ status: "sent", provider: "twilio" });
    expect(await stateOf()).toMatchObject({ breaker: "closed" });
  }
});

test("queued messages probe their half-open provider, a few at first", async () => {
  await set("is_drained", true);
  const numbers = Array.from({ length: 6 }, newNumber);
  for (const to of numbers) twilio.plan(to, { kind: "unavailable" });
  for (const to of numbers) await sendTo(to, onlyTwilio);
  await work();
  await pool().query("UPDATE providers SET is_drained = false, breaker = 'open' WHERE id = 'twilio'");
  await endWait();
  await work();
  const calls = numbers.reduce((sum, to) => sum + twilio.requestsFor(to), 0);
  expect(calls).toBeGreaterThanOrEqual(1);
  expect(calls).toBeLessThanOrEqual(3);
  expect(await stateOf()).toMatchObject({ breaker: "open" });
});

test("a probe whose attempt is not made is given back", async () => {
  await pool().query("INSERT INTO providers (id, breaker, probes_left) VALUES ('twilio', 'probing', 1)");
  invalidateProviders();
  const message = await sendTo(newNumber(), onlyTwilio);
  const [attempt, ...others] = await claimAttempts([message.id]);
  expect([attempt?.provider, others]).toEqual(["twilio", []]);
  invalidateProviders();
  expect(await stateOf()).toMatchObject({ breaker: "probing", probesLeft: 0 });
  // It may not begin any more.
  await pool().query("UPDATE messages SET expires_at = now() - interval '1 second' WHERE id = $1", [message.id]);
  startAttempts(attempt ? [attempt] : []);
  await settleAttempts();
  invalidateProviders();
  expect(await stateOf()).toMatchObject({ breaker: "probing", probesLeft: 1 });
});

test("an inconclusive probe is given back", async () => {
  await pool().query("INSERT INTO providers (id, breaker, probes_left) VALUES ('twilio', 'probing', 1)");
  invalidateProviders();
  const to = newNumber();
  twilio.plan(to, { kind: "throttle" });
  await sendTo(to, twilioFirst);
  await work();
  expect(twilio.requestsFor(to)).toBe(1);
  expect(await stateOf()).toMatchObject({ breaker: "probing", probesLeft: 1 });
});

test("failed claims leave nothing in the throttle queue", async () => {
  const account = await makeAccount();
  const recipients = Array.from({ length: 50 }, newNumber);
  const input = { recipients, from: account.senderId, body: "Hello", route_id: onlyTwilio };
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
  expect(recipients.map((to) => twilio.requestsFor(to))).toEqual(recipients.map(() => 1));
});

test.each([
  ["account", "account_not_active", "UPDATE accounts SET status = 'suspended' WHERE id = $1"],
  ["sender", "sender_not_approved", "UPDATE senders SET status = 'rejected' WHERE account_id = $1"],
])("a waiting message whose %s is suspended fails, free of charge", async (_, code, suspend) => {
  const account = await makeAccount();
  const send = () =>
    sendMessage(
      account.actor,
      { to: newNumber(), from: account.senderId, body: "Hello", route_id: onlyTwilio },
      plainRequest(),
    );
  await set("max_segments_per_second", 0.01);
  await send();
  await work();
  const [queued, undispatched] = [await send(), await send()];
  await claimAttempts([queued.id]);
  await pool().query(suspend, [account.accountId]);
  await set("max_segments_per_second", 100);
  await work();
  for (const { id } of [queued, undispatched]) {
    const message = await getMessage(account.actor, id);
    expect(message).toMatchObject({ status: "failed", cost: 0, attempts: 0, error: { code } });
  }
});

test("five consecutive failures open the breaker; after its wait a few messages probe the provider, and a success closes it", async () => {
  const failing = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const to = newNumber();
      twilio.plan(to, { kind: "unavailable" });
      return sendTo(to, twilioFirst);
    }),
  );
  await work();
  for (const message of failing) expect((await message.read()).provider).toBe("sandbox");
  expect(await stateOf()).toMatchObject({ breaker: "open", lastError: expect.stringContaining("20503") });

  const skipped = newNumber();
  const other = await sendTo(skipped, twilioFirst);
  await work();
  expect(await other.read()).toMatchObject({ provider: "sandbox", attempts: 1 });
  expect(twilio.requestsFor(skipped)).toBe(0);

  await endWait();
  await updateProviderHealth();
  expect(await stateOf()).toMatchObject({ breaker: "probing", probesLeft: 3 });
  const probe = await sendTo(newNumber(), twilioFirst);
  await work();
  expect(await probe.read()).toMatchObject({ provider: "twilio" });
  expect(await stateOf()).toMatchObject({ breaker: "closed", lastError: null });
});

test("a half-open provider gets a limited number of probes, and a failure opens it for longer", async () => {
  const refused = newNumber();
  twilio.plan(refused, { kind: "account" });
  await sendTo(refused, twilioFirst);
  await work();
  const first = await stateOf();
  expect(first).toMatchObject({ breaker: "open" });
  await endWait();
  await updateProviderHealth();
  const numbers = Array.from({ length: 8 }, newNumber);
  for (const to of numbers) twilio.plan(to, { kind: "unavailable" });
  const messages = await Promise.all(numbers.map((to) => sendTo(to, twilioFirst)));
  await work();
  expect(numbers.reduce((sum, to) => sum + twilio.requestsFor(to), 0)).toBeLessThanOrEqual(3);
  for (const message of messages) expect((await message.read()).provider).toBe("sandbox");
  const second = await stateOf();
  expect(second?.breaker).toBe("open");
  expect(Number(second?.openUntil) - Date.now()).toBeGreaterThan(15_000);
});

test("an attempt survives a database outage when it is made, and releases its slot", async () => {
  const messages = await Promise.all(Array.from({ length: 5 }, () => sendTo(newNumber(), onlyTwilio)));
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
