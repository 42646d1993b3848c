/** Reads attempts whose outcome is no longer expected, page by page in the order of time. */
import { pool } from "../../core/db";

/** Attempts of a page, and so messages that a sweep moves at a time. */
const PER_PAGE = 2_000;

/** SQL: the time `$1` milliseconds ago, by the database's clock, which all processes share. */
export const BEFORE = "now() - $1::float8 * interval '1 millisecond'";

/**
 * While its worker is alive, a begun attempt without an outcome is left to it for this long: after an outage of the database
 * the worker still has to write the provider's response.
 */
const LEFT_TO_WORKER = "interval '1 hour'";

/**
 * SQL: whether the outcome of an attempt is no longer expected: it started before `before` and is still unknown, or is still open
 * and no worker can know its outcome. Never null, so it can be negated. `alias`: of `message_attempts` in the statement.
 */
export const isGivenUp = (alias: string, before: string): string => `(${alias}.started_at < ${before}
  AND (COALESCE(${alias}.outcome, '') = 'unknown' OR ${alias}.outcome IS NULL AND (${alias}.started_at < now() - ${LEFT_TO_WORKER}
    OR NOT EXISTS (SELECT 1 FROM workers w WHERE w.id = ${alias}.worker_id))))`;

/**
 * SQL that reads a page: the attempts `a` after `$2` and `$3` that meet `condition`, and whether the message of each is one to
 * act on. `$1`: minimum age in milliseconds; `$4`: limit. Unknown and open attempts have an index each, and are read in its order.
 * @param isMeant condition on the attempt `g`, by its message's `id`.
 * @param isUnknown condition of the index of unknown attempts that is read.
 */
export function givenUpStatement(condition: string, isMeant: string, isUnknown = "a.outcome = 'unknown'"): string {
  const attempts = (outcome: string) => `(SELECT a.message_id AS id, a.started_at FROM message_attempts a
      WHERE ${outcome} AND ${condition} AND a.started_at < ${BEFORE} AND a.started_at >= $2
        AND (a.started_at, a.message_id) > ($2, $3)
      ORDER BY a.started_at, a.message_id LIMIT $4)`;
  return `WITH given_up AS MATERIALIZED (
      ${attempts(isUnknown)}
      UNION ALL
      ${attempts(`a.outcome IS NULL AND ${isGivenUp("a", BEFORE)}`)}
      ORDER BY started_at, id LIMIT $4)
    SELECT g.id, g.started_at AS "startedAt", ${isMeant} AS "isMeant" FROM given_up g ORDER BY g.started_at, g.id`;
}

type Row = { id: string; startedAt: Date; isMeant: boolean };

/**
 * Has `act` look at the messages of every page, each page's once.
 * @param statement made by {@link givenUpStatement}.
 * @param ageMs minimum age of the attempts.
 * @param signal no page is read once it is aborted.
 */
export async function forEachGivenUp(
  statement: string,
  ageMs: number,
  act: (messageIds: string[]) => Promise<unknown>,
  signal?: AbortSignal,
): Promise<void> {
  let last: Pick<Row, "id" | "startedAt"> = { startedAt: new Date(0), id: "" };
  for (let found = PER_PAGE; found === PER_PAGE && !signal?.aborted; ) {
    const { rows } = await pool().query<Row>(statement, [ageMs, last.startedAt, last.id, PER_PAGE]);
    found = rows.length;
    last = rows.at(-1) ?? last;
    const ids = [...new Set(rows.filter(({ isMeant }) => isMeant).map(({ id }) => id))];
    if (ids.length > 0) await act(ids);
  }
}
