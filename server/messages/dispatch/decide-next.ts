/** Decides from the outcome of an attempt how its message moves, and how it continues. Pure. */
import { MINUTE_MS, SECOND_MS } from "../../core/clock";
import type { Env } from "../../core/env";
import type { SendOutcome } from "../../providers/port";
import type { ProviderTable } from "../../providers/registry";
import type { LockedMessage, Step } from "../steps";
import { storedCode, storedDetail } from "../stored-text";
import type { Attempt, Candidate } from "./claims";
import { attemptOf } from "./next-attempt";
import { nextProvider } from "./next-provider";
import type { ThroughputLimits } from "./throttle-queue";

/** Providers that throttle a message are retried for this time, beginning with its first throttled attempt. */
const THROTTLED_MAX_MS = 10 * MINUTE_MS;
/** First pause before they are tried again; each pause doubles, up to a limit. */
const THROTTLED_PAUSE_MS = 5 * SECOND_MS;
const THROTTLED_PAUSE_MAX_MS = MINUTE_MS;

/** An attempt as it is stored. */
export type StoredAttempt = {
  seq: number;
  provider: string;
  outcome: string | null;
  fault: string | null;
  claim: string | null;
  /** Milliseconds since it started, by the database's clock, if it was throttled. */
  throttledForMs: number | null;
};

/**
 * How a message continues.
 * - attempt: at the next provider, at once or (`isThrottled`) through the throttle queue. `isClaimed`: an earlier recording
 *   of the same outcome claimed it.
 * - unavailable: through dispatch, as soon as a provider becomes available.
 * - again: at these providers once more, after a pause.
 */
type Next =
  | { kind: "attempt"; attempt: Attempt; isThrottled: boolean; isClaimed: boolean }
  | { kind: "unavailable" }
  | { kind: "again"; providers: string[]; pauseMs: number };

/** Inputs of a decision besides the outcome: the time, current providers and throughput limits, and the policy. */
export type Conditions = {
  at: Date;
  table: Pick<ProviderTable, "isUnavailable" | "stateOf">;
  throughput: Pick<ThroughputLimits, "isThrottled">;
  onUnknownOutcome: Env["ON_UNKNOWN_OUTCOME"];
};

/** The move of a message, and how it continues. */
export type Decision = { step: Step | null; next: Next | null };

/** An attempt's outcome; `nextClaim` is the token of the attempt that may follow. */
type Result = { attempt: Attempt; outcome: SendOutcome; nextClaim: string };

type NotAccepted = Exclude<SendOutcome, { kind: "accepted" }>;

/** Nothing moves: the message waits for a receipt or a sweep, or something else has moved it. */
export const NO_CHANGE: Decision = { step: null, next: null };

const continueAs = (next: Next): Decision => ({ step: null, next });

const failAt = (at: Date, provider: string, code: string, message: string): Decision => ({
  step: { to: "failed", at, provider, error: { code, message } },
  next: null,
});

/** Whether an attempt before this one may have sent the message. */
const followsUnknown = ({ seq }: Attempt, made: readonly StoredAttempt[]): boolean =>
  made.some((other) => other.seq < seq && (other.outcome === null || other.outcome === "unknown"));

/** The message as its next attempt finds it. */
const candidateAfter = (attempt: Attempt, outcome: SendOutcome, made: readonly StoredAttempt[]): Candidate => ({
  message: attempt.message,
  accountId: attempt.accountId,
  tried: [...attempt.tried, attempt.provider],
  afterUnknown: followsUnknown(attempt, made) || outcome.kind === "unknown",
});

/** The open attempt that an earlier recording of the same outcome claimed; null: none. */
function findFollowUp({ attempt, outcome, nextClaim }: Result, made: readonly StoredAttempt[], at: Date) {
  const stored = made.find((other) => other.claim === nextClaim && other.outcome === null);
  return stored ? attemptOf(candidateAfter(attempt, outcome, made), stored.provider, at, nextClaim) : null;
}

/** Whether the attempt is the last one of its message and this outcome adds information. */
function decidesMessage({ attempt, outcome }: Result, made: readonly StoredAttempt[]): boolean {
  const own = made.find(({ seq, claim }) => seq === attempt.seq && claim === attempt.claim);
  const isNews = own?.outcome === null || (own?.outcome === "unknown" && outcome.kind !== "unknown");
  return isNews && !made.some(({ seq }) => seq > attempt.seq);
}

