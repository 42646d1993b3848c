/** The queues of a worker. */
import { env } from "../server/core/env";
import type { QueuePlan } from "./runner";
import { dispatchTasks, housekeepingTasks, receiptTasks, sweepTasks, webhookTasks } from "./tasks";

/** One slot per sweep: each runs at most once across all workers, so none waits for another. */
const SWEEPS_CONCURRENCY = Object.keys(sweepTasks).length;
/** Jobs of every hour that a worker runs concurrently. */
const HOUSEKEEPING_CONCURRENCY = 3;
/** For a queue of few jobs: one for LISTEN, and one to fetch and delete them. */
const FEW_CONNECTIONS = 2;

/** The plans of a worker's queues, as the settings say. One of them adds the recurring jobs of all. */
export function queuePlans(): QueuePlan[] {
  const { DISPATCH_CONCURRENCY, WORKER_CONCURRENCY, WEBHOOK_CONCURRENCY } = env();
  return [
    { name: "dispatch", taskList: dispatchTasks, concurrency: DISPATCH_CONCURRENCY },
    { name: "receipts", taskList: receiptTasks, concurrency: WORKER_CONCURRENCY },
    {
      name: "sweeps",
      taskList: sweepTasks,
      concurrency: SWEEPS_CONCURRENCY,
      connections: FEW_CONNECTIONS,
      withCron: true,
    },
    {
      name: "housekeeping",
      taskList: housekeepingTasks,
      concurrency: HOUSEKEEPING_CONCURRENCY,
      connections: FEW_CONNECTIONS,
    },
    { name: "webhooks", taskList: webhookTasks, concurrency: WEBHOOK_CONCURRENCY },
  ];
}
