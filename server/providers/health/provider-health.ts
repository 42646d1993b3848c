/**
 * The shared state of providers, written by workers: a breaker opens by what one worker sees and holds for all of them
 * within a second, because it stands in the database.
 */
import { pool } from "../../core/db";
import { log } from "../../core/log";
import { perProcess } from "../../core/process";
import { storableText } from "../../core/wire";
import type { SendOutcome } from "../port";
import { forgetProviders, type ProviderState, providerTable } from "../registry";
import { PROVIDERS } from "../schema";
import { healthOf, observe, openForMs, PROBES, signOf, type Window } from "./breaker";
import { countOutcome, flushCounts } from "./counts";

const ALARM_MAX = 300;

const windowOf = (provider: string): Window => perProcess(`providers.window.${provider}`, () => []);

/** Takes note of how a hand-over ended: counts it, and opens or closes the provider's breaker where it must be. */
export async function noteOutcome(state: ProviderState, outcome: SendOutcome, latencyMs: number): Promise<void> {
  countOutcome(state.id, outcome, latencyMs);
  // The sandbox fails when it is told to.
  const sign = state.id === "sandbox" ? null : signOf(outcome);
  if (!sign) {
    // It says nothing of the provider: another message may try it out.
    if (state.breaker === "probing") await giveBackProbes(state.id, 1);
    return;
  }
  const window = windowOf(state.id);
  if (sign === "worked") {
    observe(window, sign, performance.now());
    if (state.breaker !== "closed") await closeBreaker(state.id);
    return;
  }
  const isOver = observe(window, sign, performance.now()) || state.breaker === "probing";
  if (!isOver || outcome.kind === "accepted") return;
  window.length = 0;
  await openBreaker(state.id, `${outcome.code}: ${outcome.detail}`);
}

/** Opens a breaker that is not open already; each time in a row it waits longer. */
async function openBreaker(provider: string, alarm: string): Promise<void> {
  const { rows } = await pool().query<{ opens: number }>({
    name: "providers.open",
    text: `INSERT INTO providers AS p (id, breaker, opens, open_until, alarm, updated_at)
           VALUES ($1, 'open', 1, now() + $3::float8 * interval '1 millisecond', $2, now())
           ON CONFLICT (id) DO UPDATE SET breaker = 'open', opens = p.opens + 1, alarm = excluded.alarm,
             open_until = now() + ($4::float8[])[LEAST(p.opens, 10) + 1] * interval '1 millisecond', updated_at = now()
           WHERE p.breaker <> 'open' RETURNING opens`,
    values: [
      provider,
      storableText(alarm, ALARM_MAX),
      openForMs(0),
      Array.from({ length: 11 }, (_, opens) => openForMs(opens)),
    ],
  });
  forgetProviders();
  if (rows[0]) log("error", "provider.breaker_opened", { provider, opens: rows[0].opens, alarm });
}

async function closeBreaker(provider: string): Promise<void> {
  const { rowCount } = await pool().query({
    name: "providers.close",
    text: `UPDATE providers SET breaker = 'closed', opens = 0, open_until = NULL, probes_left = 0, alarm = NULL,
             updated_at = now() WHERE id = $1 AND breaker = 'probing'`,
    values: [provider],
  });
  if (rowCount === 0) return;
  forgetProviders();
  log("warn", "provider.breaker_closed", { provider });
}

/**
 * Asks to be the one who tries out a provider that is probing, with up to `count` messages. What is not used is to be
 * given back. @returns how many may.
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

/** Gives back probes with which the provider was not called, or of which nothing was learned. */
export async function giveBackProbes(provider: string, count: number): Promise<void> {
  if (count <= 0) return;
  await pool().query({
    name: "providers.give_back_probes",
    text: `UPDATE providers SET probes_left = LEAST(probes_left + $2::int4, $3::int4), updated_at = now()
           WHERE id = $1 AND breaker = 'probing'`,
    values: [provider, count, PROBES],
  });
}

/** A probe whose worker died is given out again after this time. */
const PROBE_LOST_AFTER_S = 150;

/** About once a second in each worker: counters, breakers whose wait is over, health, and binds that should stand. */
export async function updateProviderHealth(): Promise<void> {
  await flushCounts();
  const { rowCount } = await pool().query({
    name: "providers.begin_probing",
    text: `UPDATE providers SET breaker = 'probing', probes_left = $1, updated_at = now()
           WHERE (breaker = 'open' AND open_until <= now())
              OR (breaker = 'probing' AND probes_left = 0 AND updated_at < now() - $2 * interval '1 second')`,
    values: [PROBES, PROBE_LOST_AFTER_S],
  });
  const { rowCount: turned } = await pool().query({
    name: "providers.held_since",
    text: `UPDATE providers SET held_since = CASE WHEN is_drained OR breaker <> 'closed' THEN now() END
           WHERE (held_since IS NULL) = (is_drained OR breaker <> 'closed')`,
  });
  if (rowCount || turned) forgetProviders();
  const table = await providerTable();
  // A bind must stand before the first message is sent, because receipts come through it.
  for (const id of PROVIDERS) table.adapterOf(id);
  await writeHealth(table.stateOf);
}

async function writeHealth(stateOf: (id: string) => ProviderState | null): Promise<void> {
  const { rows } = await pool().query<{ provider: string; worked: number; failed: number; slow: number }>({
    name: "providers.record",
    text: `SELECT provider, sum(accepted + refused)::int4 AS worked, sum(failed + unknown + account_refused)::int4 AS failed,
             sum(slow)::int4 AS slow
           FROM provider_minutes WHERE minute >= date_trunc('minute', now()) - interval '1 minute' GROUP BY provider`,
  });
  const changed = PROVIDERS.flatMap((id) => {
    const record = rows.find((row) => row.provider === id) ?? { worked: 0, failed: 0, slow: 0 };
    const health = healthOf(record);
    return health === (stateOf(id)?.health ?? 1) ? [] : [{ id, health }];
  });
  if (changed.length === 0) return;
  await pool().query({
    name: "providers.health",
    text: `INSERT INTO providers (id, health) SELECT * FROM unnest($1::text[], $2::float8[]) ORDER BY 1
           ON CONFLICT (id) DO UPDATE SET health = excluded.health`,
    values: [changed.map((entry) => entry.id), changed.map((entry) => entry.health)],
  });
  forgetProviders();
}
