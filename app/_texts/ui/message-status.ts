import type { Message } from "@/server/messages/schema";
import { defineTexts } from "../define-texts";

const en = {
  states: {
    delivered: "Delivered",
    sent: "Sent",
    pending: "Pending",
    undelivered: "Undelivered",
    failed: "Failed",
  } satisfies Record<Message["status"], string>,
  scheduled: "Scheduled",
  canceled: "Canceled",
};

/** The statuses of messages. */
export const messageStatusTexts = defineTexts({ en });
