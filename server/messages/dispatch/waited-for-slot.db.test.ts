/** Tests of attempts that have waited for a slot, while their provider became unavailable or its settings were replaced. */
import { beforeAll, expect, test } from "vitest";
import { pool } from "@/server/core/db";
import { acquireSlots, hasManyWaiting, slotsInUse } from "@/server/providers/health/slots";
import { invalidateProviders, providerTable } from "@/server/providers/registry";
import { startTwilio } from "@/test/carriers/twilio";
import { BUSY, claimAttempts, recordAndAdvance } from "@/test/database/attempts";
import { makeRoute } from "@/test/database/routes";
import { newNumber, sendTo, setProvider, stateOf, twilioOfFile, work } from "@/test/database/twilio";
import { type Attempt, knownClaims } from "./claims";
import { settleAttempts, startAttempts } from "./run-attempt";

const own = twilioOfFile();
let twilioLast = 0;

beforeAll(async () => {
  twilioLast = await makeRoute({ prefix: "1", chain: ["sandbox", "twilio"] });
});

/** A message that the sandbox could not take, and its attempt at Twilio. */
async function fallenBack() {
  const to = newNumber();
  const message = await sendTo(to, twilioLast);
  const [first] = await claimAttempts([message.id]);
  first?.slot?.release();
  if (!first) throw new Error("not claimed");
  return { to, message, second: await recordAndAdvance(first, BUSY) };
}

/** Makes the attempt while another call uses the only slot, and calls `meanwhile` before that one ends. */
async function makeAfterWait(attempt: Attempt, meanwhile: () => Promise<unknown>): Promise<void> {
  const adapter = (await providerTable()).openAdapter("twilio");
  if (!adapter) throw new Error("no adapter");
  adapter.maxInFlight = 1;
  const [busy] = await acquireSlots(adapter, 1, 0);
  startAttempts([attempt]);
  await expect.poll(() => hasManyWaiting("twilio")).toBe(true);
  await meanwhile();
  invalidateProviders();
  busy?.release();
  await settleAttempts();
  expect(slotsInUse(adapter)).toBe(0);
  expect(knownClaims().has(attempt.claim)).toBe(false);
}

const attemptsOf = async (id: string): Promise<string[]> => {
  const { rows } = await pool().query<{ provider: string }>(
    "SELECT provider FROM message_attempts WHERE message_id = $1 ORDER BY seq",
    [id],
  );
  return rows.map(({ provider }) => provider);
};

test.each([
  ["is drained", "INSERT INTO providers (id, is_drained) VALUES ('twilio', true)"],
  [
    "has an open breaker",
    "INSERT INTO providers (id, breaker, open_until) VALUES ('twilio', 'open', now() + interval '1 hour')",
  ],
])("a provider that %s by then is not called; the message waits until it is available", async (_, change) => {
  const { to, message, second } = await fallenBack();
  await makeAfterWait(second, () => pool().query(change));
  await work();
  expect(own.twilio.requestsFor(to)).toBe(0);
  expect(await attemptsOf(message.id)).toEqual(["sandbox"]);
  expect(await message.read()).toMatchObject({ status: "pending" });
  await pool().query("DELETE FROM providers");
  invalidateProviders();
  await work();
  expect(await message.read()).toMatchObject({ status: "sent", provider: "twilio", attempts: 2 });
  expect(own.twilio.requestsFor(to)).toBe(1);
});

test("a provider whose settings were replaced is called with the new ones", async () => {
  const other = await startTwilio();
  const { to, message, second } = await fallenBack();
  try {
    await makeAfterWait(second, async () => Object.assign(process.env, other.environment));
    await work();
    expect([own.twilio.requestsFor(to), other.requestsFor(to)]).toEqual([0, 1]);
    expect(await message.read()).toMatchObject({ status: "sent", provider: "twilio", attempts: 2 });
  } finally {
    Object.assign(process.env, own.twilio.environment);
    invalidateProviders();
    await other.close();
  }
});

test("of a provider that has become half-open by then only a probe is made; the message waits for one of its own", async () => {
  const { to, message, second } = await fallenBack();
  await makeAfterWait(second, () =>
    pool().query("INSERT INTO providers (id, breaker, probes_left) VALUES ('twilio', 'probing', 0)"),
  );
  expect(own.twilio.requestsFor(to)).toBe(0);
  // It held no probe, so it gives none back.
  expect(await stateOf()).toMatchObject({ breaker: "probing", probesLeft: 0 });
  await work();
  expect(own.twilio.requestsFor(to)).toBe(0);
  await setProvider("probes_left", 1);
  await work();
  expect(own.twilio.requestsFor(to)).toBe(1);
  expect(await message.read()).toMatchObject({ status: "sent", provider: "twilio" });
  expect(await stateOf()).toMatchObject({ breaker: "closed" });
});

test("a probe that has waited is made", async () => {
  await pool().query("INSERT INTO providers (id, breaker, probes_left) VALUES ('twilio', 'probing', 1)");
  invalidateProviders();
  const to = newNumber();
  const { id } = await sendTo(to, own.onlyTwilio);
  const [probe] = await claimAttempts([id]);
  if (!probe) throw new Error("not claimed");
  await makeAfterWait(probe, async () => undefined);
  expect(own.twilio.requestsFor(to)).toBe(1);
  expect(await stateOf()).toMatchObject({ breaker: "closed" });
});
