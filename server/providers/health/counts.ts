/**
 * Statistics of each provider: counted in this process and added to the shared counters of the minute about once a
 * second. A crash loses that second, so nothing that must be exact is counted here.
 */
import { pool } from "../../core/db";
import { errorFields, log } from "../../core/log";
import { defineProcessValue, onShutdown } from "../../core/process";
import { unnest } from "../../core/unnest";
import { isEgressCode } from "../../egress/proxy-error";
import { observeCall } from "../../observability/messages";
import type { SendOutcome } from "../port";

/** A longer call counts as slow. */
const SLOW_MS = 5_000;
const FLUSH_MS = 1_000;

const COLUMNS = [
  "accepted",
  "refused",
  "failed",
  "throttled",
  "account_refused",
  "message_refused",
  "egress_failed",
  "unknown",
  "latency_ms",
  "slow",
  "receipts",
  "receipts_forged",
  "receipts_stale",
  "receipts_replayed",
  "receipts_unreadable",
  "receipts_blocked",
] as const;

type Column = (typeof COLUMNS)[number];
type Counts = Partial<Record<Column, number>>;

const OF_FAULT = {
  provider: "failed",
  throttled: "throttled",
  account: "account_refused",
  message: "message_refused",
} as const;

/** Counts that are not in the database yet, flushed once more at a stop; see {@link flushCounts}. */
export const unflushedCounts = defineProcessValue("providers.counts", () => {
  const own = {
    counts: new Map<string, Counts>(),
    timer: null as NodeJS.Timeout | null,
    /** The last flush. */
    flushing: Promise.resolve(),
  };
  onShutdown(async () => {
    if (own.timer) clearTimeout(own.timer);
    await flushCounts();
  });
  return own;
});

function add(provider: string, added: Counts): void {
  const own = unflushedCounts();
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

/** A call that the egress proxy blocked is retried like a throttled one, but must not count as throttled by the provider. */
function columnOf(outcome: SendOutcome): Column {
  if (outcome.kind !== "retryable") return outcome.kind;
  return outcome.fault === "throttled" && isEgressCode(outcome.code) ? "egress_failed" : OF_FAULT[outcome.fault];
}

/** Counts the outcome of an attempt. `latencyMs`: duration of the call in milliseconds. */
export function countOutcome(provider: string, outcome: SendOutcome, latencyMs: number): void {
  observeCall(provider, outcome.kind, latencyMs);
  add(provider, { [columnOf(outcome)]: 1, latency_ms: Math.round(latencyMs), slow: latencyMs > SLOW_MS ? 1 : 0 });
}

/** Counts a callback by its result. */
export const countCallback = (provider: string, column: Extract<Column, `receipts${string}`>): void =>
  add(provider, { [column]: 1 });

type ProviderCounts = readonly [provider: string, counts: Counts];

const countRows = unnest<ProviderCounts>({
  provider: ["text", ([provider]) => provider],
  ...Object.fromEntries(
    COLUMNS.map((column) => [column, ["int8", ([, counts]: ProviderCounts) => counts[column] ?? 0] as const]),
  ),
});

/**
 * Adds the counts of this process to the shared counters of the current minute. When this returns, everything counted before is
 * written, including the counts of an earlier flush still under way.
 */
export function flushCounts(): Promise<void> {
  const own = unflushedCounts();
  own.flushing = own.flushing.catch(() => undefined).then(writeCounts);
  return own.flushing;
}

async function writeCounts(): Promise<void> {
  const own = unflushedCounts();
  // Rows are locked in the order of their providers.
  const taken = [...own.counts].sort(([one], [other]) => (one < other ? -1 : 1));
  if (taken.length === 0) return;
  own.counts.clear();
  const sums = COLUMNS.map((column) => `${column} = m.${column} + excluded.${column}`).join(", ");
  await pool().query({
    name: "providers.count",
    text: `INSERT INTO provider_minutes AS m (provider, minute, ${COLUMNS.join(", ")})
           SELECT provider, date_trunc('minute', now()), ${COLUMNS.join(", ")}
           FROM ${countRows.as("c")}
           ON CONFLICT (provider, minute) DO UPDATE SET ${sums}`,
    values: countRows.values(taken),
  });
}
