import pg from "pg";
import { expect, test } from "vitest";
import { addJob, addJobs, addKnownJobs, addScheduledJobs } from "./add-jobs";
import { pool, transaction } from "./db";
import { env } from "./env";
import type { JobName } from "./jobs";

const HOUR_MS = 3_600_000;

/** The jobs that `add` adds, without the columns that differ between any two jobs. */
async function rowsOf(add: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
  await pool().query("DELETE FROM graphile_worker._private_jobs");
  await add();
  const { rows } = await pool().query<{ row: Record<string, unknown> }>(
    `SELECT to_jsonb(j) - 'id' - 'run_at' - 'created_at' - 'updated_at'
       || jsonb_build_object('waits', round(extract(epoch FROM run_at - created_at) / 60)) AS row
     FROM graphile_worker._private_jobs j ORDER BY id`,
  );
  return rows.map(({ row }) => row);
}

test("addJob inserts the same row as graphile-worker's own function", async () => {
  const payload = { messageIds: ["msg_1"] };
  const byOwn = (name: JobName, priority: number, wait: string | null) =>
    rowsOf(() =>
      pool().query(
        "SELECT graphile_worker.add_job($1, $2::json, max_attempts := 25, priority := $3::int, run_at := now() + $4::interval)",
        [name, JSON.stringify(payload), priority, wait],
      ),
    );
  const now = await byOwn("dispatch_messages", 0, null);
  const later = await byOwn("dispatch_messages", 0, "1 hour");
  expect(now).toHaveLength(1);
  const runAt = new Date(Date.now() + HOUR_MS);
  expect(await rowsOf(() => addJob(pool(), "dispatch_messages", payload))).toEqual(now);
  expect(await rowsOf(() => addJob(pool(), "dispatch_messages", payload, { runAt }))).toEqual(later);
  expect(await rowsOf(() => addScheduledJobs(pool(), "dispatch_messages", [{ payload, dueAt: runAt }]))).toEqual(later);
  expect(await rowsOf(() => addKnownJobs(pool(), "dispatch_messages", [{ payload, runAt }]))).toEqual(later);
  const both = [
    { payload, runAt: null },
    { payload, runAt },
  ];
  expect(await rowsOf(() => addJobs(pool(), "dispatch_messages", both))).toEqual([...now, ...later]);
  const receipts = { provider: "twilio", providerMessageIds: ["up-1"] };
  expect(await rowsOf(() => addJob(pool(), "join_receipts", receipts))).toMatchObject([{ priority: -10 }]);
});

test("a job of an unknown task is refused, and its transaction fails", async () => {
  const add = transaction((tx) => addJob(tx, "unknown" as JobName, { messageIds: ["msg_1"] }));
  await expect(add).rejects.toMatchObject({ code: "23502" });
});

/** Listens as a worker does; `heard` grows with each announcement. */
async function listen(onHeard?: () => unknown): Promise<{ heard: { count: number }[]; stop: () => Promise<void> }> {
  const listener = new pg.Client({ connectionString: env().DATABASE_URL });
  await listener.connect();
  const heard: { count: number }[] = [];
  listener.on("notification", ({ payload }) => {
    heard.push(JSON.parse(payload ?? "") as { count: number });
    onHeard?.();
  });
  await listener.query('LISTEN "jobs:insert"');
  return { heard, stop: () => listener.end() };
}

const countDue = async (): Promise<number> => {
  const { rows } = await pool().query<{ due: number }>(
    "SELECT count(*)::int AS due FROM graphile_worker._private_jobs WHERE run_at <= clock_timestamp()",
  );
  return rows[0]?.due ?? 0;
};

test("workers are notified of each commit with due jobs, but not of jobs for later", async () => {
  const { heard, stop } = await listen();
  try {
    const payload = { messageIds: ["msg_1"] };
    const runAt = new Date(Date.now() + HOUR_MS);
    await addJob(pool(), "dispatch_messages", payload, { runAt });
    await addKnownJobs(pool(), "dispatch_messages", [{ payload, runAt }]);
    await addJobs(pool(), "dispatch_messages", [
      { payload, runAt },
      { payload, runAt: null },
      { payload, runAt: null },
    ]);
    await addJob(pool(), "dispatch_messages", payload);
    await expect.poll(() => heard.map(({ count }) => count)).toEqual([2, 1]);
  } finally {
    await stop();
  }
});

test("workers are notified of later jobs when they are due, but not of each one when there are many", async () => {
  await pool().query("DELETE FROM graphile_worker._private_jobs");
  const dueWhenHeard: number[] = [];
  const { heard, stop } = await listen(async () => dueWhenHeard.push(await countDue()));
  try {
    const payload = { messageIds: ["msg_1"] };
    const runAt = new Date(Date.now() + 400);
    for (let at = 0; at < 30; at += 1) await addJob(pool(), "dispatch_messages", payload, { runAt });
    await expect.poll(() => dueWhenHeard.at(-1)).toBe(30);
    expect(heard.length).toBeLessThan(30);
  } finally {
    await stop();
  }
});
