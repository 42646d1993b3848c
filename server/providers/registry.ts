/** The providers as this installation has them: settings, adapters and shared state, at most a second old. */
import { setTimeout as sleep } from "node:timers/promises";
import { cachedRead } from "../core/cached-read";
import { SECOND_MS } from "../core/clock";
import { pool } from "../core/db";
import { env } from "../core/env";
import { errorFields, log } from "../core/log";
import { onShutdown, perProcess } from "../core/process";
import { sandbox } from "./adapters/sandbox";
import { httpProvider } from "./catalogue";
import { httpAdapter } from "./http/client";
import { reportingMissingParts } from "./partial-acceptance";
import type { Adapter, HttpProvider, Settings } from "./port";
import { PROVIDERS, type ProviderId } from "./schema";
import { type FoundSettings, findSettings } from "./settings";
import { createSmppAdapter, type SmppSettings } from "./smpp/adapter";
import { inboundSink } from "./store-callback";

/** A changed setting, a drain or an opened breaker holds everywhere within this time. */
const FRESH_MS = SECOND_MS;

/** What all processes know of a provider. */
export type ProviderState = Omit<FoundSettings, "settings"> & {
  id: ProviderId;
  /** It has settings that can be read (sandbox: it is switched on). */
  isConfigured: boolean;
  isDrained: boolean;
  maxSegmentsPerSecond: number | null;
  breaker: "closed" | "open" | "probing";
  openUntil: Date | null;
  /**
   * For how long, when this was read, it had been drained, open or probing without having worked in between, in
   * milliseconds of the database's clock; null: it works.
   */
  unavailableForMs: number | null;
  probesLeft: number;
  alarm: string | null;
  /** Share of their weight that routes through it keep, 0 to 1. */
  health: number;
};

export type ProviderTable = {
  stateOf: (id: string) => ProviderState | null;
  adapterOf: (id: string) => Adapter | null;
  /** Whether messages can be routed to it at all: it has credentials. */
  isRoutable: (id: string) => boolean;
  /** Whether it is to be left out for now: drained, or its breaker is open. One that is probing is asked for a probe. */
  isUnavailable: (id: string) => boolean;
  /** An HTTP provider with the settings that its callbacks are checked with. */
  callbackReader: (id: string) => { provider: HttpProvider; settings: Settings } | null;
};

type Row = {
  id: string;
  settingsSealed: string | null;
  isDrained: boolean;
  maxSegmentsPerSecond: number | null;
  breaker: ProviderState["breaker"];
  openUntil: Date | null;
  unavailableForMs: number | null;
  probesLeft: number;
  alarm: string | null;
  health: number;
};

const UNTOUCHED = {
  settingsSealed: null,
  isDrained: false,
  maxSegmentsPerSecond: null,
  breaker: "closed",
  openUntil: null,
  unavailableForMs: null,
  probesLeft: 0,
  alarm: null,
  health: 1,
} as const;

type ActiveAdapter = { key: string; adapter: Adapter & { close?: () => Promise<void> } };

/** Longest time that a stop waits for adapters to close; by then nobody hands anything over any more. */
const CLOSE_WITHIN_MS = 10 * SECOND_MS;

/** Adapters that were replaced or are without settings, until they are closed. */
const leaving = () => perProcess("providers.adapters_leaving", () => new Set<Promise<void>>());

/** The adapters that stand, closed in order at a stop. */
export const activeAdapters = () =>
  perProcess("providers.adapters", () => {
    onShutdown(closeAdapters);
    return new Map<ProviderId, ActiveAdapter>();
  });

/** Closes every adapter, each when what it has under way is over, and waits for that for a bounded time. */
export async function closeAdapters(): Promise<void> {
  for (const [id, opened] of activeAdapters()) leave(id, opened);
  const isOver = new AbortController();
  const late = sleep(CLOSE_WITHIN_MS, undefined, { signal: isOver.signal }).catch(() => undefined);
  await Promise.race([Promise.all(leaving()), late]);
  isOver.abort();
}

/** Closes an adapter when what it has under way is over; nothing waits for that but a stop. */
function leave(id: ProviderId, { adapter }: ActiveAdapter): void {
  if (!adapter.close) return;
  const closed: Promise<void> = adapter
    .close()
    .catch((thrown) => log("warn", "provider.close_failed", { provider: id, ...errorFields(thrown) }))
    .finally(() => leaving().delete(closed));
  leaving().add(closed);
}

