import type { Message } from "@/server/messages/schema";
import { StatusBadge, type Tone } from "./status-badge";

export type MessageStatus = Message["status"];

/** The life of a message in order, with the word shown and the tone it has everywhere in the console. */
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
