/** The worker process: sends messages, applies receipts, delivers webhooks. Any number of them may run. */
import { pool } from "../server/core/db";
import { env } from "../server/core/env";
import { errorFields, log } from "../server/core/log";
import { limitStop, onShutdown, runUntilStopped } from "../server/core/process";
import {
  giveBackLastClaims,
  keepGivingBack,
  keepLookingUp,
  keepServingThrottleQueue,
  stopAttempts,
} from "../server/messages/tasks";
import { keepClockChecked, startObservability } from "../server/observability/tasks";
import { keepHealthCurrent, prepareProviders } from "../server/providers/tasks";
import { keepLease } from "./lease";
import { queuePlans } from "./plans";
import { keepQueue, type Queue } from "./queue";
import { QUEUE_OPTIONS } from "./queue-connections";
import { keepSchedule } from "./schedule";
import { stopWithinMs } from "./stop-limit";
import { keepTakingOver } from "./take-over";

async function start(): Promise<void> {
  const { DISPATCH_CONCURRENCY, WORKER_CONCURRENCY, WEBHOOK_CONCURRENCY, PROVIDER_TIMEOUT_MS } = env();
  const withinMs = stopWithinMs(PROVIDER_TIMEOUT_MS);
  limitStop(withinMs, () => log("error", "worker.not_stopped_in_time", { within_ms: withinMs }));
  // The pool is created first, so that it is closed last.
  pool();
  await startObservability(QUEUE_OPTIONS);
  const queues: Queue[] = [];
  const restartQueues = (reason: string) => {
    for (const queue of queues) queue.restart(reason);
  };
  // After an outage the runners may have missed anything; new ones start cleanly.
  const endLease = await keepLease(() => restartQueues("the connection to the database was lost"));
  onShutdown(endLease);
  // graphile-worker's local queue may reject without a handler when the database goes away.
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
  queues.push(...(await Promise.all(queuePlans().map(keepQueue))));
  const stops = [
    keepTakingOver(),
    keepSchedule(),
    keepClockChecked(),
    keepHealthCurrent(),
    keepServingThrottleQueue(),
    keepLookingUp(),
    keepGivingBack(),
  ];
  onShutdown(async () => {
    // In parallel, because a queue that cannot stop must not block the attempts. Attempts that jobs still claim are ended below.
    const ended = await Promise.allSettled([
      stopAttempts(),
      ...stops.map((stop) => stop()),
      ...queues.map((queue) => queue.stop()),
    ]);
    for (const end of ended) {
      if (end.status === "rejected") log("error", "worker.not_stopped_in_order", errorFields(end.reason));
    }
    await stopAttempts();
    await giveBackLastClaims();
  });
  log("info", "worker.ready", {
    dispatch: DISPATCH_CONCURRENCY,
    receipts: WORKER_CONCURRENCY,
    webhooks: WEBHOOK_CONCURRENCY,
  });
}

await runUntilStopped("worker", start);
