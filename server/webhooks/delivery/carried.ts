/** Deliveries as jobs in the queue carry them. Reads the queue's private tables, because its views omit payloads. */

/** Tasks whose jobs name deliveries. */
export const DELIVERY_TASKS = ["deliver_events", "deliver_webhooks"] as const;

/**
 * SQL: columns and FROM of the deliveries that jobs `j` of the tasks `t` carry, each with the round and the number of tries for which
 * the job would send it; `attempts` is null when it sends what is due.
 */
export const CARRIED = `c.id, coalesce((j.payload ->> 'round')::int4, 0) AS round, (j.payload ->> 'attemptsMade')::int4 AS attempts`;
export const JOBS_THAT_CARRY = `graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
  CROSS JOIN LATERAL json_array_elements_text(j.payload -> 'deliveryIds') AS c (id)`;
