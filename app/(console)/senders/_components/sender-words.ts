import type { Tone } from "@/app/_ui/values/status-badge";
import type { Sender } from "@/server/senders/schema";

export const SENDER_STATUS_VIEWS: Record<Sender["status"], { label: string; tone: Tone }> = {
  pending: { label: "Pending", tone: "neutral" },
  approved: { label: "Approved", tone: "success" },
  rejected: { label: "Rejected", tone: "danger" },
  suspended: { label: "Suspended", tone: "warning" },
};

export const SENDER_STATUSES = Object.keys(SENDER_STATUS_VIEWS) as Sender["status"][];

export const SENDER_TYPE_LABELS: Record<Sender["type"], string> = {
  alphanumeric: "Alphanumeric",
  numeric: "Numeric",
  short_code: "Short code",
  long_code: "Long code",
};

const regions = new Intl.DisplayNames("en", { type: "region", fallback: "none" });

/** `DE` -> `Germany`; null for an unknown code. */
export function countryName(code: string): string | null {
  if (!/^[A-Za-z]{2}$/.test(code)) return null;
  return regions.of(code.toUpperCase()) ?? null;
}
