/** A runner of graphile-worker with its connections: its start, its end, and the jobs that it has locked. */
import { EventEmitter } from "node:events";
import { Logger, type Runner, run, type Task, type TaskList, type WorkerEvents } from "graphile-worker";
import pg from "pg";
import { createBatcher } from "../server/core/batcher";
import { SECOND_MS } from "../server/core/clock";
import { beginSession, SessionClient } from "../server/core/database/session";
import { pool } from "../server/core/db";
import { directDatabaseUrl } from "../server/core/env";
import { errorFields, log } from "../server/core/log";
import { defineProcessValue } from "../server/core/process";
import { openFetchBounds } from "./fetch-bounds";
import { leasedPools } from "./lease";
import { toSend } from "./queue-statements";
import { unlockJobs } from "./take-over";

/**
 * Settings of the queue's connections. Statistics from a quiet hour say that few jobs wait, and a plan based on them reads a whole
 * backlog at each fetch, so jobs must be read in index order. A queue's own index (prisma/queue-indexes.ts) can be used if the plan
 * knows its tasks. Before PostgreSQL 18, disabled scans have so high a cost that JIT compiled every fetch, for most of a second.
 */
export const QUEUE_SETTINGS = {
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  plan_cache_mode: "force_custom_plan",
  jit: "off",
} as const;

/** {@link QUEUE_SETTINGS} as a connection parameter. */
export const QUEUE_OPTIONS = Object.entries(QUEUE_SETTINGS)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(" ");

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
const LOCK_SETTLED_MS = 5 * SECOND_MS;
/** More pools than a worker has. */
const POOLS_PER_READ = 100;

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

/** The tasks that an announcement names; null: none. */
function namedTasks(payload: string): readonly unknown[] | null {
  try {
    const { tasks } = JSON.parse(payload) as { tasks?: unknown };
    return Array.isArray(tasks) ? tasks : null;
  } catch {
    return null;
  }
}

/**
 * Whether an announcement is for jobs that a queue runs. Announcements without tasks, such as those of graphile-worker and of
 * earlier versions, may be for any queue.
 */
export function concerns(tasks: TaskList, { channel, payload }: pg.Notification): boolean {
  if (channel !== "jobs:insert" || payload === undefined) return true;
  return namedTasks(payload)?.some((name) => String(name) in tasks) ?? true;
}

/**
 * A client that receives only the announcements of its queue's jobs, and looks up jobs by their keys. graphile-worker fetches at each
 * announcement that it receives: without this, every queue would fetch, mostly in vain, whenever a job is added to another one.
 */
const clientFor = (tasks: TaskList) => {
  class QueueClient extends SessionClient {
    override emit(event: string | symbol, ...values: unknown[]): boolean {
      if (event === "notification" && !concerns(tasks, values[0] as pg.Notification)) return true;
      return super.emit(event, ...values);
    }
  }
  const bounds = openFetchBounds();
  const { query } = SessionClient.prototype;
  const send = query as (...all: unknown[]) => Promise<{ rows: { run_at: Date }[] }>;
  // Assigned, because a method would have to repeat all overloads of the driver's method.
  QueueClient.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [config, ...rest] = args as [Partial<pg.QueryConfig> | string, ...unknown[]];
    if (typeof config !== "object" || config.name === undefined || config.text === undefined)
      return send.apply(this, args);
    const { query: own, settle } = toSend(config as pg.QueryConfig & { text: string }, bounds);
    const sent = send.call(this, own, ...rest);
    if (settle) {
      sent.then(
        ({ rows }) => settle(rows),
        () => settle(null),
      );
    }
    return sent;
  } as typeof query;
  return QueueClient;
};

/** Opens a separate pool: graphile-worker needs the driver's default types, and must not wait behind our statements. */
function openConnections(max: number, tasks: TaskList): pg.Pool {
  const connections = new pg.Pool({
    Client: clientFor(tasks),
    connectionString: directDatabaseUrl(),
    application_name: "worker-queue",
    options: QUEUE_OPTIONS,
    onConnect: beginSession,
    max,
    connectionTimeoutMillis: 5 * SECOND_MS,
    query_timeout: 15 * SECOND_MS,
  });
  const noteLoss = (thrown: Error) => log("warn", "queue.connection_lost", errorFields(thrown));
  connections.on("error", noteLoss);
  connections.on("connect", (client) => client.on("error", noteLoss));
  return connections;
}

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

/** Reads which jobs runners have locked for a while, in one statement for all concurrent callers. */
const readLocks = defineProcessValue("queue.read_locks", () =>
  createBatcher<string, string[]>(
    async (poolIds) => {
      const { rows } = await pool().query<{ id: string; poolId: string }>({
        name: "queue.own_locks",
        text: `SELECT id::text AS id, locked_by AS "poolId" FROM graphile_worker._private_jobs
               WHERE locked_by = ANY($1::text[]) AND locked_at < clock_timestamp() - $2 * interval '1 millisecond'`,
        values: [poolIds, LOCK_SETTLED_MS],
      });
      return poolIds.map((poolId) => ({
        ok: true,
        value: rows.filter((row) => row.poolId === poolId).map(({ id }) => id),
      }));
    },
    { maxWeight: POOLS_PER_READ },
  ),
);

/** Unlocks jobs that this process has locked without knowing it, because the reply to their fetch was lost. */
export async function unlockUnacknowledged({ poolId, jobs }: Running): Promise<void> {
  const now = performance.now();
  for (const [id, { doneAtMs }] of jobs) {
    if (doneAtMs !== null && now - doneAtMs > 10 * LOCK_SETTLED_MS) jobs.delete(id);
  }
  const unacknowledged = (await readLocks()(poolId)).filter((id) => !jobs.has(id));
  if (unacknowledged.length === 0) return;
  await pool().query(
    `WITH unlocked AS (
       UPDATE graphile_worker._private_jobs SET locked_by = NULL, locked_at = NULL
       WHERE id = ANY($1::int8[]) AND locked_by = $2 RETURNING job_queue_id)
     UPDATE graphile_worker._private_job_queues q SET locked_by = NULL, locked_at = NULL
     FROM unlocked u WHERE q.id = u.job_queue_id AND q.locked_by = $2`,
    [unacknowledged, poolId],
  );
  log("warn", "queue.unheard_jobs_unlocked", { count: unacknowledged.length });
}
