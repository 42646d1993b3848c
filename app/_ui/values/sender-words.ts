import { senderStatusTexts, senderTypeTexts } from "@/app/_texts/sender-words";
import type { Sender } from "@/server/senders/schema";
import type { Tone } from "./status-badge";

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
