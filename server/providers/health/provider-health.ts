/**
 * The shared state of providers, written by workers. It is in the database, so a breaker that one worker opens holds
 * for all workers within a second.
 */
import { pool } from "../../core/db";
import { log } from "../../core/log";
import { defineProcessValue } from "../../core/process";
import { unnest } from "../../core/unnest";
import { storableText } from "../../core/wire";
import type { SendOutcome } from "../port";
import { invalidateProviders, type ProviderState, providerTable } from "../registry";
import { PROVIDERS } from "../schema";
import { type CallCounts, type HealthWindow, healthOf, healthSignalOf, observe, openForMs, PROBES } from "./breaker";
import { countOutcome, flushCounts } from "./counts";

/** Longest stored last error, in characters. */
const LAST_ERROR_MAX = 300;

const windows = defineProcessValue("providers.windows", () => new Map<string, HealthWindow>());

/** The latest signals of a provider in this process. */
function windowOf(provider: string): HealthWindow {
  const window = windows().get(provider) ?? [];
  windows().set(provider, window);
  return window;
}

/**
 * Counts the outcome of an attempt, and opens or closes the provider's breaker if needed. Calls that were under way when it opened
 * may end while the provider is half-open: one that worked closes the breaker, but only a probe that failed opens it again.
 * @param made `latencyMs` of the call; `isProbe`: whether it has taken a probe.
 */
export async function noteOutcome(
  state: ProviderState,
  outcome: SendOutcome,
  { latencyMs, isProbe = false }: { latencyMs: number; isProbe?: boolean | undefined },
): Promise<void> {
  countOutcome(state.id, outcome, latencyMs);
  // The sandbox fails on request only.
  const signal = state.id === "sandbox" ? null : healthSignalOf(outcome);
  if (!signal) {
    // The outcome shows nothing about the provider, so another message may be the probe.
    if (isProbe) await returnProbes(state.id, 1);
    return;
  }
  const window = windowOf(state.id);
  if (signal === "worked") {
    observe(window, signal, performance.now());
    if (state.breaker !== "closed") await closeBreaker(state.id);
    return;
  }
  const mustOpen = observe(window, signal, performance.now()) || (isProbe && state.breaker !== "closed");
  if (!mustOpen || outcome.kind === "accepted") return;
  window.length = 0;
  await openBreaker(state.id, `${outcome.code}: ${outcome.detail}`);
}

/** Opens a breaker that is not open already; it stays open for longer each time in a row. */
async function openBreaker(provider: string, lastError: string): Promise<void> {
  const { rows } = await pool().query<{ opens: number }>({
    name: "providers.open",
    text: `INSERT INTO providers AS p (id, breaker, opens, open_until, last_error, updated_at)
           VALUES ($1, 'open', 1, now() + $3::float8 * interval '1 millisecond', $2, now())
           ON CONFLICT (id) DO UPDATE SET breaker = 'open', opens = p.opens + 1, last_error = excluded.last_error,
             open_until = now() + ($4::float8[])[LEAST(p.opens, 10) + 1] * interval '1 millisecond', updated_at = now()
           WHERE p.breaker <> 'open' RETURNING opens`,
    values: [
      provider,
      storableText(lastError, LAST_ERROR_MAX),
      openForMs(0),
      Array.from({ length: 11 }, (_, opens) => openForMs(opens)),
    ],
  });
  invalidateProviders();
  if (rows[0]) log("error", "provider.breaker_opened", { provider, opens: rows[0].opens, alarm: lastError });
}

async function closeBreaker(provider: string): Promise<void> {
  const { rowCount } = await pool().query({
    name: "providers.close",
    text: `UPDATE providers SET breaker = 'closed', opens = 0, open_until = NULL, probes_left = 0, last_error = NULL,
             updated_at = now() WHERE id = $1 AND breaker = 'probing'`,
    values: [provider],
  });
  if (rowCount === 0) return;
  invalidateProviders();
  log("warn", "provider.breaker_closed", { provider });
}

/**
 * Takes up to `count` probes of a half-open provider. Probes that are not used must be returned.
 * @returns the number of messages that may be sent there.
 */
export async function takeProbes(provider: string, count: number): Promise<number> {
  const { rows } = await pool().query<{ taken: number }>({
    name: "providers.take_probes",
    text: `WITH own AS (SELECT id, LEAST(probes_left, $2::int4) AS taken FROM providers
                       WHERE id = $1 AND breaker = 'probing' AND probes_left > 0 FOR UPDATE)
           UPDATE providers p SET probes_left = p.probes_left - own.taken, updated_at = now()
           FROM own WHERE p.id = own.id RETURNING own.taken`,
    values: [provider, count],
  });
  return rows[0]?.taken ?? 0;
}

/** Returns probes with which the provider was not called, or whose outcome shows nothing about it. */
export async function returnProbes(provider: string, count: number): Promise<void> {
  if (count <= 0) return;
  await pool().query({
    name: "providers.give_back_probes",
    text: `UPDATE providers SET probes_left = LEAST(probes_left + $2::int4, $3::int4), updated_at = now()
           WHERE id = $1 AND breaker = 'probing'`,
    values: [provider, count, PROBES],
  });
}

/**
 * Returns the probes that a dead worker had taken, whose outcome nobody knows. Only those of its attempts that were claimed since the
 * breaker's wait was over are probes; earlier ones were under way when it opened. Returning those too would let more messages probe
 * the provider at once.
 * @param claimedAt when its attempts at the provider were claimed, by the database's clock.
 */
