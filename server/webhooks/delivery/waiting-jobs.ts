/**
 * Jobs of deliveries that got no slot and wait in the queue. A running job of this process may do their work before they are
 * due: it claims them, which puts off their time, and ends them once no delivery needs them. A claim is a lease that expires:
 * when this process dies, or is cut off, the jobs are due again and any worker runs them. Rows are found by key; the statements
 * have no name, so that they are planned for the current length of the queue, not for its length at a quiet hour.
 */
import { createBatcher, type Settled } from "../../core/batcher";
import { pool } from "../../core/db";
import type { JobPayload } from "../../core/jobs";
import type { WaitingJob } from "./delegated-jobs";
import { addKnownDeliveryJobs, jobBatches } from "./outbox";

type Payload = JobPayload<"deliver_webhooks">;

/** A job that got no slot. */
export type Requeue = { accountId: string; payload: Payload };

const REQUEUES_PER_FLUSH = 500;

type Requeues = {
  /** How long a job of the endpoint waits, in milliseconds. `clockMs`: of a clock that is never set back. */
  requeueAfterMs: (accountId: string, endpointId: string, clockMs: number) => number;
  /** Called with each job that waits now. */
  delegate: (accountId: string, job: WaitingJob, nowMs: number) => unknown;
};

/**
 * Makes a function that queues jobs again, for later, and delegates them. Small jobs of one endpoint, requeued at the same
 * time, become a few full ones.
 */
export function createRequeue({ requeueAfterMs, delegate }: Requeues): (job: Requeue) => Promise<void> {
  async function flush(requeues: Requeue[]): Promise<Settled<void>[]> {
    const groups = new Map<string, { accountId: string; payload: Payload; runAt: Date }>();
    for (const { accountId, payload } of requeues) {
      const key = `${payload.endpointId} ${payload.round} ${payload.attemptsMade}`;
      const group = groups.get(key) ?? {
        accountId,
        payload: { ...payload, deliveryIds: [], isRequeued: true },
        runAt: new Date(Date.now() + requeueAfterMs(accountId, payload.endpointId, performance.now())),
      };
      group.payload.deliveryIds.push(...payload.deliveryIds);
      groups.set(key, group);
    }
    const grouped = [...groups.values()];
    const jobs = grouped.flatMap(({ payload, runAt }) =>
      jobBatches([...new Set(payload.deliveryIds)]).map((deliveryIds) => ({
        payload: { ...payload, deliveryIds },
        runAt,
      })),
    );
    const byEndpoint = new Map(grouped.map((group) => [group.payload.endpointId, group]));
    for (const { id, payload } of await addKnownDeliveryJobs(pool(), jobs)) {
      const { endpointId, round = 0, attemptsMade: triesMade, deliveryIds } = payload;
      const group = byEndpoint.get(endpointId);
      if (!group) continue;
      const job = { id, endpointId, round, triesMade, deliveries: deliveryIds.length, dueMs: group.runAt.getTime() };
      delegate(group.accountId, job, Date.now());
    }
    return requeues.map(() => ({ ok: true, value: undefined }));
  }
  return createBatcher(flush, { maxWeight: REQUEUES_PER_FLUSH });
}

/**
 * Claims waiting jobs for `leaseMs`. Leaves out those that are gone, or that are running because they were due.
 * @returns them, with the deliveries that they carry.
 */
export async function claimJobs(
  ids: readonly string[],
  leaseMs: number,
): Promise<{ id: string; deliveryIds: string[] }[]> {
  const { rows } = await pool().query<{ id: string; payload: Payload }>({
    text: `UPDATE graphile_worker._private_jobs SET run_at = clock_timestamp() + $2::float8 * interval '1 millisecond'
           WHERE id = ANY($1::int8[]) AND locked_at IS NULL RETURNING id::text AS id, payload`,
    values: [ids, leaseMs],
  });
  return rows.map(({ id, payload }) => ({ id, deliveryIds: payload.deliveryIds }));
}

/** Ends waiting jobs whose work is done. One that is running already ends by itself. */
export async function endJobs(ids: readonly string[]): Promise<void> {
  await pool().query({
    text: "DELETE FROM graphile_worker._private_jobs WHERE id = ANY($1::int8[]) AND locked_at IS NULL",
    values: [ids],
  });
}
