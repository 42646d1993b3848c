/** SQL about the attempts of a message. */

/** Whether the attempt `alias` was begun. Versions without claims stored no worker, and began with the claim. */
export const isBegun = (alias: string): string => `(${alias}.begun_at IS NOT NULL OR ${alias}.worker_id IS NULL)`;

/** Outcome of a row without an attempt: the row takes the number of the next attempt, so that none can be claimed. */
export const WITHDRAWN = "withdrawn";

/**
 * How many providers the message `alias` was given to so far. The column is written when the status moves, so that an attempt
 * costs no write to the message; until then they are counted, in the rows of this message alone.
 */
export const attemptsSoFar = (alias: string): string =>
  `CASE WHEN ${alias}.status = 'pending'
     THEN (SELECT coalesce(max(a.seq), 0::int2) FROM message_attempts a
           WHERE a.message_id = ${alias}.id AND ${isBegun("a")} AND a.outcome IS DISTINCT FROM '${WITHDRAWN}')
     ELSE ${alias}.attempts END`;
