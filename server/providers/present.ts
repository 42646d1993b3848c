import { isoOrNull } from "../core/wire";
import type { OperatedProvider, ProviderFigures, ProviderMinutePoint, ProviderStateWord } from "./operator-schema";
import type { ProviderState } from "./registry";

const BREAKER_WORDS = { closed: "working", open: "open", probing: "probing" } as const;

/**
 * The word for a provider's state. Configuration problems and drains take precedence over the breaker, which recovers by itself.
 */
function stateWordOf(
  state: Pick<ProviderState, "problem" | "isConfigured" | "isDrained" | "breaker">,
): ProviderStateWord {
  if (state.problem !== null) return "misconfigured";
  if (!state.isConfigured) return "not_configured";
  return state.isDrained ? "drained" : BREAKER_WORDS[state.breaker];
}

/** State and figures -> wire, for operators only; without settings. */
export const presentProvider = (
  state: ProviderState,
  lastHour: ProviderFigures,
  minutes: ProviderMinutePoint[],
): OperatedProvider => ({
  id: state.id,
  state: stateWordOf(state),
  source: state.source,
  problem: state.problem,
  health: state.health,
  alarm: state.lastError,
  open_until: isoOrNull(state.openUntil),
  max_segments_per_second: state.maxSegmentsPerSecond,
  is_drained: state.isDrained,
  last_hour: lastHour,
  minutes,
});
