/** The outcome of an attempt, and the ids that the provider gave the message. */
import type { SendOutcome } from "../../providers/port";
import type { TakenIds } from "../receipts/parts";
import { storedProviderId } from "../stored-text";
import type { Attempt } from "./claims";
import { newClaimToken } from "./next-attempt";

/**
 * An attempt's outcome. `nextClaim` is the token of the attempt that may follow: when the reply to COMMIT was lost and the
 * same result is recorded again, the attempt that was claimed then is recognized by it.
 */
export type AttemptResult = {
  attempt: Attempt;
  outcome: SendOutcome;
  latencyMs: number;
  nextClaim: string;
  /** The provider has used its id before, for a message that may not be finished. */
  isRepeated?: boolean;
};

/** The outcome with ids that can be stored: a known acceptance must not be lost because of the form of its id. */
function withStorableIds(outcome: SendOutcome): SendOutcome {
  if (outcome.kind === "accepted") {
    return { ...outcome, providerMessageIds: outcome.providerMessageIds.map(storedProviderId) };
  }
  return outcome.kind === "unknown" && outcome.taken
    ? { ...outcome, taken: outcome.taken.map(storedProviderId) }
    : outcome;
}

/** The result of an attempt, to be recorded. */
export const attemptResult = (attempt: Attempt, outcome: SendOutcome, latencyMs: number): AttemptResult => ({
  attempt,
  outcome: withStorableIds(outcome),
  latencyMs,
  nextClaim: newClaimToken(),
});

/** The outcome with none of the provider's ids. */
export function withoutIds(outcome: SendOutcome): SendOutcome {
  if (outcome.kind === "accepted") return { ...outcome, providerMessageIds: [] };
  return outcome.kind === "unknown" ? { ...outcome, taken: [] } : outcome;
}

/** The ids under which a provider took the message, or took some of its parts before it stopped responding. */
export function takenIdsOf({ attempt, outcome }: AttemptResult): TakenIds[] {
  const providerMessageIds =
    outcome.kind === "accepted" ? outcome.providerMessageIds : outcome.kind === "unknown" && outcome.taken;
  return providerMessageIds && providerMessageIds.length > 0 ? [{ attempt, providerMessageIds }] : [];
}