/** The adapter with these settings: the one that stands, or a new one when they have changed. */
function adapterWith(id: ProviderId, settings: Settings): Adapter | null {
  const key = JSON.stringify(settings);
  const known = activeAdapters().get(id);
  if (known?.key === key) return known.adapter;
  const made = makeAdapter(id, settings);
  if (!made) return null;
  const adapter = reportingMissingParts(made, inboundSink(id).take);
  activeAdapters().set(id, { key, adapter });
  if (known) leave(id, known);
  return adapter;
}

/** A new adapter, which its caller must close when it has a `close`. */
export function makeAdapter(id: ProviderId, settings: Settings): (Adapter & { close?: () => Promise<void> }) | null {
  if (id === "smpp") {
    return createSmppAdapter(settings as SmppSettings, inboundSink("smpp"), {
      responseTimeoutMs: env().PROVIDER_TIMEOUT_MS,
    });
  }
  const provider = httpProvider(id);
  return provider && httpAdapter(provider, settings);
}

type Entries = ReadonlyMap<string, { settings: Settings | null; state: ProviderState }>;

/**
 * What was read last in this process. Adapters follow it alone: whoever still holds a table from before a change must not
 * bring back what it took away.
 */
const newest = () => perProcess("providers.newest", () => ({ begun: 0, read: 0, entries: new Map() as Entries }));

/** Makes what was read the newest, unless a later reading has ended before, and takes away what has no settings now. */
function follow(reading: number, entries: Entries): void {
  const own = newest();
  if (reading < own.read) return;
  own.read = reading;
  own.entries = entries;
  for (const [id, opened] of activeAdapters()) {
    if (entries.get(id)?.settings) continue;
    activeAdapters().delete(id);
    leave(id, opened);
    log("info", "provider.adapter_closed", { provider: id });
  }
}

async function readTable(): Promise<ProviderTable> {
  newest().begun += 1;
  const reading = newest().begun;
  const { rows } = await pool().query<Row>({
    name: "providers.all",
    text: `SELECT id, settings_sealed AS "settingsSealed", is_drained AS "isDrained", breaker, alarm, health,
             max_segments_per_second AS "maxSegmentsPerSecond", open_until AS "openUntil", probes_left AS "probesLeft",
             (extract(epoch FROM now() - held_since) * 1000)::float8 AS "unavailableForMs"
           FROM providers`,
  });
  const entries = PROVIDERS.map((id) => {
    const { settingsSealed, ...row } = rows.find((candidate) => candidate.id === id) ?? { id, ...UNTOUCHED };
    const { settings, ...found } = findSettings(id, settingsSealed);
    const isConfigured = id === "sandbox" ? env().SANDBOX : settings !== null;
    return [id, { settings, state: { ...row, ...found, id, isConfigured } satisfies ProviderState }] as const;
  });
  const read: Entries = new Map(entries);
  follow(reading, read);
  return makeTable(read);
}

function makeTable(entries: Entries): ProviderTable {
  const stateOf = (id: string) => entries.get(id)?.state ?? null;
  return {
    stateOf,
    adapterOf: (id) => {
      const entry = entries.get(id);
      if (!entry?.state.isConfigured) return null;
      if (entry.state.id === "sandbox") return sandbox();
      const settings = newest().entries.get(id)?.settings;
      return settings ? adapterWith(entry.state.id, settings) : null;
    },
    isRoutable: (id) => stateOf(id)?.isConfigured ?? false,
    isUnavailable: (id) => {
      const state = stateOf(id);
      return state?.isDrained === true || state?.breaker === "open";
    },
    callbackReader: (id) => {
      const provider = httpProvider(id);
      const settings = entries.get(id)?.settings;
      return provider && settings ? { provider, settings } : null;
    },
  };
}

const table = cachedRead("providers.table", FRESH_MS, readTable);

/** The providers as they are now, at most a second old. */
export const providerTable = (): Promise<ProviderTable> => table.get();

/** Has the next look read the database; to be called after a change. */
export const forgetProviders = (): void => table.forget();
