/** Tests of attempts that were not made, while the database is unavailable to give them back. */
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { pool } from "@/server/core/db";
import { claimAttempts, pending, prepareAttempts } from "@/test/database/attempts";
import { failStatements } from "@/test/database/intercepted-statements";
import { knownClaims } from "./claims";
import { giveBackUnheard } from "./recover";
import { startAttempts, stopAttempts } from "./run-attempt";

beforeAll(prepareAttempts);
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const pause = (
  (real) => (ms: number) =>
    new Promise((resolve) => real(resolve, ms))
)(setTimeout);

/** Skips the pauses between the tries of a write, with time for each statement, until `work` is done. */
async function passTime(work: Promise<void>): Promise<void> {
  let isOver = false;
  void work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await vi.advanceTimersByTimeAsync(1_000);
    await pause(10);
  }
}

const queued = async (id: string): Promise<number> => {
  const { rowCount } = await pool().query(
    "SELECT 1 FROM graphile_worker._private_jobs WHERE payload::jsonb -> 'messageIds' ? $1",
    [id],
  );
  return rowCount ?? 0;
};

test("an attempt that was not made is given back after an outage, however long, while its worker lives", async () => {
  const { id } = await pending();
  const attempts = await claimAttempts([id]);
  expect(attempts).toHaveLength(1);
  await pool().query("DELETE FROM graphile_worker._private_jobs");
  failStatements("DELETE FROM message_attempts");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  // A stopping worker makes no more attempts.
  startAttempts(attempts);
  await passTime(stopAttempts());
  vi.useRealTimers();
  vi.restoreAllMocks();
  expect(await queued(id)).toBe(0);
  expect(knownClaims().size).toBe(0);
  expect(await giveBackUnheard(0)).toBe(1);
  expect(await queued(id)).toBe(1);
});
