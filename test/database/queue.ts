import { Logger, type Runner, run, runOnce, type TaskList } from "graphile-worker";
import { pool } from "@/server/core/db";
import { settleAttempts } from "@/server/messages/dispatch/run-attempt";
import { serveThrottleQueue } from "@/server/messages/dispatch/serve-throttle-queue";

/**
 * Batches of ended jobs, without a delay. A runner that has none reports an ended job without waiting for the result: it stops
 * before, and when the pool has been closed meanwhile, nobody catches the error.
 */
const AWAIT_ENDED_JOBS = { completeJobBatchDelay: 0, failJobBatchDelay: 0 };

const options = () => ({
  pgPool: pool(),
  logger: new Logger(() => () => undefined),
  noHandleSignals: true,
});

/** Runs every waiting job, including later ones, and waits for the end of every attempt, until nothing is left. */
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

/** Runs the waiting jobs, including later ones; attempts that they begin may still be under way afterwards. */
export async function runJobs(taskList: TaskList): Promise<void> {
  await pool().query("UPDATE graphile_worker._private_jobs SET run_at = now() WHERE run_at > now()");
  await runOnce({ ...options(), taskList, preset: { worker: AWAIT_ENDED_JOBS } });
}

/**
 * Starts a runner of jobs, without recurring ones. Once `stop()` has resolved, no job is locked. @param slots jobs at a time.
 * The abort signal of its tasks fires as soon as it is stopped.
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
