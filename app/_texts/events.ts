import { defineTexts } from "./define-texts";

const en = {
  title: "Events",
  description: "Status changes of messages, and messages you received, as posted to your webhook endpoints.",
  webhooks: "Webhooks",
  type: "Type",
  anyStatusChange: "Any status change",
  columns: { number: "Number", id: "Event ID", payload: "Payload" },
  view: "View",
  viewPayload: (id: string) => `View payload of ${id}`,
  dialog: {
    title: (type: string) => `Event ${type}`,
    copyPayload: "Copy payload",
  },
  noEventsYet: "No events yet",
  sendMessage: "Send a message",
  whenCreated: "An event is created whenever a message is sent, is delivered or fails. Send a message to see one.",
  noneOfType: "No events of this type",
  showAll: "Show all status changes",
};

/** The texts of the page of events. */
export const eventsTexts = defineTexts({ en });
