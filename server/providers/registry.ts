/** The providers as this installation has them: settings, adapters and shared state, at most a second old. */
import { SECOND_MS } from "../core/clock";
import { pool } from "../core/db";
import { env } from "../core/env";
import { keepFresh } from "../core/fresh";
import { errorFields, log } from "../core/log";
import { onShutdown, perProcess } from "../core/process";
import { httpProvider } from "./catalogue";
import { httpAdapter } from "./http";
import { inboundSink } from "./intake";
import { reportingLosses } from "./partly-taken";
import type { Adapter, HttpProvider, Settings } from "./port";
import { sandbox } from "./sandbox";
import { PROVIDERS, type ProviderId } from "./schema";
import { type FoundSettings, findSettings } from "./settings";
import { openSmpp, type SmppSettings } from "./smpp";

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
  heldForMs: number | null;
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
  isHeld: (id: string) => boolean;
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
  heldForMs: number | null;
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
  heldForMs: null,
  probesLeft: 0,
  alarm: null,
  health: 1,
} as const;

type Opened = { key: string; adapter: Adapter & { close?: () => Promise<void> } };

/** The adapters that stand, closed in order at a stop. */
export const openAdapters = () =>
  perProcess("providers.adapters", () => {
    const made = new Map<ProviderId, Opened>();
    onShutdown(async () => {
      await Promise.all([...made.values()].map(({ adapter }) => adapter.close?.()));
    });
    return made;
  });

/** The adapter that this process used last for a provider, for whoever holds something of it and cannot read the table. */
export const standingAdapter = (id: string): Adapter | null =>
  id === "sandbox" ? sandbox() : (openAdapters().get(id as ProviderId)?.adapter ?? null);

const closeQuietly = (id: ProviderId, { adapter }: Opened) =>
  adapter.close?.().catch((thrown) => log("warn", "provider.close_failed", { provider: id, ...errorFields(thrown) }));

/** The adapter with these settings: the one that stands, or a new one when they have changed. */
function adapterWith(id: ProviderId, settings: Settings): Adapter | null {
  const key = JSON.stringify(settings);
  const known = openAdapters().get(id);
  if (known?.key === key) return known.adapter;
  const made = makeAdapter(id, settings);
  if (!made) return null;
  const adapter = reportingLosses(made, inboundSink(id).take);
  openAdapters().set(id, { key, adapter });
  if (known) void closeQuietly(id, known);
  return adapter;
}

/** A new adapter, which its caller must close when it has a `close`. */
export function makeAdapter(id: ProviderId, settings: Settings): (Adapter & { close?: () => Promise<void> }) | null {
  if (id === "smpp") {
    return openSmpp(settings as SmppSettings, inboundSink("smpp"), { responseTimeoutMs: env().PROVIDER_TIMEOUT_MS });
  }
  const provider = httpProvider(id);
  return provider && httpAdapter(provider, settings);
}

async function readTable(): Promise<ProviderTable> {
  const { rows } = await pool().query<Row>({
    name: "providers.all",
    text: `SELECT id, settings_sealed AS "settingsSealed", is_drained AS "isDrained", breaker, alarm, health,
             max_segments_per_second AS "maxSegmentsPerSecond", open_until AS "openUntil", probes_left AS "probesLeft",
             (extract(epoch FROM now() - held_since) * 1000)::float8 AS "heldForMs"
           FROM providers`,
  });
  const entries = PROVIDERS.map((id) => {
    const { settingsSealed, ...row } = rows.find((candidate) => candidate.id === id) ?? { id, ...UNTOUCHED };
    const { settings, ...found } = findSettings(id, settingsSealed);
    const isConfigured = id === "sandbox" ? env().SANDBOX : settings !== null;
    return [id, { settings, state: { ...row, ...found, id, isConfigured } satisfies ProviderState }] as const;
  });
  return makeTable(new Map(entries));
}

function makeTable(entries: Map<string, { settings: Settings | null; state: ProviderState }>): ProviderTable {
  const stateOf = (id: string) => entries.get(id)?.state ?? null;
  return {
    stateOf,
    adapterOf: (id) => {
      const entry = entries.get(id);
      if (!entry?.state.isConfigured) return null;
      if (entry.state.id === "sandbox") return sandbox();
      return entry.settings && adapterWith(entry.state.id, entry.settings);
    },
    isRoutable: (id) => stateOf(id)?.isConfigured ?? false,
    isHeld: (id) => {
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

const table = keepFresh("providers.table", FRESH_MS, readTable);

/** The providers as they are now, at most a second old. */
export const providerTable = (): Promise<ProviderTable> => table.get();

/** Has the next look read the database; to be called after a change. */
export const forgetProviders = (): void => table.forget();
