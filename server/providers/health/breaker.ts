/** Pure rules of the circuit breaker and of a provider's health. */
import { MINUTE_MS, SECOND_MS } from "../../core/clock";
import type { SendOutcome } from "../port";

/** Meaning of an outcome for the health of its provider. */
export type HealthSignal = "worked" | "failed" | "account";

/**
 * The meaning of an outcome for the health of its provider; null: none. Refusing one message is the work of a healthy
 * provider. Throttling is not a failure, nor is an exchange that a stall of this process has broken.
 */
export function healthSignalOf(outcome: SendOutcome): HealthSignal | null {
  if ("isOurStall" in outcome && outcome.isOurStall) return null;
  if (outcome.kind !== "retryable") return outcome.kind === "unknown" ? "failed" : "worked";
  if (outcome.fault === "account") return "account";
  return outcome.fault === "provider" ? "failed" : null;
}

/** Older signals are ignored. */
const WINDOW_MS = 30 * SECOND_MS;
const SIGNALS_MAX = 1_000;
/** Failures in a row that open the breaker. */
const IN_A_ROW = 5;
/** Share of failures among at least {@link CALLS_MIN} calls that opens it, too. */
const FAILED_SHARE = 0.5;
const CALLS_MIN = 20;

/**
 * The latest signals of one provider in this process, oldest first. `at`: milliseconds of the process's monotonic clock.
 */
export type HealthWindow = { signal: HealthSignal; at: number }[];

/** Adds a signal. @returns whether the breaker must open now. */
export function observe(window: HealthWindow, signal: HealthSignal, at: number): boolean {
  window.push({ signal, at });
  while (window.length > SIGNALS_MAX || (window[0] && window[0].at < at - WINDOW_MS)) window.shift();
  if (signal === "worked") return false;
  if (signal === "account") return true;
  const isBad = (entry: { signal: HealthSignal }) => entry.signal !== "worked";
  if (window.length >= IN_A_ROW && window.slice(-IN_A_ROW).every(isBad)) return true;
  return window.length >= CALLS_MIN && window.filter(isBad).length >= window.length * FAILED_SHARE;
}

const FIRST_WAIT_MS = 10 * SECOND_MS;
const LONGEST_WAIT_MS = 5 * MINUTE_MS;

/** Milliseconds for which a breaker stays open after `opens` earlier times in a row: doubled each time. */
export const openForMs = (opens: number): number => Math.min(FIRST_WAIT_MS * 2 ** Math.min(opens, 10), LONGEST_WAIT_MS);

/** Messages that a half-open provider gets. */
export const PROBES = 3;

/** A provider's counters of the last two minutes. */
export type CallCounts = { worked: number; failed: number; slow: number };

/** With fewer calls a provider counts as healthy. */
const CALLS_FOR_HEALTH_MIN = 10;
/** Above zero: a provider without messages could never show that it has recovered. */
const HEALTH_MIN = 0.05;

/** Share of its routes' weight that a provider keeps, 0 to 1: its success share, reduced by slow responses. */
export function healthOf({ worked, failed, slow }: CallCounts): number {
  const calls = worked + failed;
  if (calls < CALLS_FOR_HEALTH_MIN) return 1;
  const health = (worked / calls) * (1 - slow / calls / 2);
  return Math.max(HEALTH_MIN, Math.round(health * 100) / 100);
}
