/**
 * Repairs deliveries that lost their job in a crash or an emptied queue, revives jobs of first tries that were given up, and
 * erases expired secrets.
 */
import { filterEquals, pool, transaction } from "../../core/db";
import { log } from "../../core/log";
import { lockEndpoints } from "../store";
import { carriedBy, DELIVERY_TASKS } from "./carried";
import { addDeliveryJobs, jobsFor, type WaitingDelivery } from "./outbox";

/** By a job that waits, runs or is retried. $3 are the tasks. */
const CARRIED = carriedBy(`(
    SELECT payload FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
    WHERE t.identifier = ANY($3::text[]) AND (j.locked_at IS NOT NULL OR j.attempts < j.max_attempts)) AS jobs`);

const ORPHANS_PER_STEP = 2_000;
/** Steps of a run: what else the sweep does must not wait for a backlog. The next run continues. */
const STEPS_OF_A_RUN = 50;
const SECRETS_PER_STEP = 1_000;

/**
 * Requeues deliveries that have been due for `overdueMs` by the database's clock and that no waiting, running or retried job would
 * send: a job of an earlier try or round finds nothing to do.
 * @param limits `stepsMax`: of 2,000 deliveries; none begins once `signal` is aborted. The next call does the rest.
 * @returns how many were requeued.
 */
export async function requeueOrphanedDeliveries(
  overdueMs: number,
  { stepsMax = STEPS_OF_A_RUN, signal }: { stepsMax?: number; signal?: AbortSignal | undefined } = {},
): Promise<number> {
  let count = 0;
  for (let steps = 0; steps < stepsMax && !signal?.aborted; steps += 1) {
    const { rows } = await pool().query<{ id: string; endpointId: string }>({
      text: `WITH carried AS MATERIALIZED (
               ${CARRIED}
             )
             SELECT d.id, d.endpoint_id AS "endpointId" FROM webhook_deliveries d
             WHERE d.status = 'pending' AND d.next_attempt_at < now() - $1::float8 * interval '1 millisecond'
               AND NOT EXISTS (SELECT 1 FROM carried c WHERE c.id = d.id
                 AND (c.attempts IS NULL OR (c.round = d.round AND c.attempts = d.attempts)))
             ORDER BY d.next_attempt_at LIMIT $2`,
      values: [overdueMs, ORPHANS_PER_STEP, DELIVERY_TASKS],
    });
    const queued = rows.length > 0 ? await requeue(rows, overdueMs) : 0;
    count += queued;
    if (queued === 0 || rows.length < ORPHANS_PER_STEP) break;
  }
  if (count > 0) log("warn", "webhooks.orphans_requeued", { count });
  return count;
}

/** Moves the time of each delivery, so that only one of two concurrent sweeps requeues it. */
const requeue = (orphans: readonly { id: string; endpointId: string }[], overdueMs: number): Promise<number> =>
  transaction(async (tx) => {
    await lockEndpoints(
      tx,
      orphans.map((delivery) => delivery.endpointId),
    );
    const { rows } = await tx.query<WaitingDelivery>({
      text: `UPDATE webhook_deliveries SET next_attempt_at = date_trunc('milliseconds', now())
             WHERE id = ANY($1::text[]) AND ${filterEquals("status", "pending")}
               AND next_attempt_at < now() - $2::float8 * interval '1 millisecond'
             RETURNING id, endpoint_id AS "endpointId", round, attempts`,
      values: [orphans.map((delivery) => delivery.id), overdueMs],
    });
    await addDeliveryJobs(tx, jobsFor(rows));
    return rows.length;
  });

/**
 * Revives jobs of first tries that have used up their runs: nothing else names their deliveries, which have no rows.
 * @param afterMs how long after their last run.
 * @returns how many.
 */
export async function reviveFirstTries(afterMs: number): Promise<number> {
  const { rows } = await pool().query<{ id: string }>({
    text: `UPDATE graphile_worker._private_jobs j SET attempts = 0, run_at = now()
           FROM graphile_worker._private_tasks t
           WHERE t.id = j.task_id AND t.identifier = 'deliver_events' AND j.attempts >= j.max_attempts
             AND j.locked_at IS NULL AND j.updated_at < now() - $1::float8 * interval '1 millisecond'
           RETURNING j.id::text AS id`,
    values: [afterMs],
  });
  if (rows.length > 0) log("warn", "webhooks.first_tries_revived", { jobs: rows.length });
  return rows.length;
}

/** Erases previous signing secrets that no longer sign. */
export async function eraseExpiredSecrets(): Promise<void> {
  await pool().query({
    text: `WITH expired AS (
             SELECT id FROM webhook_endpoints WHERE previous_secret_until < now()
             ORDER BY id LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
           )
           UPDATE webhook_endpoints e SET previous_secret_sealed = NULL, previous_secret_until = NULL
           FROM expired WHERE e.id = expired.id AND e.previous_secret_until < now()`,
    values: [SECRETS_PER_STEP],
  });
}
