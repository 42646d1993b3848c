/** A runner of graphile-worker: its start and its end. */
import { EventEmitter } from "node:events";
import { Logger, type Runner, run, type Task, type TaskList, type WorkerEvents } from "graphile-worker";
import type pg from "pg";
import { SECOND_MS } from "../server/core/clock";
import { errorFields, log } from "../server/core/log";
import { leasedPools } from "./lease";
import { openConnections } from "./queue-connections";
import { unlockJobs } from "./take-over";

/**
 * `connections`: at least one for LISTEN and one for the rest. `pollMs`: pause between polls for due jobs; the database announces
 * new ones at once.
 */
export type QueuePlan = {
  name: string;
  taskList: TaskList;
  concurrency: number;
  connections?: number;
  pollMs?: number;
};

const POLL_MS = 500;
/** Pause after a fetch that found nothing. */
const REST_MS = 20;
/** The time for which finished jobs are collected before they are deleted together. */
const COMPLETE_BATCH_MS = 5;
/** One for LISTEN, one to fetch, one to delete finished jobs, one to spare. */
const CONNECTIONS = 4;
/** The time that jobs of an old runner have to finish before they are unlocked for others. */
const DRAIN_MS = 30 * SECOND_MS;
const POLL_DRAINED_MS = 50;
/** Pauses before the tries of a failed action. */
export const PAUSES_MS = [0, 250, 500, 1_000, 2_000];
/** Within this time a fetched job is known here, and a finished one is deleted, unless a reply was lost. */
export const LOCK_SETTLED_MS = 5 * SECOND_MS;

/** More jobs than connections are intended: a webhook job waits for a customer's server and rarely uses a connection. */
const EXPECTED_WARNING = "having maxPoolSize";

/** @param onError called with each error of the runner itself, not with those of jobs. */
const loggerWith = (onError: (message: string) => void) =>
  new Logger(() => (level, message) => {
    if (message.includes(EXPECTED_WARNING)) return;
    if (level === "error") {
      log("error", "queue.error", { message });
      onError(message);
    } else if (level === "warning") log("warn", "queue.warning", { message });
  });

export type Running = {
  runner: Runner;
  poolId: string;
  connections: pg.Pool;
  /** Jobs that are fetched or were finished recently, by id. */
  jobs: Map<string, { doneAtMs: number | null }>;
  underWay: () => number;
  /** Resolves with the reason when the runner has ended or cannot continue. */
  ended: Promise<string>;
  startedAtMs: number;
};

/**
 * graphile-worker drops an announcement that arrives during a fetch without a result, or while the queue rests after one, unless very
 * many arrive: a lone job would wait for the next poll. This fetches it when the rest is over.
 */
function keepAnnouncements(events: WorkerEvents): void {
  events.on("localQueue:refetchDelay:expired", ({ localQueue }) => {
    // A private field: the announcements since the fetch began.
    const { refetchDelayCounter } = localQueue as unknown as { refetchDelayCounter: number };
    if (refetchDelayCounter > 0) localQueue.pulse(0);
  });
}

/** Keeps `jobs` of a runner up to date. `hasFetched`: whether it has fetched jobs yet. */
function followJobs(events: WorkerEvents): { jobs: Running["jobs"]; hasFetched: () => boolean } {
  const jobs: Running["jobs"] = new Map();
  let hasFetched = false;
  events.on("localQueue:getJobs:complete", ({ jobs: fetched }) => {
    hasFetched = true;
    for (const { id } of fetched) jobs.set(String(id), { doneAtMs: null });
  });
  events.on("localQueue:returnJobs", ({ jobs: returned }) => {
    for (const { id } of returned) jobs.set(String(id), { doneAtMs: performance.now() });
  });
  events.on("job:complete", ({ job }) => {
    jobs.set(String(job.id), { doneAtMs: performance.now() });
  });
  return { jobs, hasFetched: () => hasFetched };
}

/** Keeps the lease of a runner's pool. @returns the pool's id, once it was created. */
function leasePool(events: WorkerEvents): () => string {
  let poolId = "";
  events.on("pool:create", ({ workerPool }) => {
    poolId = workerPool.id;
    leasedPools().add(poolId);
  });
  return () => poolId;
}

