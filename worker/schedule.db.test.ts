import { beforeEach, describe, expect, test } from "vitest";
import { pool } from "@/server/core/db";
import { addDueJobs, bringForward, RECURRING } from "./schedule";

const OF_MINUTE = RECURRING.flatMap(({ task, minute }) => (minute === null ? [task] : [])).sort();

/** The waiting jobs, and whether they are due. */
async function waiting(): Promise<{ task: string; isDue: boolean }[]> {
  const { rows } = await pool().query<{ task: string; isDue: boolean }>(
    `SELECT task_identifier AS task, run_at <= clock_timestamp() AS "isDue" FROM graphile_worker.jobs
     WHERE task_identifier = ANY($1::text[]) ORDER BY 1`,
    [OF_MINUTE],
  );
  return rows;
}

/** Sets the times of all recurring jobs to `moved` (an interval) from now, as a worker's own clock once did. */
const setTimes = (moved: string) =>
  pool().query("UPDATE graphile_worker._private_known_crontabs SET last_execution = now() + $1::interval", [moved]);

const clear = () => pool().query("DELETE FROM graphile_worker._private_jobs");

const dueOnce = OF_MINUTE.map((task) => ({ task, isDue: true }));

beforeEach(async () => {
  await clear();
  await pool().query("DELETE FROM graphile_worker._private_known_crontabs");
});

test("a job is added once for its time, however many workers run the schedule", async () => {
  await Promise.all([addDueJobs(), addDueJobs(), addDueJobs()]);
  expect(await waiting()).toEqual(dueOnce);
  await setTimes("0");
  await clear();
  await addDueJobs();
  expect(await waiting()).toEqual([]);
  await setTimes("-1 minute");
  await addDueJobs();
  expect(await waiting()).toEqual(dueOnce);
});

test.each(["90 seconds", "1 hour", "70 years"])(
  "a recorded time %s ahead of the clock delays nothing",
  async (moved) => {
    await addDueJobs();
    await setTimes(moved);
    // Jobs added by a clock that was ahead are not due.
    await pool().query("UPDATE graphile_worker._private_jobs SET run_at = now() + $1::interval", [moved]);
    await addDueJobs();
    expect(await waiting()).toEqual(dueOnce);
  },
);

test("a job of every hour is added within a minute of its time, and not later", async () => {
  const hourly = RECURRING.filter(({ minute }) => minute !== null);
  await addDueJobs();
  const { rows } = await pool().query<{ task: string; minute: number }>(
    `SELECT task_identifier AS task, extract(minute FROM clock_timestamp() AT TIME ZONE 'UTC')::int AS minute
     FROM graphile_worker.jobs WHERE task_identifier = ANY($1::text[])`,
    [hourly.map(({ task }) => task)],
  );
  for (const { task, minute } of rows) expect(hourly).toContainEqual({ task, minute });
  expect(rows.length).toBeLessThanOrEqual(1);
});

describe("after the database's clock was set back by two hours", () => {
  /** Adds a job as the clock wrote it before the step, to run `later` (an interval). */
  const add = (later: string) =>
    pool().query(
      `INSERT INTO graphile_worker._private_jobs (task_id, payload, run_at, created_at, updated_at)
       SELECT id, '{}', t.at + $1::interval, t.at, t.at
       FROM graphile_worker._private_tasks, (SELECT now() + interval '2 hours' AS at) t WHERE identifier = 'apply_receipts'`,
      [later],
    );

  const dueReceipts = async () => {
    const { rows } = await pool().query<{ isDue: boolean }>(
      `SELECT run_at <= clock_timestamp() AS "isDue" FROM graphile_worker.jobs
       WHERE task_identifier = 'apply_receipts' ORDER BY run_at`,
    );
    return rows.map(({ isDue }) => isDue);
  };

  test("jobs that were due at once run now, and later ones keep their time", async () => {
    await addDueJobs();
    for (const later of ["0", "2 seconds", "3 hours"]) await add(later);
    await setTimes("2 hours");
    await Promise.all([bringForward(), bringForward()]);
    expect(await dueReceipts()).toEqual([true, true, false]);
  });

  test("the job of a message scheduled for the next minute runs when the message is due, and not before", async () => {
    await pool().query(
      `INSERT INTO messages (id, account_id, to_number, from_sender, body, encoding, segments, status, cost_micros, currency,
         created_at, scheduled_at)
       SELECT id, 'acc_set_back', '+14155550123', 'T', 'Hi', 'GSM-7', 1, 'pending', 0, 'USD', t.at, t.at + seconds
       FROM (SELECT now() + interval '2 hours' AS at) t,
         (VALUES ('msg_scheduled', interval '30 seconds'), ('msg_at_once', NULL)) AS m (id, seconds)`,
    );
    await addDueJobs();
    await pool().query(
      `INSERT INTO graphile_worker._private_jobs (task_id, payload, run_at, created_at, updated_at)
       SELECT k.id, json_build_object('messageIds', ARRAY[m.id]), coalesce(m.scheduled_at, m.created_at), m.created_at, m.created_at
       FROM messages m, graphile_worker._private_tasks k WHERE k.identifier = 'dispatch_messages' AND m.account_id = 'acc_set_back'`,
    );
    await setTimes("2 hours");
    await bringForward();
    const { rows } = await pool().query<{ id: string }>(
      `SELECT payload -> 'messageIds' ->> 0 AS id FROM graphile_worker._private_jobs j
       JOIN graphile_worker._private_tasks k ON k.id = j.task_id AND k.identifier = 'dispatch_messages' WHERE run_at <= clock_timestamp()`,
    );
    expect(rows).toEqual([{ id: "msg_at_once" }]);
  });

  test("with a clock that was not set back, none are read", async () => {
    await addDueJobs();
    await add("0");
    await bringForward();
    expect(await dueReceipts()).toEqual([false]);
  });
});
