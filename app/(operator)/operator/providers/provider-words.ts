import { currentLocale } from "@/app/_texts/language";
import { providerWordsTexts as texts } from "@/app/_texts/operator/provider-words";
import { formatShare } from "@/app/_ui/values/share";
import type { Tone } from "@/app/_ui/values/status-badge";
import type { OperatedProvider } from "@/server/providers/operator-schema";

export const PROVIDER_STATE_TONES: Record<OperatedProvider["state"], Tone> = {
  not_configured: "neutral",
  working: "success",
  drained: "info",
  open: "danger",
  probing: "warning",
  misconfigured: "danger",
};

/** 0.9999 -> "99.9%", rounded down, so that 100% means all; a dash when there were no calls. */
export const formatRoundedDown = (share: number | null): string =>
  share === null ? "–" : `${Math.floor(share * 1_000) / 10}%`;

type Calls = Pick<OperatedProvider["last_hour"], "calls" | "unknown" | "accepted">;

/** The share that was not accepted of the calls whose outcome is known. One refusal is never shown as none. */
export function formatNotAccepted(hours: readonly Calls[]): string {
  const known = hours.reduce((all, { calls, unknown }) => all + calls - unknown, 0);
  const accepted = hours.reduce((all, hour) => all + hour.accepted, 0);
  return formatShare(known - accepted, known);
}

/** 12.3 -> "12 ms"; a dash when there were no calls. */
export const formatLatency = (latencyMs: number | null): string =>
  latencyMs === null ? "–" : texts.milliseconds(Math.round(latencyMs).toLocaleString(currentLocale()));
