/** The worker process: sends messages, takes in receipts, delivers webhooks. Run as many as you like. */
import { pool } from "../server/core/db";
import { env } from "../server/core/env";
import { errorFields, log } from "../server/core/log";
import { onShutdown, runUntilStopped } from "../server/core/process";
import { endAttempts, keepGivingBack, keepLookingUp, keepServing, leaveNothing } from "../server/messages/tasks";
import { keepHealthCurrent, prepareProviders } from "../server/providers/tasks";
import { keepLease } from "./lease";
import { keepQueue, type Queue } from "./queue";
import { keepTakingOver } from "./take-over";
import { dispatchTasks, housekeepingTasks, receiptTasks, webhookTasks } from "./tasks";

/** Recurring jobs that a worker runs at once; they are few, and each at most once in all workers. */
const HOUSEKEEPING_CONCURRENCY = 3;

async function start(): Promise<void> {
  const { DISPATCH_CONCURRENCY, WORKER_CONCURRENCY, WEBHOOK_CONCURRENCY } = env();
  // Before anything else that is to be stopped: what is made first is closed last.
  pool();
  const queues: Queue[] = [];
  const restartQueues = (reason: string) => {
    for (const queue of queues) queue.restart(reason);
  };
  // After a break nobody knows what the runners have missed; new ones work at once.
  const giveUpLease = await keepLease(() => restartQueues("the connection to the database was lost"));
  onShutdown(giveUpLease);
  // graphile-worker's local queue may reject where nobody can listen, when the database goes away.
  process.on("unhandledRejection", (thrown) => {
    log("error", "worker.unhandled_rejection", errorFields(thrown));
    restartQueues("an unhandled rejection");
  });
  process.on("uncaughtException", (thrown) => {
    log("error", "worker.uncaught_exception", errorFields(thrown));
    process.exitCode = 1;
    process.kill(process.pid, "SIGTERM");
  });
  prepareProviders();
  const plans = [
    { name: "dispatch", taskList: dispatchTasks, concurrency: DISPATCH_CONCURRENCY },
    { name: "receipts", taskList: receiptTasks, concurrency: WORKER_CONCURRENCY },
    { name: "housekeeping", taskList: housekeepingTasks, concurrency: HOUSEKEEPING_CONCURRENCY, withCron: true },
    { name: "webhooks", taskList: webhookTasks, concurrency: WEBHOOK_CONCURRENCY },
  ];
  queues.push(...(await Promise.all(plans.map(keepQueue))));
  const stops = [keepTakingOver(), keepHealthCurrent(), keepServing(), keepLookingUp(), keepGivingBack()];
  onShutdown(async () => {
    // Each on its own: a queue that cannot stop keeps no attempt from its end. Attempts that jobs still claim come last.
    const ended = await Promise.allSettled([
      endAttempts(),
      ...stops.map((stop) => stop()),
      ...queues.map((queue) => queue.stop()),
    ]);
    for (const end of ended) {
      if (end.status === "rejected") log("error", "worker.not_stopped_in_order", errorFields(end.reason));
    }
    await endAttempts();
    await leaveNothing();
  });
  log("info", "worker.ready", {
    dispatch: DISPATCH_CONCURRENCY,
    receipts: WORKER_CONCURRENCY,
    webhooks: WEBHOOK_CONCURRENCY,
  });
}

await runUntilStopped("worker", start);
