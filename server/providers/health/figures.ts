/** Sums and series of a provider's minutes. */
import { MINUTE_MS } from "../../core/clock";
import type { ProviderFigures, ProviderMinutePoint } from "../operator-schema";

/** Length of the period that operators see, in minutes. */
export const FIGURES_MINUTES = 60;

/** A row of `provider_minutes` without its provider. */
export type MinuteCounts = {
  minute: Date;
  accepted: number;
  refused: number;
  failed: number;
  throttled: number;
  accountRefused: number;
  messageRefused: number;
  egressFailed: number;
  unknown: number;
  latencyMs: bigint;
  receipts: number;
  receiptsForged: number;
  receiptsStale: number;
  receiptsReplayed: number;
  receiptsUnreadable: number;
  receiptsBlocked: number;
};

type Count = Exclude<keyof MinuteCounts, "minute" | "latencyMs">;

/** Counts of calls that ended with nothing sent. */
const NOT_ACCEPTED = [
  "refused",
  "failed",
  "throttled",
  "accountRefused",
  "messageRefused",
  "egressFailed",
] as const satisfies Count[];

/** First of the last 60 minutes at `at`; the minute of `at` is the newest one. */
export const firstMinute = (at: Date): Date =>
  new Date((Math.floor(at.getTime() / MINUTE_MS) - FIGURES_MINUTES + 1) * MINUTE_MS);

/**
 * Sums up minutes. The success share is the accepted part of the calls with a known outcome; the latency is the mean of
 * all calls, in milliseconds. Both are null when there is nothing to divide by.
 */
export function sumMinutes(minutes: readonly MinuteCounts[]): ProviderFigures {
  const sum = (count: Count): number => minutes.reduce((total, row) => total + row[count], 0);
  const [accepted, unknown] = [sum("accepted"), sum("unknown")];
  const refusals = {
    refused: sum("refused"),
    failed: sum("failed"),
    throttled: sum("throttled"),
    account_refused: sum("accountRefused"),
    message_refused: sum("messageRefused"),
    egress_failed: sum("egressFailed"),
  };
  const known = Object.values(refusals).reduce((total, count) => total + count, accepted);
  const calls = known + unknown;
  const latencyMs = Number(minutes.reduce((total, row) => total + row.latencyMs, 0n));
  return {
    calls,
    accepted,
    ...refusals,
    unknown,
    success_share: known > 0 ? accepted / known : null,
    mean_latency_ms: calls > 0 ? latencyMs / calls : null,
    receipts: sum("receipts"),
    receipts_forged: sum("receiptsForged"),
    receipts_stale: sum("receiptsStale"),
    receipts_replayed: sum("receiptsReplayed"),
    receipts_unreadable: sum("receiptsUnreadable"),
    receipts_blocked: sum("receiptsBlocked"),
  };
}

/** The last hour minute by minute, oldest first, with zeros for minutes without a row. */
export function seriesOf(minutes: readonly MinuteCounts[], at: Date): ProviderMinutePoint[] {
  const byMinute = new Map(minutes.map((row) => [row.minute.getTime(), row]));
  const first = firstMinute(at).getTime();
  return Array.from({ length: FIGURES_MINUTES }, (_, index) => {
    const minute = new Date(first + index * MINUTE_MS);
    const row = byMinute.get(minute.getTime());
    return {
      minute: minute.toISOString(),
      accepted: row?.accepted ?? 0,
      failed: row ? NOT_ACCEPTED.reduce((total, count) => total + row[count], 0) : 0,
      unknown: row?.unknown ?? 0,
    };
  });
}
