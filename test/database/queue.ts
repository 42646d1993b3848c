import { Logger, runOnce, type TaskList } from "graphile-worker";
import { pool } from "@/server/core/db";
import { settleAttempts } from "@/server/messages/dispatch/run-attempt";
import { serveThrottleQueue } from "@/server/messages/dispatch/serve-throttle-queue";

const silent = new Logger(() => () => undefined);

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
  await runOnce({ pgPool: pool(), taskList, logger: silent, noHandleSignals: true });
}
