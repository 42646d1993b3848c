import { defineTexts } from "./define-texts";

const en = {
  title: "Inbound message",
  titleFrom: (number: string) => `Message from ${number}`,
  all: "All inbound messages",
  optedOut: (sender: string) => `It asked to stop: messages from ${sender} to this number now fail.`,
  optedIn: (sender: string) => `It asked for messages from ${sender} again.`,
  sentTo: (sender: string) => `To ${sender}.`,
  reply: "Reply",
  text: { title: "Text", none: "The message has no text." },
  details: {
    title: "Details",
    id: "Message ID",
    copyId: "Copy message ID",
    from: "From",
    copyFrom: "Copy sender",
    allToNumber: "All messages to this number",
    allFromNumber: "All messages from this number",
    to: "To",
    provider: "Provider",
    providerId: "Provider’s message ID",
    copyProviderId: "Copy the provider’s message ID",
    received: "Received",
    stored: "Stored",
  },
  event: {
    title: "Event",
    description: "Posted to endpoints that are subscribed to message.received.",
    copy: "Copy payload",
    none: "This message has no event.",
  },
  notFound: {
    title: "Inbound message not found",
    text: "The link may be wrong, or the message belongs to another account.",
  },
};

/** The texts of the page of one inbound message. */
export const inboundMessageTexts = defineTexts({ en });
