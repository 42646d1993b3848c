/** Finds out what becomes of tries that are due, by the jobs that carry them. */
import type { Queryable } from "../../core/db";
import { DEAD_AFTER_S, LEASE_S } from "../../core/worker-id";
import { CARRIED, DELIVERY_TASKS, JOBS_THAT_CARRY } from "../delivery/carried";
import { IS_DUE, IS_UNDER_WAY } from "../store";

/** A try that nothing is going to make soon, as it was found. */
type LostTry = { id: string; round: number; attempts: number; nextAttemptAt: Date };

/** A job that is going to make a try. `triedBy`: when at the latest; null: it is queued for now, or running. */
type Carrier = { id: string; round: number; attempts: number | null; triedBy: Date | null };

/**
 * `lost`: due tries without a job that makes them soon. `triedBy`: when each of the others is made at the latest, by the id of its
 * delivery; null: it is queued for now, or being made.
 */
export type DueTries = { lost: LostTry[]; triedBy: ReadonlyMap<string, Date | null> };

/** A job that failed by a failure of ours, and waits for longer than this, is not waited for. */
const RUN_AGAIN_WITHIN_S = 5;
/** Others may be taking over from a worker for so long after the time at which they can. */
const TAKE_OVER_WITHIN_S = 30;

/**
 * Reads the due tries among these deliveries. It needs no lock, but the caller has to check under the endpoint's lock that a lost try
 * is still the same. A try has been lost when no job carries it, when its job was given up or waits to be run again after a failure, and when
 * its worker has been silent for so long that no request of it is under way, and no other worker took over.
 */
export async function findDueTries(tx: Queryable, endpointId: string, ids: readonly string[]): Promise<DueTries> {
  const { rows: due } = await tx.query<LostTry>({
    name: "webhooks.due_tries",
    text: `SELECT id, round, attempts, next_attempt_at AS "nextAttemptAt" FROM webhook_deliveries
           WHERE id = ANY($1::text[]) AND endpoint_id = $2 AND status = 'pending' AND ${IS_DUE} AND NOT ${IS_UNDER_WAY}`,
    values: [ids, endpointId],
  });
  const triedBy = new Map<string, Date | null>();
  if (due.length === 0) return { lost: due, triedBy };
  const carriers = await findCarriers(
    tx,
    endpointId,
    due.map(({ id }) => id),
  );
  const lost = due.filter((made) => {
    const own = carriers.filter(({ id, round, attempts }) => {
      const isOfThisTry = attempts === null || (round === made.round && attempts === made.attempts);
      return id === made.id && isOfThisTry;
    });
    if (own.length > 0) triedBy.set(made.id, firstOf(own));
    return own.length === 0;
  });
  return { lost, triedBy };
}

const firstOf = (carriers: readonly Carrier[]): Date | null => {
  const times = carriers.map((carrier) => carrier.triedBy?.getTime() ?? 0);
  const first = Math.min(...times);
  return first === 0 ? null : new Date(first);
};

/** A locked job goes on with its worker, or is taken over from it. The statement reads the whole queue. */
async function findCarriers(tx: Queryable, endpointId: string, ids: readonly string[]): Promise<Carrier[]> {
  const { rows } = await tx.query<Carrier>({
    text: `SELECT id, round, attempts, CASE WHEN tried_by > clock_timestamp() THEN tried_by END AS "triedBy"
           FROM (
             SELECT ${CARRIED},
               CASE
                 WHEN j.locked_at IS NULL THEN j.run_at
                 WHEN k.heard_at < clock_timestamp() - ${LEASE_S} * interval '1 second'
                   THEN k.heard_at + ${DEAD_AFTER_S} * interval '1 second'
               END AS tried_by
             FROM ${JOBS_THAT_CARRY}
             CROSS JOIN LATERAL (
               SELECT coalesce(max(w.seen_at), j.locked_at) AS heard_at FROM workers w WHERE j.locked_by = ANY(w.pools)
             ) k
             WHERE t.identifier = ANY($3::text[]) AND j.payload ->> 'endpointId' = $1 AND c.id = ANY($2::text[])
               AND CASE
                 WHEN j.locked_at IS NOT NULL
                   THEN k.heard_at > clock_timestamp() - ${DEAD_AFTER_S + TAKE_OVER_WITHIN_S} * interval '1 second'
                 WHEN j.attempts = 0 THEN true
                 ELSE j.attempts < j.max_attempts
                   AND j.run_at < clock_timestamp() + ${RUN_AGAIN_WITHIN_S} * interval '1 second'
               END
           ) carried`,
    values: [endpointId, ids, DELIVERY_TASKS],
  });
  return rows;
}
