import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { plainRequest } from "@/server/accounts/idempotency/request";
import { pool } from "@/server/core/db";
import { sendBulk } from "@/server/messages/accept/send";
import type { Attempt } from "@/server/messages/dispatch/claims";
import { dispatch } from "@/server/messages/dispatch/dispatch";
import { settleAttempts, startAttempts } from "@/server/messages/dispatch/run-attempt";
import { providersWithQueue } from "@/server/messages/dispatch/throttle-queue";
import { acquireSlots, type Slot, slotsInUse, waitForSlot } from "@/server/providers/health/slots";
import { providerTable } from "@/server/providers/registry";
import { prepareAttempts, record } from "@/test/database/attempts";
import { makeRoute } from "@/test/database/routes";
import { makeAccount } from "@/test/database/seed";

let slow = 0;
let fast = 0;
let both = 0;

beforeAll(async () => {
  await prepareAttempts();
  slow = await makeRoute({ prefix: "1", chain: ["vonage"] });
  fast = await makeRoute({ prefix: "1", chain: ["twilio"] });
  both = await makeRoute({ prefix: "1", chain: ["vonage", "twilio"] });
});

afterEach(() => pool().query("DELETE FROM waiting_messages"));

async function send(count: number, routeId: number): Promise<string[]> {
  const account = await makeAccount();
  const recipients = Array.from({ length: count }, (_, at) => `+1415558${String(at).padStart(4, "0")}`);
  const input = { recipients, from: account.senderId, body: "Hi", route_id: routeId };
  const { messages } = await sendBulk(account.actor, input, plainRequest());
  return messages.map((message) => message.id);
}

async function adapterOf(provider: string) {
  const adapter = (await providerTable()).openAdapter(provider);
  if (!adapter) throw new Error(`${provider} is not configured`);
  return adapter;
}

/** The provider cannot carry this message, and is otherwise healthy. */
const UNFIT = { kind: "retryable", code: "sender", detail: "Not registered there.", fault: "message" } as const;

const releaseAll = (slots: readonly (Slot | null)[]) => {
  for (const slot of slots) slot?.release();
};

test("a provider without free slots delays no other provider's messages; its own wait in the database", async () => {
  const vonage = await adapterOf("vonage");
  const busy = await acquireSlots(vonage, vonage.maxInFlight, 0);
  const ids = [...(await send(3, slow)), ...(await send(3, fast))];
  const taken: Attempt[] = [];
  let isOver = false;
  const dispatched = dispatch(ids, (attempts) => taken.push(...attempts)).finally(() => {
    isOver = true;
  });
  await expect.poll(() => taken.length, { interval: 1 }).toBe(3);
  // The dispatch still waits for the busy provider.
  expect(isOver).toBe(false);
  expect(new Set(taken.map(({ provider }) => provider))).toEqual(new Set(["twilio"]));
  await dispatched;
  expect(taken).toHaveLength(3);
  expect(await providersWithQueue(["vonage", "twilio"])).toEqual(["vonage"]);
  releaseAll([...busy, ...taken.map(({ slot }) => slot)]);
});

test("no more attempts are claimed than can begin", async () => {
  const vonage = await adapterOf("vonage");
  const ids = await send(vonage.maxInFlight + 5, slow);
  const taken: Attempt[] = [];
  await dispatch(ids, (attempts) => taken.push(...attempts));
  expect(taken).toHaveLength(vonage.maxInFlight);
  expect(slotsInUse(vonage)).toBe(vonage.maxInFlight);
  const { rows } = await pool().query<{ begun: number; claimed: number }>(
    `SELECT count(*)::int4 AS claimed, count(begun_at)::int4 AS begun FROM message_attempts
     WHERE message_id = ANY($1::text[])`,
    [ids],
  );
  expect(rows).toEqual([{ claimed: vonage.maxInFlight, begun: vonage.maxInFlight }]);
  releaseAll(taken.map(({ slot }) => slot));
});

test("messages that fall back to a provider without free slots wait in the database, except about as many as it has slots", async () => {
  const [vonage, twilio] = [await adapterOf("vonage"), await adapterOf("twilio")];
  const busy = await acquireSlots(twilio, twilio.maxInFlight, 0);
  const waiting: Promise<Slot>[] = [];
  let sent = 0;
  while (sent < 2 * twilio.maxInFlight) {
    const taken: Attempt[] = [];
    await dispatch(await send(vonage.maxInFlight, both), (attempts) => taken.push(...attempts));
    releaseAll(taken.map(({ slot }) => slot));
    sent += taken.length;
    const nexts = await Promise.all(taken.map((attempt) => record(attempt, UNFIT)));
    // Waits as a continuing chain does.
    waiting.push(...nexts.filter((next) => next !== null).map(() => waitForSlot(twilio)));
  }
  expect(waiting.length).toBeLessThan(twilio.maxInFlight + vonage.maxInFlight);
  const { rows } = await pool().query(
    "SELECT count(*)::int4 AS queued FROM waiting_messages WHERE provider = 'twilio'",
  );
  expect(rows).toEqual([{ queued: sent - waiting.length }]);
  releaseAll(busy);
  for (const slot of waiting) (await slot).release();
  expect(slotsInUse(twilio)).toBe(0);
});

test("a failed claim releases its slots", async () => {
  const twilio = await adapterOf("twilio");
  const ids = await send(2, fast);
  await pool().query("ALTER TABLE message_attempts RENAME COLUMN claim TO claim_away");
  try {
    await expect(dispatch(ids, () => undefined)).rejects.toThrow();
  } finally {
    await pool().query("ALTER TABLE message_attempts RENAME COLUMN claim_away TO claim");
  }
  expect(slotsInUse(twilio)).toBe(0);
});

test("no dispatch claims a message that waits in the throttle queue", async () => {
  const [id = ""] = await send(1, fast);
  await pool().query(
    `INSERT INTO waiting_messages (message_id, provider, account_id, sender, segments, seq, tag)
     SELECT id, 'twilio', account_id, from_sender, 1, 1, 0 FROM messages WHERE id = $1`,
    [id],
  );
  const claimed: Attempt[] = [];
  await dispatch([id], (attempts) => claimed.push(...attempts));
  expect(claimed).toEqual([]);
});

test("an attempt that ends in a fault of ours may have been made: its outcome is unknown, and no provider gets the message again", async () => {
  const vonage = await adapterOf("vonage");
  const sending = vi.spyOn(vonage, "send").mockRejectedValue(new TypeError("A fault of ours."));
  try {
    const ids = await send(1, slow);
    await dispatch(ids, startAttempts);
    await settleAttempts();
    await dispatch(ids, startAttempts);
    await settleAttempts();
    const { rows } = await pool().query(
      "SELECT a.outcome, a.code, m.status FROM messages m JOIN message_attempts a ON a.message_id = m.id WHERE m.id = ANY($1)",
      [ids],
    );
    expect(rows).toEqual([{ outcome: "unknown", code: "adapter_error", status: "pending" }]);
    expect(sending).toHaveBeenCalledTimes(1);
  } finally {
    sending.mockRestore();
  }
});
