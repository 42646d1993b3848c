import { expect, test } from "vitest";
import { pool } from "@/server/core/db";
import { settleAttempts, startAttempts } from "@/server/messages/dispatch/run-attempt";
import { serveThrottleQueue } from "@/server/messages/dispatch/serve-throttle-queue";
import { updateProviderHealth } from "@/server/providers/health/provider-health";
import { invalidateProviders } from "@/server/providers/registry";
import { claimAttempts } from "@/test/database/attempts";
import { endWait, newNumber, sendTo, setProvider, stateOf, twilioOfFile, work } from "@/test/database/twilio";

const own = twilioOfFile();

test("a half-open provider with a throughput limit is probed too, and closes on success", async () => {
  for (const route of [own.onlyTwilio, own.twilioFirst]) {
    await setProvider("max_segments_per_second", 50);
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
  await setProvider("is_drained", true);
  const numbers = Array.from({ length: 6 }, newNumber);
  for (const to of numbers) own.twilio.plan(to, { kind: "unavailable" });
  for (const to of numbers) await sendTo(to, own.onlyTwilio);
  await work();
  await pool().query("UPDATE providers SET is_drained = false, breaker = 'open' WHERE id = 'twilio'");
  await endWait();
  await work();
  const calls = numbers.reduce((sum, to) => sum + own.twilio.requestsFor(to), 0);
  expect(calls).toBeGreaterThanOrEqual(1);
  expect(calls).toBeLessThanOrEqual(3);
  expect(await stateOf()).toMatchObject({ breaker: "open" });
});

test("while its probes are under way, a half-open provider gets no more queued messages", async () => {
  await setProvider("is_drained", true);
  const numbers = Array.from({ length: 6 }, newNumber);
  for (const to of numbers) own.twilio.plan(to, { kind: "slow", ms: 4_000 });
  for (const to of numbers) await sendTo(to, own.onlyTwilio);
  await work();
  await pool().query(
    "UPDATE providers SET is_drained = false, breaker = 'probing', probes_left = 3 WHERE id = 'twilio'",
  );
  invalidateProviders();
  const calls = () => numbers.reduce((sum, to) => sum + own.twilio.requestsFor(to), 0);
  await serveThrottleQueue();
  await expect.poll(calls).toBe(3);
  await serveThrottleQueue();
  expect((await pool().query("SELECT FROM waiting_messages")).rowCount).toBe(3);
  invalidateProviders();
  expect(await stateOf()).toMatchObject({ breaker: "probing", probesLeft: 0 });
  await settleAttempts();
});

test("a probe whose attempt is not made is given back", async () => {
  await pool().query("INSERT INTO providers (id, breaker, probes_left) VALUES ('twilio', 'probing', 1)");
  invalidateProviders();
  const message = await sendTo(newNumber(), own.onlyTwilio);
  const [attempt, ...others] = await claimAttempts([message.id]);
  expect([attempt?.provider, others]).toEqual(["twilio", []]);
  invalidateProviders();
  expect(await stateOf()).toMatchObject({ breaker: "probing", probesLeft: 0 });
  // The attempt may no longer begin.
  await pool().query("UPDATE messages SET expires_at = now() - interval '1 second' WHERE id = $1", [message.id]);
  startAttempts(attempt ? [attempt] : []);
  await settleAttempts();
  invalidateProviders();
  expect(await stateOf()).toMatchObject({ breaker: "probing", probesLeft: 1 });
});

test("a probe is charged to the throughput of its provider, and given back if another dispatch was faster", async () => {
  const [claimed, overtaken] = [await sendTo(newNumber(), own.onlyTwilio), await sendTo(newNumber(), own.onlyTwilio)];
  await pool().query("INSERT INTO providers (id, breaker, probes_left) VALUES ('twilio', 'probing', 3)");
  await pool().query("INSERT INTO pace_buckets (id, tokens, refilled_at) VALUES ('provider:twilio', 5, now())");
  invalidateProviders();
  // As if it had the attempt already when this one is claimed.
  await pool().query(`CREATE FUNCTION overtake() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RETURN CASE WHEN NEW.message_id <> '${overtaken.id}' THEN NEW END; END $$`);
  await pool().query(
    "CREATE TRIGGER overtake BEFORE INSERT ON message_attempts FOR EACH ROW EXECUTE FUNCTION overtake()",
  );
  const attempts = await claimAttempts([claimed.id, overtaken.id]);
  await pool().query("DROP FUNCTION overtake CASCADE");
  expect(attempts.map(({ message }) => message.id)).toEqual([claimed.id]);
  invalidateProviders();
  expect(await stateOf()).toMatchObject({ probesLeft: 2 });
  expect((await pool().query("SELECT tokens FROM pace_buckets")).rows).toEqual([{ tokens: 3 }]);
  startAttempts(attempts);
  await settleAttempts();
});

test("an inconclusive probe is given back", async () => {
  await pool().query("INSERT INTO providers (id, breaker, probes_left) VALUES ('twilio', 'probing', 1)");
  invalidateProviders();
  const to = newNumber();
  own.twilio.plan(to, { kind: "throttle" });
  await sendTo(to, own.twilioFirst);
  await work();
  expect(own.twilio.requestsFor(to)).toBe(1);
  expect(await stateOf()).toMatchObject({ breaker: "probing", probesLeft: 1 });
});

test.each([
  ["shows nothing", "throttle"],
  ["failed", "unavailable"],
] as const)("a call from before the breaker opened that %s is no probe: it changes nothing", async (_, kind) => {
  const to = newNumber();
  own.twilio.plan(to, { kind });
  const message = await sendTo(to, own.twilioFirst);
  const attempts = await claimAttempts([message.id]);
  // As if it had been under way while the breaker opened and its wait ended.
  await pool().query("INSERT INTO providers (id, breaker, opens, probes_left) VALUES ('twilio', 'probing', 1, 1)");
  invalidateProviders();
  startAttempts(attempts);
  await settleAttempts();
  expect(own.twilio.requestsFor(to)).toBe(1);
  invalidateProviders();
  expect(await stateOf()).toMatchObject({ breaker: "probing", probesLeft: 1 });
});

test("five consecutive failures open the breaker; after its wait a few messages probe the provider, and a success closes it", async () => {
  const failing = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const to = newNumber();
      own.twilio.plan(to, { kind: "unavailable" });
      return sendTo(to, own.twilioFirst);
    }),
  );
  await work();
  for (const message of failing) expect((await message.read()).provider).toBe("sandbox");
  expect(await stateOf()).toMatchObject({ breaker: "open", lastError: expect.stringContaining("20503") });

  const skipped = newNumber();
  const other = await sendTo(skipped, own.twilioFirst);
  await work();
  expect(await other.read()).toMatchObject({ provider: "sandbox", attempts: 1 });
  expect(own.twilio.requestsFor(skipped)).toBe(0);

  await endWait();
  await updateProviderHealth();
  expect(await stateOf()).toMatchObject({ breaker: "probing", probesLeft: 3 });
  const probe = await sendTo(newNumber(), own.twilioFirst);
  await work();
  expect(await probe.read()).toMatchObject({ provider: "twilio" });
  expect(await stateOf()).toMatchObject({ breaker: "closed", lastError: null });
});

