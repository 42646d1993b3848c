/** Tests of attempts that begin late although their process never stood still: the database, or the provider's slots, were slow. */
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { MINUTE_MS } from "@/server/core/clock";
import { pool } from "@/server/core/db";
import { BEGUN_FRESH_MS } from "@/server/messages/dispatch/claims";
import { BEGUN_WITHIN_MS, settleAttempts, startAttempts } from "@/server/messages/dispatch/run-attempt";
import { moveClockAhead } from "@/test/clock";
import { claimed, prepareAttempts, statusOf } from "@/test/database/attempts";

vi.mock("@/server/core/deadline", async (load) => ({ ...(await load<object>()), hasStalledSince: () => false }));

beforeAll(prepareAttempts);
afterEach(() => vi.restoreAllMocks());

const attemptsOf = async (id: string) =>
  (await pool().query("SELECT provider, outcome, code FROM message_attempts WHERE message_id = $1 ORDER BY seq", [id]))
    .rows;

/** A message with one provider, whose call would fail with a code of its own. */
async function claimedAtVonage() {
  const message = await claimed();
  await pool().query("UPDATE messages SET chain = '{vonage}' WHERE id = $1", [message.id]);
  return message;
}

test("an attempt whose begin was confirmed too late is begun again, and is not made if others have taken it over", async () => {
  const message = await claimedAtVonage();
  const connections = pool();
  const query = connections.query.bind(connections) as (...args: unknown[]) => Promise<unknown>;
  let begun = 0;
  vi.spyOn(connections, "query").mockImplementation((async (...args: unknown[]) => {
    const result = await query(...args);
    if ((args[0] as { name?: string }).name !== "attempts.begin") return result;
    begun += 1;
    if (begun > 1) return result;
    moveClockAhead(BEGUN_FRESH_MS);
    await query(
      "UPDATE message_attempts SET outcome = 'unknown', code = 'worker_lost', finished_at = now() WHERE message_id = $1",
      [message.id],
    );
    return result;
  }) as never);
  startAttempts([{ ...message.first, begunAtMs: null }]);
  await settleAttempts();
  expect(begun).toBe(2);
  expect(await attemptsOf(message.id)).toEqual([{ provider: "vonage", outcome: "retryable", code: "not_begun" }]);
});

test("an attempt that waited for most of the time in which its message may fail is not made; the message is tried again", async () => {
  const message = await claimedAtVonage();
  const claimedAt = new Date(Date.now() - BEGUN_WITHIN_MS - MINUTE_MS);
  startAttempts([{ ...message.first, claimedAt, begunAtMs: null }]);
  await settleAttempts();
  expect(await attemptsOf(message.id)).toEqual([{ provider: "vonage", outcome: "retryable", code: "waited_too_long" }]);
  expect(await statusOf(message)).toBe("pending");
});