export async function returnProbesOfDead(provider: string, claimedAt: readonly Date[]): Promise<void> {
  await pool().query({
    name: "providers.give_back_probes_of_dead",
    text: `UPDATE providers p SET probes_left = LEAST(p.probes_left + lost.count, $3::int4), updated_at = now()
           FROM (SELECT count(*)::int4 AS count FROM providers o JOIN unnest($2::timestamptz[]) AS t (claimed_at)
               ON o.open_until IS NULL OR t.claimed_at >= o.open_until WHERE o.id = $1) lost
           WHERE p.id = $1 AND p.breaker = 'probing' AND lost.count > 0`,
    values: [provider, claimedAt.map((at) => at.toISOString()), PROBES],
  });
}

/** Probes can be taken again after this time, even if their attempts are still open. */
const PROBE_LOST_AFTER_S = 150;
/** Time in which a worker claims an attempt with a probe that it has taken, usually milliseconds. */
const PROBE_CLAIMED_WITHIN_S = 10;

/**
 * A row with a time this far ahead was written before the database's clock was set back. Its wait would last until the clock
 * reaches that time again.
 */
const SET_BACK_S = 60;

/**
 * SQL: whether probes that were taken long ago have no open attempt. Their worker died before it claimed one or after it recorded the
 * outcome, or did not hear that it has them.
 */
const NOBODY_PROBES = `CASE WHEN updated_at < now() - $4 * interval '1 second' THEN NOT EXISTS (
    SELECT FROM message_attempts a WHERE a.outcome IS NULL AND a.provider = providers.id
      AND a.started_at >= COALESCE(providers.open_until, '-infinity')) END`;

/** SQL: whether the wait of a breaker is over, or the probes of a half-open one are lost. */
const MUST_PROBE = `((breaker = 'open' OR (breaker = 'probing' AND probes_left = 0))
  AND (CASE breaker WHEN 'open' THEN open_until <= now()
      ELSE updated_at < now() - $2 * interval '1 second' OR ${NOBODY_PROBES} END
    OR updated_at > now() + $3 * interval '1 second'))`;
const IS_UNAVAILABLE = "(is_drained OR breaker <> 'closed')";

/** Moves breakers whose wait is over, and reads the counts of the last minutes, in one statement: every worker does so each second. */
async function tendBreakers(): Promise<{ tended: number; counts: Map<string, CallCounts> }> {
  const { rows } = await pool().query<CallCounts & { tended: number; provider: string | null }>({
    name: "providers.tend",
    text: `WITH tended AS (
             UPDATE providers SET breaker = CASE WHEN ${MUST_PROBE} THEN 'probing' ELSE breaker END,
               probes_left = CASE WHEN ${MUST_PROBE} THEN $1::int4 ELSE probes_left END,
               updated_at = CASE WHEN ${MUST_PROBE} THEN now() ELSE updated_at END,
               unavailable_since = CASE WHEN ${IS_UNAVAILABLE} THEN COALESCE(unavailable_since, now()) END
             WHERE ${MUST_PROBE} OR (unavailable_since IS NULL) = ${IS_UNAVAILABLE} RETURNING id),
           record AS (
             SELECT provider, sum(accepted + refused)::int4 AS worked, sum(failed + unknown + account_refused)::int4 AS failed,
               sum(slow)::int4 AS slow
             FROM provider_minutes WHERE minute >= date_trunc('minute', now()) - interval '1 minute' GROUP BY provider)
           SELECT t.count AS tended, record.* FROM (SELECT count(*)::int4 AS count FROM tended) t LEFT JOIN record ON true`,
    values: [PROBES, PROBE_LOST_AFTER_S, SET_BACK_S, PROBE_CLAIMED_WITHIN_S],
  });
  const counts = rows.flatMap(({ provider, worked, failed, slow }) =>
    provider === null ? [] : [[provider, { worked, failed, slow }] as const],
  );
  return { tended: rows[0]?.tended ?? 0, counts: new Map(counts) };
}

/** Run about once a second by each worker: counters, breakers whose wait is over, health, and standing connections. */
export async function updateProviderHealth(): Promise<void> {
  await flushCounts();
  // A provider that is being probed is as unavailable as before.
  const { tended, counts } = await tendBreakers();
  if (tended > 0) invalidateProviders();
  const table = await providerTable();
  // A bind must be established before the first message is sent, because receipts arrive through it.
  for (const id of PROVIDERS) table.openAdapter(id);
  await writeHealth(table.stateOf, counts);
}

const healthRows = unnest<{ id: string; health: number }>({
  id: ["text", ({ id }) => id],
  health: ["float8", ({ health }) => health],
});

async function writeHealth(
  stateOf: (id: string) => ProviderState | null,
  counts: ReadonlyMap<string, CallCounts>,
): Promise<void> {
  const changed = PROVIDERS.flatMap((id) => {
    const health = healthOf(counts.get(id) ?? { worked: 0, failed: 0, slow: 0 });
    return health === (stateOf(id)?.health ?? 1) ? [] : [{ id, health }];
  });
  if (changed.length === 0) return;
  await pool().query({
    name: "providers.health",
    text: `INSERT INTO providers (id, health) SELECT * FROM ${healthRows.sql} ORDER BY 1
           ON CONFLICT (id) DO UPDATE SET health = excluded.health`,
    values: healthRows.values(changed),
  });
  invalidateProviders();
}
