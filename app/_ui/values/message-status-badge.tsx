import type { Message } from "@/server/messages/schema";
import { StatusBadge, type Tone } from "./status-badge";

export type MessageStatus = Message["status"];

/** Every message status with its label and tone, in the order of charts and filters. */
export const MESSAGE_STATUS_VIEWS: ReadonlyArray<{ status: MessageStatus; label: string; tone: Tone }> = [
  { status: "delivered", label: "Delivered", tone: "success" },
  { status: "sent", label: "Sent", tone: "info" },
  { status: "pending", label: "Pending", tone: "neutral" },
  { status: "undelivered", label: "Undelivered", tone: "warning" },
  { status: "failed", label: "Failed", tone: "danger" },
];

/** Whether a message waits for a time that lies ahead. */
export const isScheduled = ({ status, scheduled_at }: Pick<Message, "status" | "scheduled_at">): boolean =>
  status === "pending" && scheduled_at !== null && Date.parse(scheduled_at) > Date.now();

/** The status of a message; of one that waits for its time, that it is scheduled. */
export function MessageStatusBadge({
  status,
  scheduled_at = null,
}: {
  status: MessageStatus;
  scheduled_at?: string | null;
}) {
  if (isScheduled({ status, scheduled_at })) return <StatusBadge tone="neutral">Scheduled</StatusBadge>;
  const view = MESSAGE_STATUS_VIEWS.find((entry) => entry.status === status);
  return <StatusBadge tone={view?.tone ?? "neutral"}>{view?.label ?? status}</StatusBadge>;
}