test("a half-open provider gets a limited number of probes, and a failure opens it for longer", async () => {
  const refused = newNumber();
  own.twilio.plan(refused, { kind: "account" });
  await sendTo(refused, own.twilioFirst);
  await work();
  const first = await stateOf();
  expect(first).toMatchObject({ breaker: "open" });
  await endWait();
  await updateProviderHealth();
  const numbers = Array.from({ length: 8 }, newNumber);
  for (const to of numbers) own.twilio.plan(to, { kind: "unavailable" });
  const messages = await Promise.all(numbers.map((to) => sendTo(to, own.twilioFirst)));
  await work();
  expect(numbers.reduce((sum, to) => sum + own.twilio.requestsFor(to), 0)).toBeLessThanOrEqual(3);
  for (const message of messages) expect((await message.read()).provider).toBe("sandbox");
  const second = await stateOf();
  expect(second?.breaker).toBe("open");
  expect(Number(second?.openUntil) - Date.now()).toBeGreaterThan(15_000);
});

test.each([
  ["open", "now() + interval '2 hours 10 seconds'"],
  ["probing", "NULL"],
])(
  "a provider that was %s when the database's clock was set back by two hours is probed at once",
  async (breaker, until) => {
    await pool().query(
      `INSERT INTO providers (id, breaker, opens, open_until, probes_left, updated_at)
     VALUES ('twilio', '${breaker}', 1, ${until}, 0, now() + interval '2 hours')`,
    );
    await updateProviderHealth();
    invalidateProviders();
    expect(await stateOf()).toMatchObject({ breaker: "probing", probesLeft: 3 });
  },
);

test("a provider that has just been opened is not probed before its wait is over", async () => {
  await pool().query(
    `INSERT INTO providers (id, breaker, opens, open_until, updated_at)
     VALUES ('twilio', 'open', 5, now() + interval '2 minutes', now() + interval '1 second')`,
  );
  await updateProviderHealth();
  invalidateProviders();
  expect(await stateOf()).toMatchObject({ breaker: "open" });
});
