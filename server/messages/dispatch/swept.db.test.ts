/** Tests which messages each sweep ends, or queues again, depending on their attempts. */
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { checkLedger } from "@/server/accounts/tasks";
import { MINUTE_MS } from "@/server/core/clock";
import { pool } from "@/server/core/db";
import { getMessage } from "@/server/messages/read";
import { pending, prepareAttempts } from "@/test/database/attempts";
import { openTransaction, untilWaiting } from "@/test/database/lock-waits";
import { failStranded, failUnresolved, requeueOrphans, sweepMessages } from "./sweeps";

/** `minutes`: since it was begun. `outcome` null: none yet, and its worker is dead unless it is named `alive`. */
type Made = { outcome: string | null; minutes: number; worker?: "alive" };

const AGE_MS = 15 * MINUTE_MS;
const old = (outcome: string | null): Made => ({ outcome, minutes: 50 });
const young = (outcome: string | null): Made => ({ outcome, minutes: 1 });
const alive = (minutes: number): Made => ({ outcome: null, minutes, worker: "alive" });

beforeAll(async () => {
  await prepareAttempts();
  await pool().query("INSERT INTO workers (id) VALUES ('alive')");
});
beforeEach(() => pool().query("DELETE FROM graphile_worker._private_jobs"));

/** A message by `vonage`, then `twilio`, that has been due for an hour and has these attempts. */
async function withAttempts(attempts: readonly Made[], isWaiting: boolean) {
  const message = await pending();
  await pool().query("DELETE FROM graphile_worker._private_jobs");
  for (const [at, { outcome, minutes, worker = "dead" }] of attempts.entries()) {
    await pool().query(
      `INSERT INTO message_attempts (message_id, seq, provider, outcome, started_at, begun_at, finished_at, worker_id)
       SELECT $1, $2::int2, CASE WHEN $2::int2 = 1 THEN 'vonage' ELSE 'twilio' END, $3::text, t.at, t.at, CASE WHEN $3::text IS NOT NULL THEN t.at END, $5
       FROM (SELECT now() - $4::float8 * interval '1 minute' AS at) t`,
      [message.id, at + 1, outcome, minutes, worker],
    );
  }
  if (isWaiting) {
    await pool().query(
      `INSERT INTO waiting_messages (message_id, provider, account_id, sender, segments, seq, tag)
       SELECT id, 'twilio', account_id, from_sender, 1, 9, 0 FROM messages WHERE id = $1`,
      [message.id],
    );
  }
  await pool().query("UPDATE pending_messages SET created_at = now() - interval '1 hour' WHERE message_id = $1", [
    message.id,
  ]);
  // Each case starts new rounds.
  await pool().query("DELETE FROM sweep_rounds");
  return message;
}

const errorOf = async ({ account, id }: Awaited<ReturnType<typeof pending>>) =>
  (await getMessage(account.actor, id)).error?.code ?? null;

async function isQueued(id: string): Promise<boolean> {
  const { rowCount } = await pool().query("SELECT FROM graphile_worker._private_jobs WHERE payload::text LIKE $1", [
    `%${id}%`,
  ]);
  return rowCount !== 0;
}

type Case = [what: string, attempts: Made[], isSwept: boolean, isWaiting?: boolean];

describe("a message whose chain has ended is failed", () => {
  test.each<Case>([
    ["both have failed", [old("retryable"), old("retryable")], true],
    ["one has refused it", [old("refused")], true],
    ["a provider is left", [old("retryable")], false],
    ["one may have it", [old("unknown"), old("retryable")], false],
    ["the last attempt may be under way", [old("retryable"), alive(50)], false],
    ["the last one has failed just now", [old("retryable"), young("retryable")], false],
    ["it waits for another attempt", [old("retryable"), old("retryable")], false, true],
  ])("%s", async (_, attempts, isSwept, isWaiting = false) => {
    const message = await withAttempts(attempts, isWaiting);
    await failStranded(AGE_MS);
    expect(await errorOf(message)).toBe(isSwept ? "no_provider_available" : null);
  });
});

test("a message whose outcome becomes known while a sweep waits for it is left alone", async () => {
  const message = await withAttempts([old("unknown")], false);
  const recording = await openTransaction(async (tx) => {
    await tx.query("SELECT FROM messages WHERE id = $1 FOR UPDATE", [message.id]);
    await tx.query("UPDATE message_attempts SET outcome = 'accepted' WHERE message_id = $1", [message.id]);
  });
  const sweeping = failUnresolved(AGE_MS);
  await untilWaiting("FROM messages");
  await recording.commit();
  await sweeping;
  expect(await errorOf(message)).toBeNull();
});

describe("a message that has lost its job is queued again", () => {
  test.each<Case>([
    ["without an attempt", [], true],
    ["the first provider has failed", [old("retryable")], true],
    ["it failed just now", [young("retryable")], false],
    ["one has refused it", [old("refused")], false],
    ["one may have it", [old("unknown")], false],
    ["one may be under way", [alive(50)], false],
    ["none is left", [old("retryable"), old("retryable")], false],
    ["it waits in the throttle queue", [], false, true],
  ])("%s", async (_, attempts, isSwept, isWaiting = false) => {
    const { id } = await withAttempts(attempts, isWaiting);
    await requeueOrphans(AGE_MS);
    expect(await isQueued(id)).toBe(isSwept);
  });
});

describe("a message that a provider may have is eventually failed", () => {
  test.each<Case>([
    ["nothing was heard of it", [old("unknown")], true],
    ["its worker has died", [old(null)], true],
    ["its worker may still write what the provider said", [alive(50)], false],
    ["its worker has had an hour for that", [alive(70)], true],
    ["it was begun just now", [young("unknown")], false],
    ["a later attempt has failed just now", [old("unknown"), young("retryable")], false],
    ["a later attempt may be under way", [old("unknown"), alive(50)], false],
    ["a later attempt failed long ago", [old("unknown"), old("retryable")], true],
    ["the worker of a later attempt has died", [old("unknown"), old(null)], true],
    ["it waits for another attempt", [old("unknown")], false, true],
  ])("%s", async (_, attempts, isSwept, isWaiting = false) => {
    const message = await withAttempts(attempts, isWaiting);
    await failUnresolved(AGE_MS);
    expect(await errorOf(message)).toBe(isSwept ? "provider_outcome_unknown" : null);
  });
});

test("a worker that stops begins no step of a sweep, and the next run, perhaps of another worker, makes them", async () => {
  const unresolved = await withAttempts([old("unknown")], false);
  const stranded = await withAttempts([old("refused")], false);
  const expired = await withAttempts([], false);
  await pool().query("UPDATE messages SET expires_at = now() - interval '1 minute' WHERE id = $1", [expired.id]);
  const orphan = await withAttempts([], false);
  await sweepMessages(AbortSignal.abort());
  for (const message of [unresolved, stranded, expired]) expect(await errorOf(message)).toBeNull();
  expect(await isQueued(orphan.id)).toBe(false);
  await sweepMessages(new AbortController().signal);
  expect(await errorOf(unresolved)).toBe("provider_outcome_unknown");
  expect(await errorOf(stranded)).toBe("no_provider_available");
  expect(await errorOf(expired)).toBe("expired");
  expect(await isQueued(orphan.id)).toBe(true);
});

test("afterwards the balances equal the ledger", async () => {
  expect((await checkLedger()).drifted).toEqual([]);
});
