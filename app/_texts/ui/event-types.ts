import type { EventType } from "@/server/webhooks/schema";
import { defineTexts } from "../define-texts";

const en = {
  meanings: {
    "message.sent": "A provider accepted the message",
    "message.delivered": "The carrier confirmed delivery",
    "message.failed": "The message failed or was not delivered",
    "message.received": "Somebody sent a message to one of your numbers",
  } satisfies Record<EventType, string>,
};

/** The meaning of each type of event. */
export const eventTypesTexts = defineTexts({ en });
