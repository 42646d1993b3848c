/**
 * Rewrites statements of graphile-worker whose cost grows with the number of dead jobs, which PostgreSQL keeps while a transaction
 * stays open. Fetches begin where the previous one ended (fetch-bounds.ts). Joins by id are replaced by lists of row positions and
 * ids, which allow no other plan: while few jobs wait among many removed ones, the planner thinks that a look-up is expensive and a
 * scan of the whole primary key is cheap.
 */
import type { FetchBounds } from "./fetch-bounds";

type Query = { name?: string; text: string; values?: unknown[] };
type Replacement = { from: string; to: string };

const FETCH_NAME = /^get_job(\d*)\/graphile_worker$/;
const FETCH: readonly Replacement[] = [
  {
    from: "select jobs.job_queue_id, jobs.priority, jobs.run_at, jobs.id\n",
    to: "select jobs.job_queue_id, jobs.priority, jobs.run_at, jobs.id, jobs.ctid as place\n",
  },
  // If another statement changes a job at the same moment, this one does not see the new position yet; the next fetch takes the job.
  {
    from: "from j\n    where jobs.id = j.id\n    returning *",
    to: "where jobs.ctid = any(array(select place from j))\n    returning *",
  },
];
const DUE = "and run_at <= now()\n";
const SINCE_TIME: Replacement = { from: DUE, to: `and run_at <= now() and run_at >= $3::timestamptz\n` };
const SINCE_AGE: Replacement = {
  from: DUE,
  to: `and run_at <= now() and run_at >= now() - $3::float8 * interval '1 millisecond'\n`,
};

const COMPLETE_NAME = /^complete_jobs\/graphile_worker$/;
const COMPLETE: readonly Replacement[] = [
  { from: "using unnest($1::bigint[]) n(n)\nwhere id = n", to: "where id = any($1::bigint[])" },
];

/** @returns null if this version of graphile-worker has a different text. */
function rewrite(text: string, replacements: readonly Replacement[]): string | null {
  if (replacements.some(({ from }) => text.split(from).length !== 2)) return null;
  return replacements.reduce((before, { from, to }) => before.replace(from, () => to), text);
}

const rewritten = new Map<string, { text: string; made: string | null }>();

/** {@link rewrite}, cached by `name`. */
function rewriteOnce(name: string, text: string, replacements: readonly Replacement[]): string | null {
  const known = rewritten.get(name);
  if (known?.text === text) return known.made;
  const made = rewrite(text, replacements);
  rewritten.set(name, { text, made });
  return made;
}

/** A statement as it is sent, and a function that is called with its rows, or with null when it fails. */
export type Sent = { query: Query; settle: ((rows: { run_at: Date }[] | null) => void) | null };

function fetchWithin(query: Query, name: string, limit: number, bounds: FetchBounds): Sent {
  const { range, settle } = bounds.next(limit);
  const { values = [] } = query;
  const send = (suffix: string, more: Replacement[], own: unknown[]): Sent => {
    const text = rewriteOnce(name + suffix, query.text, [...FETCH, ...more]);
    return text === null
      ? { query, settle: null }
      : { query: { name: name + suffix, text, values: [...values, ...own] }, settle };
  };
  if (range.from === "time") return send("/time", [SINCE_TIME], [range.runAt]);
  if (range.from === "age") return send("/age", [SINCE_AGE], [range.withinMs]);
  return send("", [], []);
}

/** The statement to send instead of one of graphile-worker's: a rewritten one above, or itself. */
export function toSend(query: Query, bounds: FetchBounds): Sent {
  const { name = "" } = query;
  const [, batch] = FETCH_NAME.exec(name) ?? [];
  if (batch !== undefined) return fetchWithin(query, name, Number(batch || 1), bounds);
  const text = COMPLETE_NAME.test(name) ? rewriteOnce(name, query.text, COMPLETE) : null;
  return { query: text === null ? query : { ...query, text }, settle: null };
}
