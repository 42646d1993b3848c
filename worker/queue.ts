/**
 * A job queue that is kept running. graphile-worker's runner may end at any time (it could not tell the database of
 * finished jobs, or one of its workers died), and it then looks like one that was told to: any end starts a new runner.
 */
import { EventEmitter } from "node:events";
import { Logger, type Runner, run, type Task, type TaskList, type WorkerEvents } from "graphile-worker";
import pg from "pg";
import { SECOND_MS } from "../server/core/clock";
import { pool } from "../server/core/db";
import { env } from "../server/core/env";
import { errorFields, log } from "../server/core/log";
import { recurring } from "./crontab";
import { leasedPools } from "./lease";
import { unlockJobs } from "./take-over";

export type QueuePlan = { name: string; taskList: TaskList; concurrency: number; withCron?: boolean };

export type Queue = {
  /** Goes on with a new runner; jobs under way come to their end in the old one. */
  restart: (reason: string) => void;
  /** Lets the jobs under way come to their end, for up to {@link DRAIN_MS}, and starts no more. */
  stop: () => Promise<void>;
};

/** How often due jobs are looked for; new ones are announced by the database at once. */
const POLL_MS = 500;
/** How long finished jobs are gathered before they are taken off the queue together. */
const COMPLETE_BATCH_MS = 5;
/** One for LISTEN, one to fetch, one to take off finished jobs, one to spare. */
const CONNECTIONS = 4;
/** How long the jobs of an old runner may take to end before others may run them too. */
const DRAIN_MS = 30 * SECOND_MS;
const LOOK_EVERY_MS = 50;
/** A runner that lived so long begins anew at the shortest pause. */
const STABLE_MS = 30 * SECOND_MS;
const PAUSES_MS = [0, 250, 500, 1_000, 2_000];
/** Between looks for jobs that are locked by us without our knowing of it. */
const OWN_LOCKS_EVERY_MS = 3 * SECOND_MS;
/** A job that was fetched is known to us, and one that is done is off the queue, within this time. */
const LOCK_SETTLED_MS = 5 * SECOND_MS;

/** A webhook job waits for somebody's server and holds a connection for milliseconds: many share few. */
const EXPECTED_WARNING = "having maxPoolSize";

const logger = new Logger(() => (level, message) => {
  if (message.includes(EXPECTED_WARNING)) return;
  if (level === "error") log("error", "queue.error", { message });
  else if (level === "warning") log("warn", "queue.warning", { message });
});

type Running = {
  runner: Runner;
  poolId: string;
  connections: pg.Pool;
  /** Jobs that are fetched and not done, or done within the last {@link LOCK_SETTLED_MS}, by id. */
  jobs: Map<string, { doneAtMs: number | null }>;
  underWay: () => number;
  /** Resolves with the reason when the runner has ended or cannot go on. */
  ended: Promise<string>;
  startedAtMs: number;
};

/** A pool of the queue's own: graphile-worker expects the driver's own types, and must not wait behind our statements. */
function openConnections(): pg.Pool {
  const connections = new pg.Pool({
    connectionString: env().DATABASE_URL,
    application_name: "worker-queue",
    max: CONNECTIONS,
    connectionTimeoutMillis: 5 * SECOND_MS,
    query_timeout: 15 * SECOND_MS,
    keepAlive: true,
  });
  const noteLoss = (thrown: Error) => log("warn", "queue.connection_lost", errorFields(thrown));
  connections.on("error", noteLoss);
  connections.on("connect", (client) => client.on("error", noteLoss));
  return connections;
}

