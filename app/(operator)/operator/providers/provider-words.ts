import { currentLocale } from "@/app/_texts/language";
import { providerWordsTexts as texts } from "@/app/_texts/operator/provider-words";
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

/** 0.987 -> "98.7%"; a dash when there were no calls. */
export const formatShare = (share: number | null): string =>
  share === null ? "–" : `${Math.floor(share * 1_000) / 10}%`;

/** 12.3 -> "12 ms"; a dash when there were no calls. */
export const formatLatency = (latencyMs: number | null): string =>
  latencyMs === null ? "–" : texts.milliseconds(Math.round(latencyMs).toLocaleString(currentLocale()));
