import { Logger, type Runner, run, runOnce, type TaskList } from "graphile-worker";
import { pool } from "@/server/core/db";
import { settleAttempts } from "@/server/messages/dispatch/run-attempt";
import { serveThrottleQueue } from "@/server/messages/dispatch/serve-throttle-queue";

/**
 * Batches of ended jobs, without a delay. A runner without batches reports an ended job without waiting for the result: it may stop
 * earlier, and if the pool is closed by then, nobody catches the error.
 */
const AWAIT_ENDED_JOBS = { completeJobBatchDelay: 0, failJobBatchDelay: 0 };

const options = () => ({
  pgPool: pool(),
  logger: new Logger(() => () => undefined),
  noHandleSignals: true,
});

/** Runs every waiting job, including new ones, and waits for the end of every attempt, until nothing is left. */
export async function drainQueue(taskList: TaskList): Promise<void> {
  const names = Object.keys(taskList);
  for (;;) {
    await settleAttempts();
    if (await serveThrottleQueue()) continue;
    const { rowCount } = await pool().query(
      "SELECT 1 FROM graphile_worker.jobs WHERE task_identifier = ANY($1::text[]) AND locked_at IS NULL",
      [names],
    );
    if (!rowCount) return;
    await runJobs(taskList);
  }
}

/** Runs the waiting jobs, including new ones; attempts that they begin may still be running afterwards. */
export async function runJobs(taskList: TaskList): Promise<void> {
  await pool().query("UPDATE graphile_worker._private_jobs SET run_at = now() WHERE run_at > now()");
  await runOnce({ ...options(), taskList, preset: { worker: AWAIT_ENDED_JOBS } });
}

/**
 * Starts a job runner without recurring jobs. Once `stop()` has resolved, no job is locked. The abort signal of its tasks fires as
 * soon as it is stopped. @param slots concurrent jobs.
 */
export function startRunner(taskList: TaskList, slots = 4): Promise<Runner> {
  return run({
    ...options(),
    crontab: "",
    taskList,
    preset: {
      worker: { ...AWAIT_ENDED_JOBS, concurrentJobs: slots, pollInterval: 50, gracefulShutdownAbortTimeout: 0 },
    },
  });
}
