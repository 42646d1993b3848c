/** Measures how fast a worker delivers a backlog of messages, and the latency of the API meanwhile. */
import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "pg";
import type { startLoad } from "./client";
import type { LoadResult } from "./load";
import type { Service } from "./service";
import type { Stage } from "./workload";

const POLL_MS = 50;
/** The time from a submission to the sandbox's delivery receipt. */
const SANDBOX_S = 1;
/** The worker counts as stuck if no message moves for this time. */
const STUCK_AFTER_MS = 60_000;
const JOBS_SETTLE_WITHIN_MS = 10_000;

/** Times in seconds from the start of the worker's process. */
export type DrainReport = {
  /** Messages waiting when the worker was started. */
  backlog: number;
  /** Until as many messages as the backlog were submitted to the provider. */
  submittedS: number;
  firstDeliveredS: number;
  /** Until the whole backlog was delivered. */
  seconds: number;
  perSecond: number;
  /** The same without the sandbox's second before its receipt, which does not grow with the backlog. */
  workPerSecond: number;
  /** The sends made meanwhile. */
  probe: LoadResult;
};

/** Messages by progress, from the service's usage counters. */
type Counts = { submitted: number; ended: number; open: number };

async function readCounts(database: Client): Promise<Counts> {
  const { rows } = await database.query<Counts>(
    `SELECT coalesce(sum(messages - pending), 0)::int4 AS "submitted",
            coalesce(sum(delivered + failed + undelivered), 0)::int4 AS ended,
            coalesce(sum(pending + sent), 0)::int4 AS open FROM usage_days`,
  );
  return rows[0] ?? { submitted: 0, ended: 0, open: 0 };
}

type Sample = Counts & { atS: number };

const stepsOf = ({ submitted, ended }: Counts): number => submitted + ended;

async function isAnyOpen(database: Client, accountIds: string[], lastId: string): Promise<boolean> {
  const { rows } = await database.query<{ open: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM pending_messages WHERE account_id = ANY($1) AND message_id <= $2)
         OR EXISTS (SELECT 1 FROM sent_messages WHERE account_id = ANY($1) AND message_id <= $2) AS open`,
    [accountIds, lastId],
  );
  return rows[0]?.open ?? false;
}

type DrainPlan = {
  database: Client;
  /** Accounts of the backlog. */
  accountIds: string[];
  startWorker: () => Promise<Service>;
  startProbe: () => ReturnType<typeof startLoad>;
  /** Called as soon as the whole backlog is seen delivered. */
  onDrained: (worker: Service, deliveredMeanwhile: number) => void;
};

/**
 * Starts the worker and the probe, and returns when the backlog and every message of the probe are delivered.
 * @throws Error when the worker ends or makes no progress.
 */
export async function drain(stage: Stage, plan: DrainPlan): Promise<{ report: DrainReport; worker: Service }> {
  const { database, accountIds } = plan;
  const before = await readCounts(database);
  const backlog = before.open;
  const { rows } = await database.query<{ lastId: string }>(
    `SELECT coalesce(max(id), '') AS "lastId" FROM messages WHERE account_id = ANY($1)`,
    [accountIds],
  );
  const lastId = rows[0]?.lastId ?? "";

  const startedAt = performance.now();
  const worker = await plan.startWorker();
  const probe = await plan.startProbe();
  const samples: Sample[] = [];
  let moved = { atS: 0, steps: 0 };

  /** Polls the counters until `isDone`. @returns the last sample. */
  const watch = async (isDone: (counts: Counts) => boolean | Promise<boolean>) => {
    for (;;) {
      const counts = await readCounts(database);
      const atS = (performance.now() - startedAt) / 1_000;
      const steps = stepsOf(counts);
      if (steps > moved.steps) moved = { atS, steps };
      const sample = { ...counts, atS };
      samples.push(sample);
      if (await isDone(counts)) return sample;
      if (worker.hasEnded()) throw new Error(`The worker ended while it drained:\n${await worker.problems()}`);
      if ((atS - moved.atS) * 1_000 > STUCK_AFTER_MS) {
        throw new Error(`No message moved for ${STUCK_AFTER_MS / 1_000} s:\n${await worker.problems()}`);
      }
      await pause(POLL_MS, undefined, { signal: stage.signal });
    }
  };

  // The cheap condition first: the expensive query runs only once enough messages have ended.
  const drained = await watch(
    async ({ ended }) => ended - before.ended >= backlog && !(await isAnyOpen(database, accountIds, lastId)),
  );
  plan.onDrained(worker, drained.ended - before.ended);
  probe.stop();
  const probed = await probe.result;
  await watch(({ open }) => open === 0);
  await settleJobs(stage, database);

  const firstAt = (isReached: (counts: Counts) => boolean) => samples.find(isReached)?.atS ?? drained.atS;
  const report = {
    backlog,
    submittedS: firstAt((counts) => counts.submitted - before.submitted >= backlog),
    firstDeliveredS: firstAt((counts) => counts.ended > before.ended),
    seconds: drained.atS,
    perSecond: backlog / drained.atS,
    workPerSecond: backlog / (drained.atS - SANDBOX_S),
    probe: probed,
  };
  return { report, worker };
}

/** Waits for the queue to be empty: a job is removed shortly after its work is committed. */
export async function settleJobs(stage: Stage, database: Client): Promise<void> {
  const deadline = performance.now() + JOBS_SETTLE_WITHIN_MS;
  while (performance.now() < deadline) {
    const { rowCount } = await database.query(
      `SELECT 1 FROM graphile_worker.jobs
       WHERE task_identifier IN ('dispatch_messages', 'apply_receipts', 'join_receipts') LIMIT 1`,
    );
    if (!rowCount) return;
    await pause(POLL_MS, undefined, { signal: stage.signal });
  }
}
