/** The providers of this installation: settings, adapters and shared state, at most a second old. */
import { setTimeout as sleep } from "node:timers/promises";
import { cachedRead } from "../core/cached-read";
import { SECOND_MS } from "../core/clock";
import { pool } from "../core/db";
import { env } from "../core/env";
import { isTestAccount } from "../core/ids";
import { errorFields, log } from "../core/log";
import { defineProcessValue, onShutdown } from "../core/process";
import { sandbox } from "./adapters/sandbox";
import { httpProvider } from "./catalogue";
import { httpAdapter } from "./http/client";
import { reportingMissingParts } from "./partial-acceptance";
import type { Adapter, HttpProvider, Settings } from "./port";
import type { ReceiptRotation } from "./receipt-url";
import { PROVIDERS, type ProviderId } from "./schema";
import { type FoundSettings, findSettings } from "./settings";
import { createSmppAdapter } from "./smpp/adapter";
import type { SmppSettings } from "./smpp/settings";
import { inboundSink } from "./store-callback";
import { storedToken } from "./stored-token";

/** A change of settings, a drain or an opened breaker takes effect everywhere within this time. */
const FRESH_MS = SECOND_MS;

/** The state of a provider that all processes share. */
export type ProviderState = Omit<FoundSettings, "settings"> & {
  id: ProviderId;
  /** It has valid settings (sandbox: it is switched on). */
  isConfigured: boolean;
  isDrained: boolean;
  maxSegmentsPerSecond: number | null;
  breaker: "closed" | "open" | "probing";
  openUntil: Date | null;
  /**
   * Milliseconds, by the database's clock, for which it had been drained, open or half-open without a break when this
   * was read; null: it works.
   */
  unavailableForMs: number | null;
  /** The last error that opened its breaker. */
  lastError: string | null;
  /** Share of their weight that routes through it keep, 0 to 1. */
  health: number;
} & ReceiptRotation;

export type ProviderTable = {
  stateOf: (id: string) => ProviderState | null;
  /**
   * The adapter of a provider; null when it is not configured. The sandbox always has one, for test mode. Opens its connections (the
   * binds of SMPP) if they are not open yet, and replaces the adapter if the settings have changed. Reading the table alone opens
   * nothing: the web process reads it too, and must not bind.
   */
  openAdapter: (id: string) => Adapter | null;
  /** Whether live messages can be routed to it at all: it is configured. */
  isRoutable: (id: string) => boolean;
  /** Whether an account may name it: it is routable, or the sandbox in test mode. */
  isOpenTo: (id: string, accountId: string) => boolean;
  /**
   * Whether it gets no messages from this process now: it is drained, its breaker is open, or its settings cannot be opened here. A
   * half-open one gets probes.
   */
  isUnavailable: (id: string) => boolean;
  /** An HTTP provider with the settings that verify its callbacks. */
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
  lastError: string | null;
  health: number;
} & ReceiptRotation;

const UNTOUCHED = {
  settingsSealed: null,
  isDrained: false,
  maxSegmentsPerSecond: null,
  breaker: "closed",
  openUntil: null,
  unavailableForMs: null,
  lastError: null,
  health: 1,
  receiptRotation: 0,
  isFormerReceiptUrlValid: false,
} as const;

type ActiveAdapter = { key: string; adapter: Adapter & { close?: () => Promise<void> } };

/** Longest wait of a stop for adapters to close; by then no attempts are made any more. */
const CLOSE_WITHIN_MS = 10 * SECOND_MS;

/** Closing of adapters that were replaced or have lost their settings. */
const closing = defineProcessValue("providers.adapters_leaving", () => new Set<Promise<void>>());

/** The open adapters, closed at a stop. */
export const activeAdapters = defineProcessValue("providers.adapters", () => {
  onShutdown(closeAdapters);
  return new Map<ProviderId, ActiveAdapter>();
});

/** Closes all adapters after their calls under way, and waits for that for {@link CLOSE_WITHIN_MS} at most. */
export async function closeAdapters(): Promise<void> {
  for (const [id, opened] of activeAdapters()) closeInBackground(id, opened);
  const isOver = new AbortController();
  const late = sleep(CLOSE_WITHIN_MS, undefined, { signal: isOver.signal }).catch(() => undefined);
  await Promise.race([Promise.all(closing()), late]);
  isOver.abort();
}

/** Closes an adapter after its calls under way; only a stop waits for that. */
function closeInBackground(id: ProviderId, { adapter }: ActiveAdapter): void {
  if (!adapter.close) return;
  const closed: Promise<void> = adapter
    .close()
    .catch((thrown) => log("warn", "provider.close_failed", { provider: id, ...errorFields(thrown) }))
    .finally(() => closing().delete(closed));
  closing().add(closed);
}

