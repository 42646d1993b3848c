/**
 * Statements of graphile-worker that look up jobs by a join. While few jobs wait and many were removed a moment ago, as
 * beside a transaction that stays open, any look-up seems dear and the whole primary key cheap: each fetch then reads every
 * version of a job that has died since. Here their places and ids are listed, for which no other plan exists.
 */

type Replacement = { of: RegExp; from: string; to: string };

const REPLACEMENTS: readonly Replacement[] = [
  {
    of: /^get_job/,
    from: "select jobs.job_queue_id, jobs.priority, jobs.run_at, jobs.id\n",
    to: "select jobs.job_queue_id, jobs.priority, jobs.run_at, jobs.id, jobs.ctid as place\n",
  },
  {
    of: /^get_job/,
    // A job that another statement changes just then has a place that this one does not see yet: the next fetch takes it.
    from: "from j\n    where jobs.id = j.id\n    returning *",
    to: "where jobs.ctid = any(array(select place from j))\n    returning *",
  },
  {
    of: /^complete_jobs\//,
    from: "using unnest($1::bigint[]) n(n)\nwhere id = n",
    to: "where id = any($1::bigint[])",
  },
];

const rewritten = new Map<string, string>();

/**
 * The text to send in place of a statement's own.
 * @param name of the prepared statement.
 * @returns `text` itself for all but the statements above, and for those of a version that words them differently.
 */
export function byKey(name: string, text: string): string {
  const known = rewritten.get(text);
  if (known !== undefined) return known;
  const own = REPLACEMENTS.filter(({ of }) => of.test(name));
  if (own.length === 0) return text;
  const isAsExpected = own.every(({ from }) => text.split(from).length === 2);
  const result = isAsExpected ? own.reduce((before, { from, to }) => before.replace(from, () => to), text) : text;
  rewritten.set(text, result);
  return result;
}
