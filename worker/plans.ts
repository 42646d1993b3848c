/** The queues of a worker. */
import { SECOND_MS } from "../server/core/clock";
import { env } from "../server/core/env";
import type { QueuePlan } from "./runner";
import { dispatchTasks, housekeepingTasks, receiptTasks, sweepTasks, webhookTasks } from "./tasks";

/** One slot per sweep: each runs at most once across all workers, so none waits for another. */
const SWEEPS_CONCURRENCY = Object.keys(sweepTasks).length;
/** Jobs of every hour that a worker runs concurrently. */
const HOUSEKEEPING_CONCURRENCY = 3;
/**
 * For queues with few jobs, which are announced when they are due: one connection for LISTEN, and one to fetch and delete jobs. A poll
 * every few seconds finds jobs that were not announced, and retries.
 */
const FEW_JOBS = { connections: 2, pollMs: 5 * SECOND_MS } as const;

/** The plans of a worker's queues, as the settings say. */
export function queuePlans(): QueuePlan[] {
  const { DISPATCH_CONCURRENCY, WORKER_CONCURRENCY, WEBHOOK_CONCURRENCY } = env();
  return [
    { name: "dispatch", taskList: dispatchTasks, concurrency: DISPATCH_CONCURRENCY },
    { name: "receipts", taskList: receiptTasks, concurrency: WORKER_CONCURRENCY },
    {
      name: "sweeps",
      taskList: sweepTasks,
      concurrency: SWEEPS_CONCURRENCY,
      ...FEW_JOBS,
    },
    {
      name: "housekeeping",
      taskList: housekeepingTasks,
      concurrency: HOUSEKEEPING_CONCURRENCY,
      ...FEW_JOBS,
    },
    { name: "webhooks", taskList: webhookTasks, concurrency: WEBHOOK_CONCURRENCY },
  ];
}