/**
 * Accepted: sent. Refused: failed, the chain stops. Retryable: the next provider. Unknown: by ON_UNKNOWN_OUTCOME the next
 * provider or nothing. Where the chain ends or stops after an unknown outcome, the message waits for a receipt; where it
 * ends because its last provider throttles us, it is tried again for some time.
 * @param made all stored attempts of the message, which is locked, by `seq`. Only the last one continues, and only once.
 */
export function decideNext(
  message: LockedMessage,
  result: Result,
  made: readonly StoredAttempt[],
  conditions: Conditions,
): Decision {
  const { attempt, outcome } = result;
  const { provider } = attempt;
  const { at, onUnknownOutcome } = conditions;
  if (outcome.kind === "accepted") {
    const [providerMessageId = ""] = outcome.providerMessageIds;
    return { step: { to: "sent", at, provider, providerMessageId }, next: null };
  }
  const followUp = findFollowUp(result, made, at);
  if (followUp) return continueAs({ kind: "attempt", attempt: followUp, isThrottled: false, isClaimed: true });
  if (!decidesMessage(result, made)) return NO_CHANGE;
  if (outcome.kind === "refused") {
    // An earlier attempt may have sent it: a receipt or the sweep decides.
    if (followsUnknown(attempt, made)) return NO_CHANGE;
    return failAt(at, provider, storedCode(outcome.code), storedDetail(outcome.detail));
  }
  if (outcome.kind === "unknown" && onUnknownOutcome === "hold") return NO_CHANGE;
  return fallBack(message, { ...result, outcome }, made, conditions);
}

/** Continues at the next provider of the chain, or decides at the chain's end. */
function fallBack(
  message: LockedMessage,
  { attempt, outcome, nextClaim }: Result & { outcome: NotAccepted },
  made: readonly StoredAttempt[],
  { at, table, throughput }: Conditions,
): Decision {
  const candidate = candidateAfter(attempt, outcome, made);
  // A late refusal of an earlier attempt whose outcome was unknown: no other provider is tried.
  const isRefused = made.some((other) => other.outcome === "refused");
  // Messages reach a half-open provider through dispatch alone, which counts its probes.
  const next = nextProvider(
    isRefused ? [] : message.chain,
    candidate.tried,
    (id) => table.isUnavailable(id) || table.stateOf(id)?.breaker === "probing",
  );
  if (next.kind === "unavailable") return continueAs({ kind: "unavailable" });
  if (next.kind === "provider") {
    const following = attemptOf(candidate, next.provider, at, nextClaim);
    const isThrottled = throughput.isThrottled(following);
    return continueAs({ kind: "attempt", attempt: following, isThrottled, isClaimed: false });
  }
  if (candidate.afterUnknown) return NO_CHANGE;
  if (outcome.kind === "retryable" && outcome.fault === "throttled" && !isRefused) {
    const { provider } = attempt;
    const own = { provider, fault: outcome.fault, throttledForMs: null };
    const again = retryOfThrottled([...made.slice(0, -1), own]);
    if (again) return continueAs(again);
  }
  const text = `No provider took the message; the last response was: ${storedDetail(outcome.detail)}`;
  return failAt(at, attempt.provider, "no_provider_available", text);
}

/**
 * Retries the providers whose last outcome was throttled; null when they were retried for long enough. The time that a message
 * waited before its first attempt does not count: a throughput limit or an outage of ours may have been the reason.
 * @param made all attempts, with the fault of the last one, which is `throttled`.
 */
function retryOfThrottled(made: readonly Pick<StoredAttempt, "provider" | "fault" | "throttledForMs">[]): Next | null {
  const forMs = made.find(({ throttledForMs }) => throttledForMs !== null)?.throttledForMs ?? 0;
  if (forMs >= THROTTLED_MAX_MS) return null;
  const lastFaults = new Map(made.map(({ provider, fault }) => [provider, fault]));
  const providers = [...lastFaults].flatMap(([provider, fault]) => (fault === "throttled" ? [provider] : []));
  const rounds = Math.max(...providers.map((id) => made.filter(({ provider }) => provider === id).length));
  const pauseMs = Math.min(THROTTLED_PAUSE_MS * 2 ** (rounds - 1), THROTTLED_PAUSE_MAX_MS);
  return { kind: "again", providers, pauseMs };
}
