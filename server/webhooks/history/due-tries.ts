/** Finds out from the jobs which due tries will still be made, and when. */
import type { Queryable } from "../../core/db";
import { DEAD_AFTER_S, LEASE_S } from "../../core/worker-id";
import { carriedBy, DELIVERY_TASKS } from "../delivery/carried";
import { IS_DUE, IS_UNDER_WAY } from "../store";

/** A due try that nothing will make soon, as it was read. */
type LostTry = { id: string; round: number; attempts: number; nextAttemptAt: Date };

/** A job that will make a try. `triedBy`: when at the latest; null: it is queued for now, or running. */
type CarryingJob = { id: string; round: number; attempts: number | null; triedBy: Date | null };

/**
 * `lost`: due tries without a job that will make them soon. `triedBy`: by the id of its delivery, when each other try is made
 * at the latest; null: it is queued for now, or being made.
 */
export type DueTries = { lost: LostTry[]; triedBy: ReadonlyMap<string, Date | null> };

/** A job that failed through our own fault and waits for longer than this is not waited for. */
const RUN_AGAIN_WITHIN_S = 5;
/** How long a take-over may last, once others can take over from a worker. */
const TAKE_OVER_WITHIN_S = 30;

/** At most this many waiting jobs are read, each with up to a hundred deliveries. */
const JOBS_READ_MAX = 2_000;
/**
 * The job of a try is due with it, or later if it had to wait for a slot: up to half a minute, unless more jobs wait than are
 * read. Both sides leave room for a step of the database's clock.
 */
const DUE_BEFORE_S = 60;
const WAITS_FOR_S = 300;

/**
 * Reads the due tries among these deliveries. It needs no lock, but the caller has to check under the endpoint's lock that a
 * lost try is still the same. A try is lost if no job carries it, if its job was given up or waits to be rerun after a failure,
 * or if its worker has been silent for so long that none of its requests is under way and no other worker has taken over. If
 * the backlog has more jobs than are read, a try whose job was not found counts as queued: it is not sent twice, and the sweep
 * finds out whether it was lost.
 */
export async function findDueTries(tx: Queryable, endpointId: string, ids: readonly string[]): Promise<DueTries> {
  const { rows: due } = await tx.query<LostTry>({
    name: "webhooks.due_tries",
    text: `SELECT id, round, attempts, next_attempt_at AS "nextAttemptAt" FROM webhook_deliveries
           WHERE id = ANY($1::text[]) AND endpoint_id = $2 AND status = 'pending' AND ${IS_DUE} AND NOT ${IS_UNDER_WAY}
           ORDER BY next_attempt_at`,
    values: [ids, endpointId],
  });
  const triedBy = new Map<string, Date | null>();
  const [first] = due;
  if (!first) return { lost: due, triedBy };
  const { carrying, isAllRead } = await findCarryingJobs(tx, endpointId, due, first.nextAttemptAt);
  const lost = due.filter((made) => {
    const own = carrying.filter(({ id, round, attempts }) => {
      const isOfThisTry = attempts === null || (round === made.round && attempts === made.attempts);
      return id === made.id && isOfThisTry;
    });
    if (own.length === 0 && isAllRead) return true;
    triedBy.set(made.id, firstOf(own));
    return false;
  });
  return { lost, triedBy };
}

const firstOf = (carrying: readonly CarryingJob[]): Date | null => {
  const times = carrying.flatMap(({ triedBy }) => triedBy?.getTime() ?? []);
  return times.length > 0 && times.length === carrying.length ? new Date(Math.min(...times)) : null;
};

type Found = CarryingJob & { jobs: number };

/**
 * A locked job stays with its worker, or is taken over from it. Waiting jobs are read in the order of their times, starting at
 * the first try's. Locked jobs have an index, and so have the jobs of each queue (prisma/queue-indexes.ts), which is used where
 * the statement names tasks by their ids.
 */
async function findCarryingJobs(tx: Queryable, endpointId: string, due: readonly LostTry[], since: Date) {
  const { rows: tasks } = await tx.query<{ id: number }>({
    name: "webhooks.delivery_tasks",
    text: "SELECT id FROM graphile_worker._private_tasks WHERE identifier = ANY($1::text[])",
    values: [DELIVERY_TASKS],
  });
  const isOfTask = `j.task_id IN (${tasks.map(({ id }) => Number(id)).join(", ")})`;
  const { rows } = await tx.query<Found>({
    text: `WITH waiting AS MATERIALIZED (
             SELECT payload, run_at, attempts, max_attempts FROM graphile_worker._private_jobs j
             WHERE j.is_available = true AND ${isOfTask} AND j.priority = 0
               AND j.run_at BETWEEN $3::timestamptz - ${DUE_BEFORE_S} * interval '1 second'
                 AND now() + ${WAITS_FOR_S} * interval '1 second'
             ORDER BY j.priority, j.run_at LIMIT $4
           ), carrying AS (
             SELECT payload, run_at AS tried_by FROM waiting
             WHERE attempts = 0 OR run_at < clock_timestamp() + ${RUN_AGAIN_WITHIN_S} * interval '1 second'
             UNION ALL
             SELECT j.payload, CASE
                 WHEN k.heard_at < clock_timestamp() - ${LEASE_S} * interval '1 second'
                   THEN k.heard_at + ${DEAD_AFTER_S} * interval '1 second'
               END
             FROM graphile_worker._private_jobs j
             CROSS JOIN LATERAL (
               SELECT coalesce(max(w.seen_at), j.locked_at) AS heard_at FROM workers w WHERE j.locked_by = ANY(w.pools)
             ) k
             WHERE j.locked_by IS NOT NULL AND ${isOfTask}
               AND k.heard_at > clock_timestamp() - ${DEAD_AFTER_S + TAKE_OVER_WITHIN_S} * interval '1 second'
           )
           SELECT (SELECT count(*)::int4 FROM waiting) AS jobs, c.* FROM (VALUES (1)) AS one LEFT JOIN (
             SELECT id, round, attempts, CASE WHEN tried_by > clock_timestamp() THEN tried_by END AS "triedBy"
             FROM (${carriedBy("carrying WHERE payload ->> 'endpointId' = $1", ["tried_by"])}) AS own WHERE id = ANY($2::text[])
           ) c ON true`,
    values: [endpointId, due.map(({ id }) => id), since.toISOString(), JOBS_READ_MAX],
  });
  return { carrying: rows.filter(({ id }) => id !== null), isAllRead: (rows[0]?.jobs ?? 0) < JOBS_READ_MAX };
}
