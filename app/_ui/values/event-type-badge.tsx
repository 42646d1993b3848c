import { eventTypesTexts as texts } from "@/app/_texts/ui/event-types";
import type { EventType } from "@/server/webhooks/schema";
import { StatusBadge, type Tone } from "./status-badge";

/** `description` is a getter, because texts must not be read before a page is rendered. */
type EventTypeView = { tone: Tone; readonly description: string };

const viewOf = (type: EventType, tone: Tone): EventTypeView => ({
  tone,
  get description() {
    return texts.meanings[type];
  },
});

/** Every event type with its meaning, in the order in which they occur; inbound ones last. */
export const EVENT_TYPE_VIEWS: Record<EventType, EventTypeView> = {
  "message.sent": viewOf("message.sent", "info"),
  "message.delivered": viewOf("message.delivered", "success"),
  "message.failed": viewOf("message.failed", "danger"),
  "message.received": viewOf("message.received", "neutral"),
};

export const EVENT_TYPES = Object.keys(EVENT_TYPE_VIEWS) as EventType[];

/** Event types that `*` stands for. */
export const STATUS_EVENT_TYPES = EVENT_TYPES.filter((type) => type !== "message.received");

/** The type of an event, spelled as in the API. */
export function EventTypeBadge({ type }: { type: EventType }) {
  return <StatusBadge tone={EVENT_TYPE_VIEWS[type].tone}>{type}</StatusBadge>;
}