/** The open adapter with these settings, or a new one if they have changed. */
function openWith(id: ProviderId, settings: Settings): Adapter | null {
  const key = JSON.stringify(settings);
  const current = activeAdapters().get(id);
  if (current?.key === key) return current.adapter;
  const made = makeAdapter(id, settings);
  if (!made) return null;
  const adapter = reportingMissingParts(made, inboundSink(id).take);
  activeAdapters().set(id, { key, adapter });
  if (current) closeInBackground(id, current);
  return adapter;
}

/** A new adapter, null for an unknown provider. Its caller must close it if it has a `close`. */
export function makeAdapter(id: ProviderId, settings: Settings): (Adapter & { close?: () => Promise<void> }) | null {
  if (id === "smpp") {
    return createSmppAdapter(settings as SmppSettings, inboundSink("smpp"), {
      responseTimeoutMs: env().PROVIDER_TIMEOUT_MS,
    });
  }
  const provider = httpProvider(id);
  return provider && httpAdapter(provider, settings, storedToken);
}

type Entries = ReadonlyMap<string, { settings: Settings | null; state: ProviderState }>;

/**
 * The latest read of the settings in this process. Adapters follow only this one: a table read before a change must not reopen an
 * adapter that the change has closed. `begun`: number of the last read; `read`: number of the newest finished one.
 */
const newest = defineProcessValue("providers.newest", () => ({ begun: 0, read: 0, entries: new Map() as Entries }));

/** Publishes a read, unless a later one has finished before, and closes adapters that have no settings any more. */
function publish(reading: number, entries: Entries): void {
  const own = newest();
  if (reading < own.read) return;
  own.read = reading;
  own.entries = entries;
  for (const [id, opened] of activeAdapters()) {
    if (entries.get(id)?.settings) continue;
    activeAdapters().delete(id);
    closeInBackground(id, opened);
    log("info", "provider.adapter_closed", { provider: id });
  }
}

async function readTable(): Promise<ProviderTable> {
  newest().begun += 1;
  const reading = newest().begun;
  const { rows } = await pool().query<Row>({
    name: "providers.all",
    text: `SELECT id, settings_sealed AS "settingsSealed", is_drained AS "isDrained", breaker, last_error AS "lastError", health,
             max_segments_per_second AS "maxSegmentsPerSecond", open_until AS "openUntil",
             (extract(epoch FROM now() - unavailable_since) * 1000)::float8 AS "unavailableForMs",
             receipt_rotation AS "receiptRotation",
             coalesce(receipt_rotated_at > now() - make_interval(days => $1), false) AS "isFormerReceiptUrlValid"
           FROM providers`,
    values: [env().RECEIPT_PATH_DAYS],
  });
  const entries = PROVIDERS.map((id) => {
    const { settingsSealed, ...row } = rows.find((candidate) => candidate.id === id) ?? { id, ...UNTOUCHED };
    const { settings, ...found } = findSettings(id, settingsSealed);
    const isConfigured = id === "sandbox" ? env().SANDBOX : settings !== null;
    return [id, { settings, state: { ...row, ...found, id, isConfigured } satisfies ProviderState }] as const;
  });
  const read: Entries = new Map(entries);
  publish(reading, read);
  return makeTable(read);
}

function makeTable(entries: Entries): ProviderTable {
  const stateOf = (id: string) => entries.get(id)?.state ?? null;
  const isRoutable = (id: string) => stateOf(id)?.isConfigured ?? false;
  return {
    stateOf,
    openAdapter: (id) => {
      if (id === "sandbox") return sandbox();
      const entry = entries.get(id);
      if (!entry?.state.isConfigured) return null;
      const settings = newest().entries.get(id)?.settings;
      return settings ? openWith(entry.state.id, settings) : null;
    },
    isRoutable,
    isOpenTo: (id, accountId) => (id === "sandbox" ? isSandboxOpenTo(accountId) : isRoutable(id)),
    isUnavailable: (id) => {
      const state = stateOf(id);
      return state?.isDrained === true || state?.breaker === "open" || state?.isUnreadable === true;
    },
    callbackReader: (id) => {
      const provider = httpProvider(id);
      const settings = entries.get(id)?.settings;
      return provider && settings ? { provider, settings } : null;
    },
  };
}

const table = cachedRead("providers.table", FRESH_MS, readTable);

/** The providers, at most a second old. */
export const providerTable = (): Promise<ProviderTable> => table.get();

/** Whether the sandbox may take messages of an account: those of test mode always, live ones if it is switched on. */
export const isSandboxOpenTo = (accountId: string): boolean => env().SANDBOX || isTestAccount(accountId);

/** Makes the next {@link providerTable} read the database; call it after a change. */
export const invalidateProviders = (): void => table.invalidate();
