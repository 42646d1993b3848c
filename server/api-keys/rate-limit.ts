import { createBatcher } from "../core/batcher";
import { MINUTE_MS } from "../core/clock";
import { pool, repeatWhenLost } from "../core/db";
import { defineProcessValue } from "../core/process";

/** Where a key stands in its current minute. `resetMs` is the time to the next one. */
export type RateState = { allowed: boolean; limit: number; remaining: number; resetMs: number };

type Ask = { keyId: string; limit: number };
/** `until`: milliseconds of the process's monotonic clock. */
type Exhausted = { until: number };

const ASKS_MAX = 2_000;
/** Requests that wait to be counted. One statement counts thousands, so only a database that is away gathers as many. */
const WAITING_MAX = 20_000;

const countQueue = defineProcessValue("api-keys.rate", () =>
  createBatcher(countAll, { maxWeight: ASKS_MAX, maxWaiting: WAITING_MAX }),
);

/**
 * Counts one request of a key against its limit per minute. Exact over all web processes: the count is a row in the
 * database, and concurrent requests of a process are counted by one statement.
 */
export async function countRequest(ask: Ask): Promise<RateState> {
  // A key that has used up its minute stays refused until the next; asking the database again would only help a flood.
  const spent = exhausted().get(ask.keyId);
  if (spent && spent.until > performance.now()) return refusal(ask.limit, spent.until);
  const state = await countQueue()(ask);
  if (!state.allowed) {
    if (exhausted().size >= 10_000) exhausted().clear();
    exhausted().set(ask.keyId, { until: performance.now() + state.resetMs });
  }
  return state;
}

const exhausted = defineProcessValue("api-keys.exhausted", () => new Map<string, Exhausted>());

const refusal = (limit: number, until: number): RateState => ({
  allowed: false,
  limit,
  remaining: 0,
  resetMs: Math.ceil(until - performance.now()),
});

async function countAll(asks: Ask[]) {
  const counts = new Map<string, number>();
  for (const { keyId } of asks) counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
  // The minute is the database's, so that web processes with other clocks agree on it. It never runs back: a statement
  // that waited for the row over the change of the minute counts in the new one.
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
  // Counting a request twice when the database goes away is better than refusing it.
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
