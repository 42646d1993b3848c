/**
 * Gauges that are read by scrapes. Gauges of the database are the same for all processes, so one worker reads them, at
 * most every ten seconds: the one that has run for longest.
 */
import { cachedRead } from "../core/cached-read";
import { SECOND_MS } from "../core/clock";
import { pool, pools } from "../core/db";
import { startDeadline } from "../core/deadline";
import { errorFields, log } from "../core/log";
import { metrics } from "../core/metrics";
import { LEASE_S, workerId } from "../core/worker-id";
import { pagesProcess } from "./pages-state";
import { type QueueRow, readQueues } from "./queues";

const FRESH_MS = 10 * SECOND_MS;
/**
 * A scrape waits no longer for the database. After ten seconds Prometheus gives up, and would have nothing of the process, just when
 * its metrics are needed.
 */
const PATIENCE_MS = 3 * SECOND_MS;
/**
 * Tables whose rows are deleted soon after they are written. Many remaining dead versions are a sign of a transaction that
 * stays open.
 */
const PASSED_THROUGH = ["_private_jobs", "pending_messages", "sent_messages", "waiting_messages"];

type Shared = {
  queue: QueueRow[];
  throttled: number;
  dead: number;
  workers: number;
  providers: { id: string; breaker: string; isDrained: boolean }[];
};

async function readShared(): Promise<Shared | null> {
  const leaders = await pool().query<{ id: string; alive: number }>({
    name: "observability.leader",
    text: `SELECT (array_agg(id ORDER BY started_at, id))[1] AS id, count(*)::int4 AS alive FROM workers
           WHERE seen_at > clock_timestamp() - $1 * interval '1 second'`,
    values: [LEASE_S],
  });
  const [leader] = leaders.rows;
  if (leader?.id !== workerId()) return null;
  const queue = await readQueues();
  const waiting = await pool().query<{ count: number }>("SELECT count(*)::int4 AS count FROM waiting_messages");
  const dead = await pool().query<{ count: number }>(
    "SELECT coalesce(sum(n_dead_tup), 0)::float8 AS count FROM pg_stat_user_tables WHERE relname = ANY($1::text[])",
    [PASSED_THROUGH],
  );
  const providers = await pool().query<Shared["providers"][number]>(
    `SELECT id, breaker, is_drained AS "isDrained" FROM providers`,
  );
  return {
    queue,
    throttled: waiting.rows[0]?.count ?? 0,
    dead: dead.rows[0]?.count ?? 0,
    workers: leader.alive,
    providers: providers.rows,
  };
}

const shared = cachedRead("observability.shared", FRESH_MS, readShared, { isCostly: true });

/** @throws Error when the database does not respond in time; the read goes on, and the next scrapes wait for it. */
const readInTime = (): Promise<Shared | null> =>
  new Promise((resolve, reject) => {
    const tooLate = () => reject(new Error(`The database did not respond within ${PATIENCE_MS / SECOND_MS} s.`));
    const deadline = startDeadline(PATIENCE_MS, tooLate);
    void shared.get().then(resolve, reject).finally(deadline.clear);
  });

const BREAKER: Readonly<Record<string, number>> = { closed: 0, probing: 1, open: 2 };

/** Updates the gauges of the database; a process that does not read them has none. */
async function updateShared(isWorker: boolean): Promise<void> {
  const { queueJobs, queueLag, throttleQueue, deadRows, workers, breaker, drained, gaugesFailed } = metrics();
  for (const gauge of [queueJobs, queueLag, breaker, drained]) gauge.reset();
  for (const gauge of [throttleQueue, deadRows, workers]) gauge.remove();
  if (!isWorker) return;
  let read: Shared | null;
  try {
    read = await readInTime();
  } catch (thrown) {
    gaugesFailed.inc();
    log("warn", "metrics.database_not_read", errorFields(thrown));
    return;
  }
  if (!read) return;
  for (const { task, lag, ...states } of read.queue) {
    queueJobs.set({ task, state: "due" }, states.due);
    queueJobs.set({ task, state: "running" }, states.running);
    queueJobs.set({ task, state: "later" }, states.later);
    queueJobs.set({ task, state: "given_up" }, states.givenUp);
    queueLag.set({ task }, lag);
  }
  throttleQueue.set(read.throttled);
  deadRows.set(read.dead);
  workers.set(read.workers);
  for (const provider of read.providers) {
    breaker.set({ provider: provider.id }, BREAKER[provider.breaker] ?? 0);
    drained.set({ provider: provider.id }, provider.isDrained ? 1 : 0);
  }
}

function updatePools(): void {
  const { poolConnections } = metrics();
  for (const [name, own] of pools()) {
    poolConnections.set({ pool: name, state: "busy" }, own.totalCount - own.idleCount);
    poolConnections.set({ pool: name, state: "idle" }, own.idleCount);
    poolConnections.set({ pool: name, state: "waiting" }, own.waitingCount);
  }
}

/** Updates all gauges. `isWorker`: this process may be the one that reads the database's. */
export async function updateGauges(isWorker: boolean): Promise<void> {
  updatePools();
  const { isUp } = pagesProcess();
  if (isUp !== null) metrics().pagesUp.set({ process: "pages" }, isUp ? 1 : 0);
  await updateShared(isWorker);
}

/** The next scrape reads the database again. */
export const invalidateGauges = (): void => shared.invalidate();