async function startRunner({ taskList, concurrency, withCron = false }: QueuePlan): Promise<Running> {
  const connections = openConnections();
  const events: WorkerEvents = new EventEmitter().setMaxListeners(0) as WorkerEvents;
  const jobs: Running["jobs"] = new Map();
  let poolId = "";
  let count = 0;
  events.on("pool:create", ({ workerPool }) => {
    poolId = workerPool.id;
    leasedPools().add(poolId);
  });
  events.on("localQueue:getJobs:complete", ({ jobs: fetched }) => {
    for (const { id } of fetched) jobs.set(String(id), { doneAtMs: null });
  });
  events.on("localQueue:returnJobs", ({ jobs: returned }) => {
    for (const { id } of returned) jobs.set(String(id), { doneAtMs: performance.now() });
  });
  events.on("job:complete", ({ job }) => {
    jobs.set(String(job.id), { doneAtMs: performance.now() });
  });
  const fatal = new Promise<string>((resolve) => {
    events.on("pool:fatalError", ({ error }) => resolve(String(error)));
  });
  const counted = Object.fromEntries(
    Object.entries(taskList).map(([name, task]) => [
      name,
      (async (payload, helpers) => {
        count += 1;
        try {
          return await task?.(payload, helpers);
        } finally {
          count -= 1;
        }
      }) satisfies Task,
    ]),
  );
  try {
    const runner = await run({
      pgPool: connections,
      taskList: counted,
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
    const ended = runner.promise.then(
      () => "the runner ended",
      (thrown: unknown) => String(thrown),
    );
    return {
      ...{ runner, poolId, connections, jobs, startedAtMs: performance.now() },
      underWay: () => count,
      ended: Promise.race([ended, fatal]),
    };
  } catch (thrown) {
    leasedPools().delete(poolId);
    void connections.end().catch(() => undefined);
    throw thrown;
  }
}

const sleep = (ms: number, until?: Promise<unknown>) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    void until?.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Ends a runner: its jobs come to their end, and those that are still locked afterwards are given back. */
async function retire({ runner, poolId, connections, underWay }: Running): Promise<void> {
  const stopped = runner.stop().catch((thrown) => log("warn", "queue.not_stopped", errorFields(thrown)));
  const deadline = performance.now() + DRAIN_MS;
  let isStopped = false;
  void stopped.then(() => {
    isStopped = true;
  });
  // A runner that cannot reach the database stops for minutes, and one that has failed says at once that it has: what
  // counts is that its jobs have ended.
  const patience = performance.now() + LOCK_SETTLED_MS;
  const mayWait = () => underWay() > 0 || (!isStopped && performance.now() < patience);
  while (mayWait() && performance.now() < deadline) await sleep(LOOK_EVERY_MS);
  void connections.end().catch(() => undefined);
  for (let failures = 0; ; failures += 1) {
    try {
      await unlockJobs([poolId]);
      break;
    } catch (thrown) {
      log("warn", "queue.jobs_not_unlocked", errorFields(thrown));
      // The lease goes on without the pool, and whoever looks after the leases unlocks them.
      if (failures >= PAUSES_MS.length) break;
      await sleep(PAUSES_MS[failures] ?? SECOND_MS);
    }
  }
  leasedPools().delete(poolId);
}

/** Unlocks jobs that the database believes to be with us, because the reply to their fetch was lost. */
async function unlockUnheard({ poolId, jobs }: Running): Promise<void> {
  const now = performance.now();
  for (const [id, { doneAtMs }] of jobs) {
    if (doneAtMs !== null && now - doneAtMs > 10 * LOCK_SETTLED_MS) jobs.delete(id);
  }
  const { rows } = await pool().query<{ id: string }>({
    name: "queue.own_locks",
    text: `SELECT id::text AS id FROM graphile_worker._private_jobs
           WHERE locked_by = $1 AND locked_at < clock_timestamp() - $2 * interval '1 millisecond'`,
    values: [poolId, LOCK_SETTLED_MS],
  });
  const unheard = rows.map((row) => row.id).filter((id) => !jobs.has(id));
  if (unheard.length === 0) return;
  await pool().query(
    `WITH unlocked AS (
       UPDATE graphile_worker._private_jobs SET locked_by = NULL, locked_at = NULL
       WHERE id = ANY($1::int8[]) AND locked_by = $2 RETURNING job_queue_id)
     UPDATE graphile_worker._private_job_queues q SET locked_by = NULL, locked_at = NULL
     FROM unlocked u WHERE q.id = u.job_queue_id AND q.locked_by = $2`,
    [unheard, poolId],
  );
  log("warn", "queue.unheard_jobs_unlocked", { count: unheard.length });
}

/** Starts a queue and keeps it running. Resolves when it runs, however long the database is away. */
export async function keepQueue(plan: QueuePlan): Promise<Queue> {
  let isStopping = false;
  let askToStop: () => void = () => undefined;
  const stopAsked = new Promise<void>((resolve) => {
    askToStop = resolve;
  });
  let askToRestart: (reason: string) => void = () => undefined;
  const retiring = new Set<Promise<void>>();
  const retireSoon = (old: Running) => {
    const gone: Promise<void> = retire(old).finally(() => retiring.delete(gone));
    retiring.add(gone);
  };

  /** A new runner, sooner or later. @param failures runners that ended early before it. */
  async function startInTheEnd(failures: number): Promise<Running> {
    for (let tries = failures; ; tries += 1) {
      await sleep(PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)] ?? 0, stopAsked);
      try {
        return await startRunner(plan);
      } catch (thrown) {
        log("warn", "queue.not_started", { queue: plan.name, ...errorFields(thrown) });
        if (isStopping) throw thrown;
      }
    }
  }

  let running: Running | null = await startInTheEnd(0);
  const watch = setInterval(() => {
    if (running) unlockUnheard(running).catch((thrown) => log("warn", "queue.locks_not_read", errorFields(thrown)));
  }, OWN_LOCKS_EVERY_MS);

  async function supervise(): Promise<void> {
    for (let failures = 0; running && !isStopping; ) {
      const restartAsked = new Promise<string>((resolve) => {
        askToRestart = resolve;
      });
      const reason = await Promise.race([running.ended, restartAsked, stopAsked.then(() => null)]);
      if (reason === null) return;
      log("error", "queue.restarted", { queue: plan.name, reason });
      failures = performance.now() - running.startedAtMs > STABLE_MS ? 0 : failures + 1;
      retireSoon(running);
      running = null;
      running = await startInTheEnd(failures);
    }
  }

  // It fails only while it is told to stop, when there is no database to start a new runner on.
  const supervised = supervise().catch(() => undefined);
  return {
    restart: (reason) => askToRestart(reason),
    stop: async () => {
      isStopping = true;
      askToStop();
      clearInterval(watch);
      await supervised;
      if (running) retireSoon(running);
      await Promise.allSettled(retiring);
    },
  };
}
