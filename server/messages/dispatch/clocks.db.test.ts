import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { HOUR_MS, MINUTE_MS } from "@/server/core/clock";
import { pool } from "@/server/core/db";
import {
  claimAttempts,
  claimed,
  pending,
  prepareAttempts,
  record,
  recordAndAdvance,
  statusOf,
  THROTTLED,
  UNKNOWN,
} from "@/test/database/attempts";
import { failUnresolved } from "./sweeps";

beforeAll(async () => {
  process.env.ON_UNKNOWN_OUTCOME = "hold";
  await prepareAttempts();
});

afterEach(() => {
  vi.useRealTimers();
});

test.each([0, 1, 3])("a message accepted by a process whose clock is %i h ahead ends like any other", async (hours) => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + hours * HOUR_MS });
  const message = await pending();
  vi.useRealTimers();
  const [attempt] = await claimAttempts([message.id]);
  attempt?.slot?.release();
  await record(attempt ?? expect.fail(), UNKNOWN);
  await pool().query(
    `UPDATE message_attempts SET started_at = started_at - interval '16 minutes', begun_at = begun_at - interval '16 minutes',
       finished_at = finished_at - interval '16 minutes' WHERE message_id = $1`,
    [message.id],
  );
  await failUnresolved(15 * MINUTE_MS);
  expect(await statusOf(message)).toBe("failed");
});

test("a throttled message is tried again for ten minutes, whatever the worker's clock says", async () => {
  const message = await claimed();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 11 * MINUTE_MS });
  await record(await recordAndAdvance(message.first, THROTTLED), THROTTLED);
  vi.useRealTimers();
  expect(await statusOf(message)).toBe("pending");
});
