import { afterEach, expect, test, vi } from "vitest";
import { addJob } from "../core/add-jobs";
import { pool, transaction } from "../core/db";
import { newId } from "../core/ids";
import { checkHealth, invalidateHealth } from "./health";

afterEach(async () => {
  invalidateHealth();

  await pool().query("DELETE FROM graphile_worker._private_jobs");
});

test("a healthy installation has a database and an empty queue", async () => {
  expect(await checkHealth()).toEqual({
    ok: true,
    database: { ok: true, latencyMs: expect.any(Number) },
    queue: { readyJobs: 0, oldestReadyS: 0 },
  });
});

test("due jobs are counted, with the age of the oldest, but not future, running and failed ones", async () => {
  const inSeconds = (s: number) => new Date(Date.now() + s * 1_000);
  await transaction(async (tx) => {
    for (const runAt of [inSeconds(-90), inSeconds(-5), inSeconds(3_600), inSeconds(-500), inSeconds(-600)]) {
      await addJob(tx, "review_sender", { senderId: newId("sender") }, { runAt });
    }
    const change = (set: string, at: number) =>
      tx.query(`UPDATE graphile_worker._private_jobs SET ${set} WHERE id =
        (SELECT id FROM graphile_worker._private_jobs ORDER BY run_at OFFSET ${at} LIMIT 1)`);
    await change("locked_at = now(), locked_by = 'another worker'", 0);
    await change("attempts = max_attempts", 1);
  });
  const { ok, queue } = await checkHealth();
  expect(ok).toBe(true);
  expect(queue?.readyJobs).toBe(2);
  expect(queue?.oldestReadyS).toBeGreaterThanOrEqual(89);
  expect(queue?.oldestReadyS).toBeLessThan(120);
});

test("without a queue the service is unhealthy, even if its database is healthy", async () => {
  await pool().query("ALTER SCHEMA graphile_worker RENAME TO graphile_worker_gone");
  try {
    expect(await checkHealth()).toMatchObject({ ok: false, database: { ok: true }, queue: null });
  } finally {
    await pool().query("ALTER SCHEMA graphile_worker_gone RENAME TO graphile_worker");
  }
});

test("the queue, which may take long to count, is counted once for many callers", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    const first = await checkHealth();
    await pool().query("ALTER SCHEMA graphile_worker RENAME TO graphile_worker_gone");
    expect(await checkHealth()).toMatchObject({ ok: true, queue: first.queue });
    vi.advanceTimersByTime(1_000);
    expect(await checkHealth()).toMatchObject({ ok: false, queue: null });
  } finally {
    vi.useRealTimers();
    await pool().query("ALTER SCHEMA graphile_worker_gone RENAME TO graphile_worker");
  }
});
