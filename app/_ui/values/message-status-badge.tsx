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

/** A newer version of the service may have a status that this page does not know. */
const viewOfStatus = (status: MessageStatus): Omit<StatusView, "status"> =>
  MESSAGE_STATUS_VIEWS.find((view) => view.status === status) ?? { label: status, tone: "neutral" };

/** Whether a message waits for a time that lies ahead. */
export const isScheduled = ({ status, scheduled_at }: Pick<Message, "status" | "scheduled_at">): boolean =>
  status === "pending" && scheduled_at !== null && Date.parse(scheduled_at) > serverNow();

/** Whether somebody in the account canceled a message. A provider's code may be the same, for one that it had taken and then stopped. */
export const isCanceled = ({ error, sent_at }: Pick<Message, "error" | "sent_at">): boolean =>
  error?.code === "canceled" && sent_at === null;

/** The status of a message: “scheduled” while it waits for its time, “canceled” if that is why it failed. */
export function MessageStatusBadge({
  message,
}: {
  message: Pick<Message, "status" | "scheduled_at" | "sent_at" | "error">;
}) {
  if (isScheduled(message)) return <StatusBadge tone="neutral">{texts.scheduled}</StatusBadge>;
  if (isCanceled(message)) return <StatusBadge tone="neutral">{texts.canceled}</StatusBadge>;
  const { label, tone } = viewOfStatus(message.status);
  return <StatusBadge tone={tone}>{label}</StatusBadge>;
}

/** A status, whatever the message. */
export function StatusName({ status }: { status: MessageStatus }) {
  const { label, tone } = viewOfStatus(status);
  return <StatusBadge tone={tone}>{label}</StatusBadge>;
}
