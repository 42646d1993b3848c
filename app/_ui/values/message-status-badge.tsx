import { messageStatusTexts as texts } from "@/app/_texts/ui/message-status";
import { serverNow } from "@/app/_trpc/clock";
import type { Message } from "@/server/messages/schema";
import { StatusBadge, type Tone } from "./status-badge";

export type MessageStatus = Message["status"];

/** `label` is a getter, because texts must not be read before a page is rendered. */
type StatusView = { status: MessageStatus; readonly label: string; tone: Tone };

const viewOf = (status: MessageStatus, tone: Tone): StatusView => ({
  status,
  get label() {
    return texts.states[status];
  },
  tone,
});

/** Every message status with its label and tone, in the order of charts and filters. */
export const MESSAGE_STATUS_VIEWS: readonly StatusView[] = [
  viewOf("delivered", "success"),
  viewOf("sent", "info"),
  viewOf("pending", "neutral"),
  viewOf("undelivered", "warning"),
  viewOf("failed", "danger"),
];

/** Whether a message waits for a time that lies ahead. */
export const isScheduled = ({ status, scheduled_at }: Pick<Message, "status" | "scheduled_at">): boolean =>
  status === "pending" && scheduled_at !== null && Date.parse(scheduled_at) > serverNow();

/** The status of a message, or “scheduled” while it waits for its time. */
export function MessageStatusBadge({
  status,
  scheduled_at = null,
}: {
  status: MessageStatus;
  scheduled_at?: string | null;
}) {
  if (isScheduled({ status, scheduled_at })) return <StatusBadge tone="neutral">{texts.scheduled}</StatusBadge>;
  const view = MESSAGE_STATUS_VIEWS.find((entry) => entry.status === status);
  return <StatusBadge tone={view?.tone ?? "neutral"}>{view?.label ?? status}</StatusBadge>;
}
