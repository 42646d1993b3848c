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

/** The status of a message. */
export function MessageStatusBadge({ status }: { status: MessageStatus }) {
  const view = MESSAGE_STATUS_VIEWS.find((entry) => entry.status === status);
  return <StatusBadge tone={view?.tone ?? "neutral"}>{view?.label ?? status}</StatusBadge>;
}
