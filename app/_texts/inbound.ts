import { defineTexts } from "./define-texts";

const en = {
  title: "Inbound",
  description: "Messages that people sent to your numbers and short codes.",
  webhooks: "Webhooks",
  from: "From",
  to: "To",
  anySender: "Any sender",
  received: "Received",
  table: "Inbound messages",
  text: "Text",
  effect: "Effect",
  none: {
    title: "No inbound messages yet",
    text: "Messages to your numbers and short codes appear here, STOP and START included.",
    howTo: "How to receive messages",
  },
  noMatch: { title: "No inbound messages match these filters", showAll: "Show all inbound messages" },
};

/** The texts of the list of inbound messages. */
export const inboundTexts = defineTexts({ en });
