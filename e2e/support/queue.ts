import { Logger, runOnce, type TaskList } from "graphile-worker";
import { pool } from "@/server/core/db";

const silent = new Logger(() => () => undefined);

/** Runs every waiting job, those due later included, until none is left. */
export async function drainQueue(taskList: TaskList): Promise<void> {
  const names = Object.keys(taskList);
  for (;;) {
    const { rowCount } = await pool().query(
      "SELECT 1 FROM graphile_worker.jobs WHERE task_identifier = ANY($1::text[]) AND locked_at IS NULL",
      [names],
    );
    if (!rowCount) return;
    await pool().query("UPDATE graphile_worker._private_jobs SET run_at = now() WHERE run_at > now()");
    await runOnce({ pgPool: pool(), taskList, logger: silent, noHandleSignals: true });
  }
}
