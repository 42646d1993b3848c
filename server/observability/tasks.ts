import { QUEUES } from "../core/jobs";
import { isWideLogged, logWide } from "../core/log";
import { metrics } from "../core/metrics";
import type { SpanPlan } from "../core/spans";
import { reportEgress } from "../egress/proxy";
import { serveMetrics } from "./exporter";
import { refuseIndirect, refuseUnfitPooler } from "./pooler-check";
import { refuseOtherDatabase } from "./same-database";
import { refuseUnfitDatabase, waitForMigrations, warnOfOtherKey } from "./start-check";
import { startTracing } from "./tracing";

/**
 * Begins to trace, serves the metrics of a worker, with those that are read from the database, and waits until the database has every migration
 * that this version needs.
 * @param queueOptions parameters of the queues' connections, which lead past any pooler.
 * @throws Error when the database is too new, leaves out triggers or cannot store every text, a pooler lacks what the service needs, or addresses lead to different
 *   databases.
 */
export async function startObservability(queueOptions: string): Promise<void> {
  reportEgress();
  await startTracing("worker");
  // An alert on jobs that were not done needs a count to exist before the first one is done.
  for (const task of [...QUEUES.sweeps, ...QUEUES.housekeeping]) metrics().jobs.zero({ task, outcome: "done" });
  await serveMetrics("worker");
  // This comes first: behind a pooler that refuses our parameters, the migrations could not even be read.
  await refuseUnfitPooler();
  // This precedes the wait for migrations, which may have been applied to the other database.
  const isCompared = await refuseOtherDatabase();
  // Nothing is ever migrated in such a database.
  const isLookedAt = await refuseUnfitDatabase();
  await waitForMigrations();
  // The database has been reached by now.
  if (!isLookedAt) await refuseUnfitDatabase();
  if (!isCompared) await refuseOtherDatabase();
  await refuseIndirect(queueOptions);
  await warnOfOtherKey();
}

export { keepClockChecked } from "./clock-check";

/** A run of a job. `items`: how many messages or deliveries it carries. */
type JobRun = { task: string; id: string; attempt: number; payload: unknown; startedAt: number };

/** `skipped`: of a recurring job, because another run of it was under way. */
type JobOutcome = "done" | "failed" | "skipped";

/** Measures a run of a job that has ended, and logs it in one line. `startedAt`: `performance.now()`. */
export function noteJob({ task, id, attempt, payload, startedAt }: JobRun, outcome: JobOutcome): void {
  const ms = performance.now() - startedAt;
  metrics().jobs.observe({ task, outcome }, ms / 1_000);
  if (isWideLogged()) logWide("job.run", { job: task, id, attempt, outcome, ...itemsOf(payload), ms: Math.round(ms) });
}

/** The span of a run of a job, linked with the messages that it carries and with the callbacks that it comes from. */
export function spanOfJob({ task, id, attempt, payload }: JobRun): SpanPlan {
  const { messageIds, traces } = payload as { messageIds?: string[]; traces?: string[] };
  return {
    name: `job ${task}`,
    kind: "consumer",
    subjects: messageIds,
    traces,
    attributes: {
      "messaging_service.job_id": id,
      "messaging_service.job_run": attempt,
      "messaging_service.items": itemsOf(payload).items,
    },
  };
}

const FIRST_IDS = 3;

/** How many items a job carries, and the first of them: the request's log line has the same ids. */
function itemsOf(payload: unknown): { items?: number; ids?: unknown[] } {
  if (typeof payload !== "object" || payload === null) return {};
  const { messageIds, deliveryIds } = payload as { messageIds?: unknown[]; deliveryIds?: unknown[] };
  const ids = messageIds ?? deliveryIds;
  return Array.isArray(ids) ? { items: ids.length, ids: ids.slice(0, FIRST_IDS) } : {};
}
