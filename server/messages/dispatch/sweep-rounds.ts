/**
 * Rounds of a sweep through the pending messages that are due. Millions may wait for a throughput limit without having lost their job,
 * so each run checks some of them, and the next run, perhaps on another worker, continues there. The sweep of parked receipts stores its
 * position in the same table.
 */
import { pool } from "../../core/db";

/** Messages that a statement checks. */
const LOOKED_PER_STEP = 10_000;
/** A run ends when it has checked this many messages without finding any. docs/invariants.md says how long a round takes. */
const IN_VAIN_MAX = 100_000;

/** No step begins once `signal` is aborted. */
export type RoundLimits = { perStep?: number; inVainMax?: number; signal?: AbortSignal | undefined };

/** `jobs`: that the round has added so far. */
type Position = { dueAt: Date; id: string; jobs: number };

export const START: Position = { dueAt: new Date(0), id: "", jobs: 0 };

/** Result of a sweep over some messages. `found`: how many it was looking for. */
type Done = { found: number; jobs?: number };

/**
 * SQL: due time of the oldest waiting dispatch job that meets `condition`; null: no backlog. Jobs are run in this order, so a
 * message accepted later may still be in one of them. Available and locked jobs have an index each.
 */
const oldestJob = (condition: string) => `(SELECT min(j.run_at) FROM graphile_worker._private_jobs j
  WHERE ${condition} AND j.run_at < now() - interval '1 minute'
    AND j.task_id = (SELECT t.id FROM graphile_worker._private_tasks t WHERE t.identifier = 'dispatch_messages'))`;

/**
 * Continues the round of a sweep: has `act` look at messages that were due more than `ageMs` ago, before any in a backlog of
 * dispatch jobs, and that are not in the throttle queue. At the end the next run begins a new round.
 * @param act `jobs`: how many jobs the round has added so far. If it throws, the next run continues after these messages.
 */
export async function continueRound(
  sweep: "stranded" | "orphans",
  ageMs: number,
  act: (ids: string[], jobs: number) => Promise<Done>,
  { perStep = LOOKED_PER_STEP, inVainMax = IN_VAIN_MAX, signal }: RoundLimits = {},
): Promise<void> {
  let { until, ...position } = await begin(sweep, ageMs);
  for (let inVain = 0; inVain < inVainMax && !signal?.aborted; ) {
    const { looked, ids, last } = await readNext(position, until, perStep);
    const isEnd = looked < perStep;
    let done: Done = { found: 0 };
    try {
      if (ids.length > 0) done = await act(ids, position.jobs);
    } finally {
      position = isEnd ? START : { ...last, jobs: position.jobs + (done.jobs ?? 0) };
      await savePosition(sweep, position);
    }
    if (isEnd) return;
    inVain += looked - done.found;
  }
}

async function begin(sweep: string, ageMs: number): Promise<Position & { until: Date }> {
  const { rows } = await pool().query<Position & { until: Date }>({
    name: "sweeps.begin",
    text: `SELECT LEAST(now() - $2::float8 * interval '1 millisecond', ${oldestJob("j.is_available")},
               ${oldestJob("j.locked_by IS NOT NULL")}) AS until,
             COALESCE(r.due_at, $3) AS "dueAt", COALESCE(r.message_id, $4) AS id, COALESCE(r.jobs, $5) AS jobs
           FROM (SELECT) one LEFT JOIN sweep_rounds r ON r.name = $1`,
    values: [sweep, ageMs, START.dueAt, START.id, START.jobs],
  });
  const [row] = rows;
  if (!row) throw new Error("The database returned no row.");
  return row;
}

type Looked = { looked: number; ids: string[]; last: Pick<Position, "dueAt" | "id"> };

async function readNext({ dueAt, id }: Position, until: Date, limit: number): Promise<Looked> {
  const { rows } = await pool().query<{ looked: number; ids: string[] | null; dueAt: Date | null; id: string | null }>({
    name: "sweeps.look",
    text: `WITH looked AS MATERIALIZED (
             SELECT message_id, created_at FROM pending_messages
             WHERE (created_at, message_id) > ($1, $2) AND created_at < $3 ORDER BY created_at, message_id LIMIT $4)
           SELECT count(*)::int4 AS looked, max(l.created_at) AS "dueAt",
             (array_agg(l.message_id ORDER BY l.created_at DESC, l.message_id DESC))[1] AS id,
             array_agg(l.message_id ORDER BY l.created_at, l.message_id) FILTER (WHERE w.message_id IS NULL) AS ids
           FROM looked l LEFT JOIN LATERAL (
             SELECT q.message_id FROM waiting_messages q WHERE q.message_id = l.message_id OFFSET 0) w ON true`,
    values: [dueAt, id, until, limit],
  });
  const [row] = rows;
  return {
    looked: row?.looked ?? 0,
    ids: row?.ids ?? [],
    last: { dueAt: row?.dueAt ?? dueAt, id: row?.id ?? id },
  };
}

/** Where the last run of a sweep ended; {@link START}: at the end of a round. */
export async function readPosition(sweep: string): Promise<Position> {
  const { rows } = await pool().query<Position>({
    name: "sweeps.position",
    text: `SELECT due_at AS "dueAt", message_id AS id, jobs FROM sweep_rounds WHERE name = $1`,
    values: [sweep],
  });
  return rows[0] ?? START;
}

/** Notes where a run of a sweep has ended. */
export async function savePosition(sweep: string, { dueAt, id, jobs }: Position): Promise<void> {
  await pool().query({
    name: "sweeps.save",
    text: `INSERT INTO sweep_rounds (name, due_at, message_id, jobs) VALUES ($1, $2, $3, $4)
           ON CONFLICT (name) DO UPDATE SET due_at = excluded.due_at, message_id = excluded.message_id, jobs = excluded.jobs`,
    values: [sweep, dueAt, id, jobs],
  });
}