/** The tasks, with the number of those that run. */
function counted(taskList: TaskList): { tasks: TaskList; underWay: () => number } {
  let count = 0;
  const counting =
    (task: Task | undefined): Task =>
    async (payload, helpers) => {
      count += 1;
      try {
        return await task?.(payload, helpers);
      } finally {
        count -= 1;
      }
    };
  const tasks = Object.fromEntries(Object.entries(taskList).map(([name, task]) => [name, counting(task)]));
  return { tasks, underWay: () => count };
}

/** @throws when the database does not respond. */
export async function startRunner(plan: QueuePlan): Promise<Running> {
  const { taskList, concurrency, pollMs = POLL_MS } = plan;
  const connections = openConnections(plan.connections ?? CONNECTIONS, taskList);
  const events: WorkerEvents = new EventEmitter().setMaxListeners(0) as WorkerEvents;
  keepAnnouncements(events);
  const { jobs, hasFetched } = followJobs(events);
  const poolId = leasePool(events);
  const { tasks, underWay } = counted(taskList);
  const fatal = new Promise<string>((resolve) => {
    events.on("pool:fatalError", ({ error }) => resolve(String(error)));
  });
  // graphile-worker reads its tasks' ids once, and keeps a failure too: a runner without a connection at that moment would never fetch.
  let askForAnother: (reason: string) => void = () => undefined;
  const unfit = new Promise<string>((resolve) => {
    askForAnother = resolve;
  });
  const logger = loggerWith((message) => {
    if (!hasFetched()) askForAnother(`it failed before it fetched jobs: ${message}`);
  });
  try {
    const runner = await run({
      pgPool: connections,
      taskList: tasks,
      events,
      logger,
      noHandleSignals: true,
      // Recurring jobs are added by schedule.ts.
      crontab: "",
      preset: { worker: presetOf(concurrency, pollMs) },
    });
    const ended = runner.promise.then(
      () => "the runner ended",
      (thrown: unknown) => String(thrown),
    );
    return {
      ...{ runner, connections, jobs, underWay },
      poolId: poolId(),
      startedAtMs: performance.now(),
      ended: Promise.race([ended, fatal, unfit]),
    };
  } catch (thrown) {
    leasedPools().delete(poolId());
    void connections.end().catch(() => undefined);
    throw thrown;
  }
}

const presetOf = (concurrency: number, pollMs: number) => ({
  concurrentJobs: concurrency,
  pollInterval: pollMs,
  // Prefetch only jobs that free workers take in a moment: a prefetched job is locked and cannot run elsewhere.
  localQueue: { size: concurrency, refetchDelay: { durationMs: REST_MS } },
  completeJobBatchDelay: COMPLETE_BATCH_MS,
  failJobBatchDelay: COMPLETE_BATCH_MS,
  // On a stop the tasks' abort signal fires at once, so that they begin nothing more.
  gracefulShutdownAbortTimeout: 0,
});

export const sleep = (ms: number, until?: Promise<unknown>) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    void until?.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Ends a runner within {@link DRAIN_MS} and the last try: lets its jobs finish, then unlocks the rest. */
export async function retire({ runner, poolId, connections, underWay }: Running): Promise<void> {
  const stopped = runner.stop().catch((thrown) => log("warn", "queue.not_stopped", errorFields(thrown)));
  const deadline = performance.now() + DRAIN_MS;
  let isStopped = false;
  void stopped.then(() => {
    isStopped = true;
  });
  // The end of `stop` proves nothing: without a database it takes minutes, and on a failed runner it resolves at once. Only the jobs count.
  const patience = performance.now() + LOCK_SETTLED_MS;
  const mayWait = () => underWay() > 0 || (!isStopped && performance.now() < patience);
  while (mayWait() && performance.now() < deadline) await sleep(POLL_DRAINED_MS);
  void connections.end().catch(() => undefined);
  for (let failures = 0; ; failures += 1) {
    try {
      await unlockJobs([poolId]);
      break;
    } catch (thrown) {
      log("warn", "queue.jobs_not_unlocked", errorFields(thrown));
      // The lease continues without the pool, so that take-over.ts unlocks its jobs.
      if (failures >= PAUSES_MS.length || performance.now() >= deadline) break;
      await sleep(PAUSES_MS[failures] ?? SECOND_MS);
    }
  }
  leasedPools().delete(poolId);
}
