/** Deliveries as jobs in the queue carry them. Reads the queue's private tables, because its views omit payloads. */

/** Tasks whose jobs name deliveries. */
export const DELIVERY_TASKS = ["deliver_events", "deliver_webhooks"] as const;

/**
 * SQL: the deliveries that jobs carry, each with the round and the number of tries for which its job would send it; `attempts`
 * is null if the job sends whatever is due. A long payload is parsed once for all its deliveries: fetching and parsing it costs
 * far more than the rest.
 * @param jobs FROM and WHERE of rows with a `payload`.
 * @param more other columns of these rows that are carried along.
 */
export const carriedBy = (jobs: string, more: readonly string[] = []): string => {
  const columns = ["round", "attempts", ...more].map((name) => `p.${name}`);
  return `SELECT c.id, ${columns.join(", ")} FROM (
      SELECT ${["payload -> 'deliveryIds' AS ids", ...more].join(", ")}, coalesce((payload ->> 'round')::int4, 0) AS round,
        (payload ->> 'attemptsMade')::int4 AS attempts
      FROM ${jobs} OFFSET 0
    ) p CROSS JOIN LATERAL json_array_elements_text(p.ids) AS c (id)`;
};
