/**
 * What happens with each provider, counted in this process and added to the shared counters of the minute about once a
 * second. A crash loses that second; nothing that must be exact stands here.
 */
import { pool } from "../../core/db";
import { errorFields, log } from "../../core/log";
import { onShutdown, perProcess } from "../../core/process";
import type { SendOutcome } from "../port";

/** A call that takes longer counts as slow. */
const SLOW_MS = 5_000;
const FLUSH_MS = 1_000;

const COLUMNS = [
  "accepted",
  "refused",
  "failed",
  "throttled",
  "account_refused",
  "message_refused",
  "unknown",
  "latency_ms",
  "slow",
  "receipts",
  "receipts_forged",
  "receipts_stale",
  "receipts_replayed",
  "receipts_unreadable",
] as const;

type Column = (typeof COLUMNS)[number];
type Counts = Partial<Record<Column, number>>;

const OF_FAULT = {
  provider: "failed",
  throttled: "throttled",
  account: "account_refused",
  message: "message_refused",
} as const;

/** What is counted and not yet added; see {@link flushCounts}. */
export const openCounts = () =>
  perProcess("providers.counts", () => {
    const own = { counts: new Map<string, Counts>(), timer: null as NodeJS.Timeout | null };
    onShutdown(async () => {
      if (own.timer) clearTimeout(own.timer);
      await flushCounts();
    });
    return own;
  });

function add(provider: string, added: Counts): void {
  const own = openCounts();
  const counts = own.counts.get(provider) ?? {};
  own.counts.set(provider, counts);
  for (const column of COLUMNS) {
    const by = added[column];
    if (by) counts[column] = (counts[column] ?? 0) + by;
  }
  own.timer ??= setTimeout(() => {
    own.timer = null;
    flushCounts().catch((thrown) => log("warn", "provider.counts_lost", errorFields(thrown)));
  }, FLUSH_MS).unref();
}

/** Counts how a hand-over ended. */
export function countOutcome(provider: string, outcome: SendOutcome, latencyMs: number): void {
  const column = outcome.kind === "retryable" ? OF_FAULT[outcome.fault] : outcome.kind;
  add(provider, { [column]: 1, latency_ms: Math.round(latencyMs), slow: latencyMs > SLOW_MS ? 1 : 0 });
}

/** Counts a callback, by what became of it. */
export const countCallback = (
  provider: string,
  column: "receipts" | "receipts_forged" | "receipts_stale" | "receipts_replayed" | "receipts_unreadable",
): void => add(provider, { [column]: 1 });

/** Adds what was counted to the shared counters. */
export async function flushCounts(): Promise<void> {
  const own = openCounts();
  const taken = [...own.counts].sort(([one], [other]) => (one < other ? -1 : 1));
  if (taken.length === 0) return;
  own.counts.clear();
  const sums = COLUMNS.map((column) => `${column} = m.${column} + excluded.${column}`).join(", ");
  const arrays = COLUMNS.map((_, at) => `$${at + 2}::int8[]`).join(", ");
  await pool().query({
    name: "providers.count",
    text: `INSERT INTO provider_minutes AS m (provider, minute, ${COLUMNS.join(", ")})
           SELECT provider, date_trunc('minute', now()), ${COLUMNS.join(", ")}
           FROM unnest($1::text[], ${arrays}) AS c (provider, ${COLUMNS.join(", ")})
           ON CONFLICT (provider, minute) DO UPDATE SET ${sums}`,
    values: [
      taken.map(([provider]) => provider),
      ...COLUMNS.map((column) => taken.map(([, counts]) => counts[column] ?? 0)),
    ],
  });
}
