/** What the outcome of a hand-over means for its message: a move, and where the message goes on. */
import { MINUTE_MS, SECOND_MS } from "../../core/clock";
import type { Env } from "../../core/env";
import { storableText } from "../../core/wire";
import type { SendOutcome } from "../../providers/port";
import type { ProviderTable } from "../../providers/registry";
import type { LockedMessage, Step } from "../transitions";
import type { Attempt, Candidate } from "./claims";
import { attemptOf } from "./next-attempt";
import { nextProvider } from "./next-provider";
import type { ThroughputLimits } from "./throttle-queue";

const DETAIL_MAX = 500;
const CODE_MAX = 100;

/** Providers that throttled a message are asked again until this time after its acceptance. */
const THROTTLED_MAX_MS = 10 * MINUTE_MS;
/** First pause before they are asked again; each one is twice as long as the one before, up to a limit. */
const THROTTLED_AGAIN_MS = 5 * SECOND_MS;
const THROTTLED_AGAIN_MAX_MS = MINUTE_MS;

/** An attempt as it stands in the database. */
export type StoredAttempt = {
  seq: number;
  provider: string;
  outcome: string | null;
  fault: string | null;
  claim: string | null;
};

/**
 * Where a message goes on. attempt: at a provider, now or (`isThrottled`) in its turn; `isClaimed`: it was claimed when this
 * outcome was recorded before. held: wherever the dispatch finds a way
 * soon. again: after a pause with these providers once more.
 */
type Next =
  | { kind: "attempt"; attempt: Attempt; isThrottled: boolean; isClaimed: boolean }
  | { kind: "unavailable" }
  | { kind: "again"; providers: string[]; pauseMs: number };

/** What else a decision depends on: the time, the providers and throughput as they are now, and the operator's choice. */
export type Conditions = {
  at: Date;
  table: Pick<ProviderTable, "isUnavailable" | "stateOf">;
  throughput: Pick<ThroughputLimits, "isThrottled">;
  onUnknownOutcome: Env["ON_UNKNOWN_OUTCOME"];
};

/** A move of the message, and where it goes on. */
export type Decision = { step: Step | null; next: Next | null };

/** Nothing moves: the message waits for a receipt or its time, or somebody else has moved it. */
export const NO_CHANGE: Decision = { step: null, next: null };

const isUnsettled = ({ outcome }: StoredAttempt): boolean => outcome === null || outcome === "unknown";

const hasUnknownBefore = ({ seq }: Attempt, made: readonly StoredAttempt[]): boolean =>
  made.some((other) => other.seq < seq && isUnsettled(other));

/** The message as its next attempt finds it. */
const afterOutcome = (attempt: Attempt, outcome: SendOutcome, made: readonly StoredAttempt[]): Candidate => ({
  message: attempt.message,
  accountId: attempt.accountId,
  tried: [...attempt.tried, attempt.provider],
  afterUnknown: hasUnknownBefore(attempt, made) || outcome.kind === "unknown",
});

/**
 * Accepted: sent. Refused: failed, the chain stops. Retryable: the next provider. Unknown: by ON_UNKNOWN_OUTCOME the next
 * provider or nothing. Where the chain ends or stops after an outcome that is not known, the message waits for a receipt;
 * where it ends because its last provider is asked too much, it is tried again for some time.
 * @param made all attempts of the message, which is locked. Only the last one goes on, and only once.
 */
export function decideNext(
  message: LockedMessage,
  { attempt, outcome, nextClaim }: { attempt: Attempt; outcome: SendOutcome; nextClaim: string },
  made: readonly StoredAttempt[],
  { at, table, throughput, onUnknownOutcome }: Conditions,
): Decision {
  const { provider } = attempt;
  if (outcome.kind === "accepted") {
    const [providerMessageId = ""] = outcome.providerMessageIds;
    return { step: { to: "sent", at, provider, providerMessageId }, next: null };
  }
  const followUp = made.find(({ claim, outcome: known }) => claim === nextClaim && known === null);
  if (followUp) {
    const claimed = attemptOf(afterOutcome(attempt, outcome, made), followUp.provider, at, nextClaim);
    return { step: null, next: { kind: "attempt", attempt: claimed, isThrottled: false, isClaimed: true } };
  }
  const own = made.find(({ seq, claim }) => seq === attempt.seq && claim === attempt.claim);
  const isOpen = own?.outcome === null || (own?.outcome === "unknown" && outcome.kind !== "unknown");
  if (!isOpen || made.some(({ seq }) => seq > attempt.seq)) return NO_CHANGE;
  const failed = (code: string, text: string): Decision => ({
    step: { to: "failed", at, provider, error: { code, message: text } },
    next: null,
  });
  const wasUnknown = hasUnknownBefore(attempt, made);
  if (outcome.kind === "refused") {
    // One of those before may have sent it: a receipt will tell, or time.
    if (wasUnknown) return NO_CHANGE;
    return failed(storableText(outcome.code, CODE_MAX), storableText(outcome.detail, DETAIL_MAX));
  }
  if (outcome.kind === "unknown" && onUnknownOutcome === "hold") return NO_CHANGE;
  const candidate = afterOutcome(attempt, outcome, made);
  const { tried, afterUnknown } = candidate;
  // Refused for good by one that was taken for lost before: no other provider is asked.
  const isRefused = made.some((other) => other.outcome === "refused");
  // A provider that is being tried out again takes messages through the dispatch alone, which counts them.
  const chain = isRefused ? [] : message.chain;
  const next = nextProvider(chain, tried, (id) => table.isUnavailable(id) || table.stateOf(id)?.breaker === "probing");
  if (next.kind === "unavailable") return { step: null, next: { kind: "unavailable" } };
  if (next.kind === "provider") {
    const following = attemptOf(candidate, next.provider, at, nextClaim);
    const isThrottled = throughput.isThrottled(following);
    return { step: null, next: { kind: "attempt", attempt: following, isThrottled, isClaimed: false } };
  }
  if (afterUnknown) return NO_CHANGE;
  if (outcome.kind === "retryable" && outcome.fault === "throttled" && !isRefused) {
    const again = retryOfThrottled(message, [...made.slice(0, -1), { provider, fault: outcome.fault }], at);
    if (again) return { step: null, next: again };
  }
  return failed(
    "no_provider_available",
    `No provider took the message; the last answer was: ${storableText(outcome.detail, DETAIL_MAX)}`,
  );
}

/** Those whose last word was that they are asked too much, or null when the message has waited for them long enough. */
function retryOfThrottled(
  message: LockedMessage,
  made: readonly Pick<StoredAttempt, "provider" | "fault">[],
  at: Date,
): Next | null {
  if (at.getTime() - message.createdAt.getTime() >= THROTTLED_MAX_MS) return null;
  const last = new Map(made.map(({ provider, fault }) => [provider, fault]));
  const providers = [...last].flatMap(([provider, fault]) => (fault === "throttled" ? [provider] : []));
  const times = Math.max(...providers.map((id) => made.filter(({ provider }) => provider === id).length));
  const pauseMs = Math.min(THROTTLED_AGAIN_MS * 2 ** (times - 1), THROTTLED_AGAIN_MAX_MS);
  return { kind: "again", providers, pauseMs };
}
