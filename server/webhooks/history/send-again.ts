/** Brings deliveries back to `pending`, so that they are sent again. */
import { now } from "../../core/clock";
import type { Queryable } from "../../core/db";
import { addDeliveryJobs, jobsFor, type WaitingDelivery } from "../delivery/outbox";
import { INSERT_MOVES, IS_UNDER_WAY } from "../store";

/** `waitMs`: until a request that is under way has ended; null: none is. */
export type SentAgain = WaitingDelivery & { createdAt: Date; waitMs: number | null };

/**
 * SQL: sends the rows of `former` again, all columns of `webhook_deliveries`, in the next round of tries. A delivery that was
 * parked while one of its requests was under way stays in its round until that request has ended: it is not sent twice at the
 * same time, and not again if that request is acknowledged. Returns rows of {@link SentAgain}.
 */
export const SEND_AGAIN = `again AS (
    SELECT id, status AS former, status = 'held' AND ${IS_UNDER_WAY} AS is_under_way FROM former
  ), moved AS (
    UPDATE webhook_deliveries d
    SET status = 'pending', finished_at = NULL, status_code = NULL, latency_ms = NULL, response_head = NULL,
      round = CASE WHEN again.is_under_way THEN d.round ELSE d.round + 1 END,
      attempts = CASE WHEN again.is_under_way THEN d.attempts ELSE 0 END,
      next_attempt_at = CASE WHEN again.is_under_way THEN d.under_way_until ELSE date_trunc('milliseconds', now()) END,
      under_way_until = CASE WHEN again.is_under_way THEN d.under_way_until END
    FROM again WHERE d.id = again.id
    RETURNING d.id, d.endpoint_id, d.round, d.attempts, d.created_at, again.former, d.status, d.under_way_until
  ), counted AS (
    ${INSERT_MOVES}
  )
  SELECT id, endpoint_id AS "endpointId", round, attempts, created_at AS "createdAt",
    extract(epoch FROM under_way_until - clock_timestamp())::float8 * 1000 AS "waitMs" FROM moved`;

/**
 * Queues deliveries that {@link SEND_AGAIN} has brought back, including those with a request under way, in case its outcome is
 * lost.
 */
export function queueAgain(tx: Queryable, sent: readonly SentAgain[]): Promise<void> {
  const underWay = sent.filter(({ waitMs }) => waitMs !== null);
  const runAt = new Date(now().getTime() + Math.max(0, ...underWay.map(({ waitMs }) => waitMs ?? 0)));
  return addDeliveryJobs(tx, [
    ...jobsFor(sent.filter(({ waitMs }) => waitMs === null)),
    ...jobsFor(underWay).map((job) => ({ ...job, runAt })),
  ]);
}
