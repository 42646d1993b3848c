/** When a provider is left alone, and for how long: pure rules of the circuit breaker and of a provider's health. */
import { MINUTE_MS, SECOND_MS } from "../../core/clock";
import type { SendOutcome } from "../port";

/** What an outcome says of the provider; null: nothing. */
export type Sign = "worked" | "failed" | "account";

/**
 * A refusal for the message's sake is the work of a healthy provider; being asked too much is no failure, nor is an
 * exchange that a stall of our own has spoilt.
 */
export function signOf(outcome: SendOutcome): Sign | null {
  if ("isOurStall" in outcome && outcome.isOurStall) return null;
  if (outcome.kind !== "retryable") return outcome.kind === "unknown" ? "failed" : "worked";
  if (outcome.fault === "account") return "account";
  return outcome.fault === "provider" ? "failed" : null;
}

/** Signs older than this say nothing any more. */
const WINDOW_MS = 30 * SECOND_MS;
const SIGNS_MAX = 1_000;
/** So many failures in a row open the breaker, whatever came before. */
const IN_A_ROW = 5;
/** Or this share of failures among at least so many calls. */
const SHARE = 0.5;
const CALLS_MIN = 20;

/** The latest signs of one provider in this process, oldest first. `at`: milliseconds of the process's monotonic clock. */
export type Window = { sign: Sign; at: number }[];

/** Adds a sign. @returns whether the breaker is to open now. */
export function observe(window: Window, sign: Sign, at: number): boolean {
  window.push({ sign, at });
  while (window.length > SIGNS_MAX || (window[0] && window[0].at < at - WINDOW_MS)) window.shift();
  if (sign === "worked") return false;
  if (sign === "account") return true;
  const isBad = (entry: { sign: Sign }) => entry.sign !== "worked";
  if (window.length >= IN_A_ROW && window.slice(-IN_A_ROW).every(isBad)) return true;
  return window.length >= CALLS_MIN && window.filter(isBad).length >= window.length * SHARE;
}

const FIRST_WAIT_MS = 10 * SECOND_MS;
const LONGEST_WAIT_MS = 5 * MINUTE_MS;

/** How long a breaker stays open that was opened `opens` times in a row before. Waits double. */
export const openForMs = (opens: number): number => Math.min(FIRST_WAIT_MS * 2 ** Math.min(opens, 10), LONGEST_WAIT_MS);

/** Messages that try out a provider whose wait is over. */
export const PROBES = 3;

/** What the counters of the last two minutes say of a provider. */
export type Record = { worked: number; failed: number; slow: number };

const JUDGED_MIN = 10;
/** Never nothing: a provider that gets no messages could never show that it has recovered. */
const HEALTH_MIN = 0.05;

/** The share of its routes' weight that a provider keeps: its success share, less when its answers are slow. */
export function healthOf({ worked, failed, slow }: Record): number {
  const calls = worked + failed;
  if (calls < JUDGED_MIN) return 1;
  const health = (worked / calls) * (1 - slow / calls / 2);
  return Math.max(HEALTH_MIN, Math.round(health * 100) / 100);
}
