import { defineTexts } from "../define-texts";

const en = {
  title: "Messages",
  description: "All messages of your account with their current status.",
  newMessage: "New message",
  filters: {
    anyStatus: "Any status",
    recipient: "Recipient",
    sender: "Sender",
    anySender: "Any sender",
    provider: "Provider",
    anyProvider: "Any provider",
    reference: "Reference",
    referenceHint: "Your own ID",
  },
  searched: (count: string) => `Only the newest ${count} messages were searched. Filter by date to search older ones.`,
  columns: { to: "To", from: "From", text: "Text", cost: "Cost" },
  textDeleted: "Deleted",
  noneYet: {
    title: "No messages yet",
    explanation: "Messages you send from the console or the API appear here.",
    sendFirst: "Send your first message",
  },
  noneFound: {
    title: "No messages match these filters",
    reversedDays: "The first date is after the last.",
    byNumber:
      "Part of a number matches anywhere in it; with a leading +, only its beginning. Recipients that are not phone numbers are found by the status Failed.",
    byReference: "A reference must match exactly, including upper and lower case.",
    showAll: "Show all messages",
  },
};

/** The texts of the list of messages. */
export const messagesTexts = defineTexts({ en });
