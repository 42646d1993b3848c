import type { JobHelpers } from "graphile-worker";
import { beforeEach, expect, test } from "vitest";
import { pool } from "@/server/core/db";
import { readQueues } from "@/server/observability/queues";
import { addDueJobs } from "./schedule";
import { unlockJobs } from "./take-over";
import { sweepTasks } from "./tasks";

const JOBS = "graphile_worker._private_jobs";
const OF_TASK = "task_id = (SELECT id FROM graphile_worker._private_tasks WHERE identifier = $1)";

beforeEach(() => pool().query(`DELETE FROM ${JOBS}`));

/** Marks a job as running on a worker. @returns the id of the job. */
async function begin(task: string): Promise<string> {
  const { rows } = await pool().query<{ id: string }>(
    `UPDATE ${JOBS} SET locked_by = 'pool', locked_at = now(), attempts = 1 WHERE ${OF_TASK} RETURNING id::text AS id`,
    [task],
  );
  return rows[0]?.id ?? "";
}

/** Adds the next job as the schedule does, a minute later. */
async function addNext(): Promise<void> {
  await pool().query(
    "UPDATE graphile_worker._private_known_crontabs SET last_execution = last_execution - interval '1 minute'",
  );
  await addDueJobs();
}

const addNow = () => pool().query("DELETE FROM graphile_worker._private_known_crontabs").then(addDueJobs);
const givenUp = async () => (await readQueues()).filter((row) => row.givenUp > 0).map(({ task }) => task);

test("a worker killed in a run that outlasted its minute leaves no dead job behind, and other dead jobs stay", async () => {
  await addNow();
  await begin("fold_list_totals");
  await addNext();
  await pool().query("SELECT graphile_worker.add_job('dispatch_messages', '{}')");
  await begin("dispatch_messages");
  await pool().query(`UPDATE ${JOBS} SET attempts = max_attempts WHERE ${OF_TASK}`, ["dispatch_messages"]);
  await unlockJobs(["pool"]);
  expect(await givenUp()).toEqual(["dispatch_messages"]);
  const { rows } = await pool().query(`SELECT attempts FROM ${JOBS} WHERE ${OF_TASK}`, ["fold_list_totals"]);
  expect(rows).toEqual([{ attempts: 0 }]);
});

test("a run that fails after its minute is not retried, because the next one does its work; one that fails before is", async () => {
  await addNow();
  const id = await begin("fold_list_totals");
  const fail = async () =>
    sweepTasks.fold_list_totals("no payload", {
      job: { id, attempts: 1 },
      abortSignal: new AbortController().signal,
    } as unknown as JobHelpers);
  await expect(fail()).rejects.toThrow();
  await addNext();
  await fail();
});
