import { StatusBadge } from "@/app/_ui/values/status-badge";
import type { InboundMessage } from "@/server/inbound/schema";

const VIEWS = {
  opt_out: { tone: "warning", label: "Opted out" },
  opt_in: { tone: "success", label: "Opted in again" },
} as const;

/** The effect of an inbound message; nothing when it had none. */
export function ActionBadge({ action }: { action: InboundMessage["action"] }) {
  if (action === null) return null;
  return <StatusBadge tone={VIEWS[action].tone}>{VIEWS[action].label}</StatusBadge>;
}
