import { inboundEffectsTexts as texts } from "@/app/_texts/inbound-effects";
import { StatusBadge } from "@/app/_ui/values/status-badge";
import type { InboundMessage } from "@/server/inbound/schema";

const TONES = { opt_out: "warning", opt_in: "success" } as const;

/** The effect of an inbound message; nothing when it had none. */
export function ActionBadge({ action }: { action: InboundMessage["action"] }) {
  if (action === null) return null;
  return <StatusBadge tone={TONES[action]}>{texts[action]}</StatusBadge>;
}
