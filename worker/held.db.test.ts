import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Carrier } from "@/e2e/support/carriers/carrier";
import { startTwilio } from "@/e2e/support/carriers/twilio";
import { runJobs } from "@/e2e/support/queue";
import { makeRoute } from "@/e2e/support/routes";
import { makeAccount } from "@/e2e/support/seed";
import { plainRequest } from "@/server/accounts/answers";
import { pool } from "@/server/core/db";
import { settleHandOvers } from "@/server/messages/hand-over";
import { getMessage } from "@/server/messages/read";
import { sendMessage } from "@/server/messages/send";
import { forgetProviders, providerTable } from "@/server/providers/registry";
import { tendProviders } from "@/server/providers/tend";
import { dispatchTasks } from "./tasks";

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
  await pool().query("DELETE FROM providers");
  await pool().query("DELETE FROM graphile_worker._private_jobs");
  forgetProviders();
});

async function set(column: "is_drained" | "open_until", value: unknown): Promise<void> {
  await pool().query(
    `INSERT INTO providers (id, ${column}) VALUES ('twilio', $1) ON CONFLICT (id) DO UPDATE SET ${column} = excluded.${column}`,
    [value],
  );
  forgetProviders();
}

const newNumber = () => `+1415${String(Math.floor(Math.random() * 1e7)).padStart(7, "0")}`;

async function sendTo(to: string, routeId: number) {
  const account = await makeAccount();
  const input = { to, from: account.senderId, body: "Hello", route_id: routeId };
  const { id } = await sendMessage(account.actor, input, plainRequest());
  return { id, read: () => getMessage(account.actor, id) };
}

async function work(): Promise<void> {
  await runJobs(dispatchTasks);
  await settleHandOvers();
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

test("a message whose only provider is drained waits, and goes when it is resumed", async () => {
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

test("a message that nobody could take for ten minutes fails and costs nothing", async () => {
  await set("is_drained", true);
  const message = await sendTo(newNumber(), onlyTwilio);
  await pool().query("UPDATE messages SET created_at = created_at - interval '11 minutes' WHERE id = $1", [message.id]);
  await work();
  expect(await message.read()).toMatchObject({ status: "failed", cost: 0, error: { code: "no_provider_available" } });
});

test("five failures in a row open the breaker; after its wait a few messages try the provider, and a success closes it", async () => {
  const failing = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const to = newNumber();
      twilio.plan(to, { kind: "unavailable" });
      return sendTo(to, twilioFirst);
    }),
  );
  await work();
  for (const message of failing) expect((await message.read()).provider).toBe("sandbox");
  expect(await stateOf()).toMatchObject({ breaker: "open", alarm: expect.stringContaining("20503") });

  const skipped = newNumber();
  const other = await sendTo(skipped, twilioFirst);
  await work();
  expect(await other.read()).toMatchObject({ provider: "sandbox", attempts: 1 });
  expect(twilio.requestsFor(skipped)).toBe(0);

  await set("open_until", new Date());
  await tendProviders();
  expect(await stateOf()).toMatchObject({ breaker: "probing", probesLeft: 3 });
  const probe = await sendTo(newNumber(), twilioFirst);
  await work();
  expect(await probe.read()).toMatchObject({ provider: "twilio" });
  expect(await stateOf()).toMatchObject({ breaker: "closed", alarm: null });
});

test("while a provider is probing, only so many messages try it, and a failure opens it for longer", async () => {
  const refused = newNumber();
  twilio.plan(refused, { kind: "account" });
  await sendTo(refused, twilioFirst);
  await work();
  const first = await stateOf();
  expect(first).toMatchObject({ breaker: "open" });
  await set("open_until", new Date());
  await tendProviders();
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
