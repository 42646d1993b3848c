import type { EventType } from "@/server/webhooks/schema";
import { StatusBadge, type Tone } from "./status-badge";

/** Every event type with its meaning, in the order in which they occur; inbound ones last. */
export const EVENT_TYPE_VIEWS: Record<EventType, { tone: Tone; description: string }> = {
  "message.sent": { tone: "info", description: "A provider accepted the message" },
  "message.delivered": { tone: "success", description: "The carrier confirmed delivery" },
  "message.failed": { tone: "danger", description: "The message failed or was not delivered" },
  "message.received": { tone: "neutral", description: "Somebody sent a message to one of your numbers" },
};

export const EVENT_TYPES = Object.keys(EVENT_TYPE_VIEWS) as EventType[];

/** Event types that `*` stands for. */
export const STATUS_EVENT_TYPES = EVENT_TYPES.filter((type) => type !== "message.received");

/** The type of an event, spelled as in the API. */
export function EventTypeBadge({ type }: { type: EventType }) {
  return <StatusBadge tone={EVENT_TYPE_VIEWS[type].tone}>{type}</StatusBadge>;
}
