import { perLocale } from "@/app/_texts/language";
import { senderStatusTexts, senderTypeTexts } from "@/app/_texts/sender-words";
import type { Tone } from "@/app/_ui/values/status-badge";
import type { Sender } from "@/server/senders/schema";

type Status = Sender["status"];

const viewOf = (status: Status, tone: Tone) => ({
  tone,
  get label() {
    return senderStatusTexts[status];
  },
});

export const SENDER_STATUS_VIEWS: Record<Status, { readonly label: string; tone: Tone }> = {
  pending: viewOf("pending", "neutral"),
  approved: viewOf("approved", "success"),
  rejected: viewOf("rejected", "danger"),
  suspended: viewOf("suspended", "warning"),
};

export const SENDER_STATUSES = Object.keys(SENDER_STATUS_VIEWS) as Status[];

export const SENDER_TYPE_LABELS: Record<Sender["type"], string> = senderTypeTexts;

const regions = perLocale((locale) => new Intl.DisplayNames(locale, { type: "region", fallback: "none" }));

/** `DE` -> `Germany`; null for an unknown code. */
export function countryName(code: string): string | null {
  if (!/^[A-Za-z]{2}$/.test(code)) return null;
  return regions().of(code.toUpperCase()) ?? null;
}
