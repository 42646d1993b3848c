/** What the outcome of a hand-over means for its message: a move, and where the message goes on. */
import { env } from "../core/env";
import { storableText } from "../core/wire";
import type { Outcome } from "../providers/port";
import type { ProviderTable } from "../providers/registry";
import { type Attempt, attemptOf } from "./claims";
import { nextProvider } from "./next-provider";
import type { LockedMessage, Step } from "./transitions";
import type { Paces } from "./waiting-room";

const DETAIL_MAX = 500;
const CODE_MAX = 100;

/** An attempt as it stands in the database. */
export type Made = { seq: number; outcome: string | null };

/** A move of the message, and where it goes on: at a provider, or (`held`) wherever the dispatch finds a way later. */
export type Verdict = { step: Step | null; next: "held" | { attempt: Attempt; isPaced: boolean } | null };

/** Nothing moves: the message waits for a receipt or its time, or somebody else has moved it. */
export const NOTHING: Verdict = { step: null, next: null };

const isUnsettled = ({ outcome }: Made): boolean => outcome === null || outcome === "unknown";

/**
 * Accepted: sent. Refused: failed, the chain stops. Retryable: the next provider. Unknown: by ON_UNKNOWN_OUTCOME the next
 * provider or nothing. Where the chain ends or stops after an outcome that is not known, the message waits for a receipt.
 * @param made all attempts of the message, which is locked. Only the last one goes on, and only once.
 */
export function judge(
  message: LockedMessage,
  { attempt, outcome }: { attempt: Attempt; outcome: Outcome },
  made: readonly Made[],
  at: Date,
  table: ProviderTable,
  paces: Paces,
): Verdict {
  const { provider } = attempt;
  if (outcome.kind === "accepted") {
    const [providerMessageId = ""] = outcome.providerMessageIds;
    return { step: { to: "sent", at, provider, providerMessageId }, next: null };
  }
  const own = made.find(({ seq }) => seq === attempt.seq);
  const isOpen = own?.outcome === null || (own?.outcome === "unknown" && outcome.kind !== "unknown");
  if (!isOpen || made.some(({ seq }) => seq > attempt.seq)) return NOTHING;
  const failed = (code: string, text: string): Verdict => ({
    step: { to: "failed", at, provider, error: { code, message: text } },
    next: null,
  });
  const wasUnknown = made.some((other) => other.seq < attempt.seq && isUnsettled(other));
  if (outcome.kind === "refused") {
    // One of those before may have sent it: a receipt will tell, or time.
    if (wasUnknown) return NOTHING;
    return failed(storableText(outcome.code, CODE_MAX), storableText(outcome.detail, DETAIL_MAX));
  }
  if (outcome.kind === "unknown" && env().ON_UNKNOWN_OUTCOME === "hold") return NOTHING;
  const tried = [...attempt.tried, provider];
  const afterUnknown = wasUnknown || outcome.kind === "unknown";
  // A provider that is being tried out again takes messages through the dispatch alone, which counts them.
  const next = nextProvider(message.chain, tried, (id) => table.isHeld(id) || table.stateOf(id)?.breaker === "probing");
  if (next.kind === "held") return { step: null, next: "held" };
  if (next.kind === "provider") {
    const following = attemptOf({ ...attempt, tried, afterUnknown }, next.provider, at);
    return { step: null, next: { attempt: following, isPaced: paces.isPaced(following) } };
  }
  if (afterUnknown) return NOTHING;
  return failed(
    "no_provider_available",
    `No provider took the message; the last answer was: ${storableText(outcome.detail, DETAIL_MAX)}`,
  );
}
