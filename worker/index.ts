/** The worker process: sends messages, takes in receipts, delivers webhooks. Run as many as you like. */
import { EventEmitter } from "node:events";
import { Logger, type Runner, run, type TaskList, type WorkerEvents } from "graphile-worker";
import { pool } from "../server/core/db";
import { env } from "../server/core/env";
import { errorFields, log } from "../server/core/log";
import { onShutdown, runUntilStopped } from "../server/core/process";
import { endHandOvers, keepLookingUp, keepServing } from "../server/messages/tasks";
import { keepTending, prepareProviders } from "../server/providers/tasks";
import { recurring } from "./crontab";
import { declareAlive, watchForDeadWorkers } from "./liveness";
import { dispatchTasks, receiptTasks, webhookTasks } from "./tasks";

/** How often due jobs are looked for; new ones are announced by the database at once. */
const POLL_MS = 500;
/** How long finished jobs are gathered before they are taken off the queue together. */
const COMPLETE_BATCH_MS = 5;

/** A webhook job waits for somebody's server and holds a connection for milliseconds: many share few. */
const EXPECTED_WARNING = "having maxPoolSize";

const logger = new Logger(() => (level, message) => {
  if (message.includes(EXPECTED_WARNING)) return;
  if (level === "error") log("error", "queue.error", { message });
  else if (level === "warning") log("warn", "queue.warning", { message });
});

async function startPool(taskList: TaskList, concurrency: number, withCron: boolean): Promise<Runner> {
  const events: WorkerEvents = new EventEmitter();
  events.on("pool:create", ({ workerPool }) => {
    declareAlive(workerPool.id).catch((thrown) => log("error", "worker.liveness_failed", errorFields(thrown)));
  });
  return run({
    pgPool: pool(),
    taskList,
    events,
    logger,
    noHandleSignals: true,
    ...(withCron ? { parsedCronItems: recurring() } : { crontab: "" }),
    preset: {
      worker: {
        concurrentJobs: concurrency,
        pollInterval: POLL_MS,
        // Fetch ahead what the free workers will take in a moment, not more: what waits here waits for nobody else.
        localQueue: { size: concurrency, refetchDelay: { durationMs: 20 } },
        completeJobBatchDelay: COMPLETE_BATCH_MS,
        failJobBatchDelay: COMPLETE_BATCH_MS,
        // At a stop tasks are told at once to begin nothing more.
        gracefulShutdownAbortTimeout: 0,
      },
    },
  });
}

async function start(): Promise<void> {
  const { DISPATCH_CONCURRENCY, WORKER_CONCURRENCY, WEBHOOK_CONCURRENCY } = env();
  await watchForDeadWorkers();
  prepareProviders();
  const runners = await Promise.all([
    startPool(dispatchTasks, DISPATCH_CONCURRENCY, false),
    startPool(receiptTasks, WORKER_CONCURRENCY, true),
    startPool(webhookTasks, WEBHOOK_CONCURRENCY, false),
  ]);
  const stopTending = keepTending();
  const stopServing = keepServing();
  const stopLookingUp = keepLookingUp();
  onShutdown(async () => {
    await Promise.all([stopTending(), stopServing(), stopLookingUp(), ...runners.map((runner) => runner.stop())]);
    await endHandOvers();
  });
  for (const runner of runners) {
    // A queue that gave up (it cannot tell the database of finished jobs) must not look alive.
    void runner.promise.catch((thrown) => {
      log("error", "worker.queue_stopped", errorFields(thrown));
      process.kill(process.pid, "SIGTERM");
    });
  }
  log("info", "worker.ready", {
    dispatch: DISPATCH_CONCURRENCY,
    receipts: WORKER_CONCURRENCY,
    webhooks: WEBHOOK_CONCURRENCY,
  });
}

await runUntilStopped("worker", start);
