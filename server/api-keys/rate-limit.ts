import { createBatcher } from "../core/batcher";
import { MINUTE_MS } from "../core/clock";
import { pool, repeatWhenLost } from "../core/db";
import { perProcess } from "../core/process";

/** The rate limit of a key in the current minute. `resetMs`: milliseconds until the next minute. */
export type RateState = { allowed: boolean; limit: number; remaining: number; resetMs: number };

type Ask = { keyId: string; limit: number };
/** `until`: milliseconds of the process's monotonic clock. */
type Exhausted = { until: number };

const ASKS_MAX = 2_000;
/** Queue limit. One statement counts thousands of requests, so only an unavailable database fills the queue. */
const WAITING_MAX = 20_000;

/**
 * Counts one request of a key against its limit per minute. Exact over all web processes: the counter is a row in the
 * database; concurrent requests of a process share one statement.
 */
export async function countRequest(ask: Ask): Promise<RateState> {
  // An exhausted key is refused until the next minute without a query, so that a flood does not load the database.
  const spent = exhausted().get(ask.keyId);
  if (spent && spent.until > performance.now()) return refusal(ask.limit, spent.until);
  const queue = perProcess("api-keys.rate", () =>
    createBatcher(countAll, { maxWeight: ASKS_MAX, maxWaiting: WAITING_MAX }),
  );
  const state = await queue(ask);
  if (!state.allowed) {
    if (exhausted().size >= 10_000) exhausted().clear();
    exhausted().set(ask.keyId, { until: performance.now() + state.resetMs });
  }
  return state;
}

const exhausted = () => perProcess("api-keys.exhausted", () => new Map<string, Exhausted>());

const refusal = (limit: number, until: number): RateState => ({
  allowed: false,
  limit,
  remaining: 0,
  resetMs: Math.ceil(until - performance.now()),
});

async function countAll(asks: Ask[]) {
  const counts = new Map<string, number>();
  for (const { keyId } of asks) counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
  // The database's minute, so that web processes with different clocks agree. It never goes back: a statement that waits
  // for the row while the minute changes counts in the new minute.
  const count = {
    name: "api-keys.count_requests",
    text: `INSERT INTO api_key_minutes AS k (key_id, minute, used)
           SELECT id, date_trunc('minute', clock_timestamp()), n FROM unnest($1::text[], $2::int4[]) AS u (id, n) ORDER BY id
           ON CONFLICT (key_id) DO UPDATE SET minute = GREATEST(k.minute, excluded.minute),
             used = CASE WHEN k.minute >= excluded.minute THEN k.used + excluded.used ELSE excluded.used END
           RETURNING key_id AS "keyId", used,
             (extract(epoch FROM minute + interval '1 minute' - clock_timestamp()) * 1000)::int4 AS "leftMs"`,
    values: [[...counts.keys()], [...counts.values()]],
  };
  // When the connection is lost, counting a request twice is better than refusing it.
  const { rows } = await repeatWhenLost(() => pool().query<{ keyId: string; used: number; leftMs: number }>(count));
  const states = new Map(rows.map((row) => [row.keyId, { ...row, next: row.used - (counts.get(row.keyId) ?? 0) }]));
  return asks.map(({ keyId, limit }) => {
    const state = states.get(keyId);
    if (!state) return { ok: false as const, error: new Error("The request was not counted.") };
    state.next += 1;
    const resetMs = Math.min(MINUTE_MS, Math.max(0, state.leftMs));
    const remaining = Math.max(0, limit - state.next);
    return { ok: true as const, value: { allowed: state.next <= limit, limit, remaining, resetMs } };
  });
}
