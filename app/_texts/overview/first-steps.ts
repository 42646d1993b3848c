import { defineTexts } from "../define-texts";

const en = {
  title: "First steps",
  noneDelivered: "No message has been delivered yet. These steps remain until the first one is.",
  noneSent: "You have not sent any messages yet. Follow these steps to send the first one.",
  done: "(done)",
  actionOf: (action: string, step: string) => `${action}: ${step}`,
  sender: {
    title: "Register a sender",
    text: "The name or number that recipients see. The operator approves it before its first use.",
    waiting: "Your sender is waiting for the operator’s approval. Continue with the other steps meanwhile.",
    action: "Register",
    viewStatus: "View status",
  },
  apiKey: {
    title: "Create an API key",
    text: "Lets your programs send and track messages. Not needed to send from this console.",
    action: "Create",
  },
  webhook: {
    title: "Add a webhook endpoint",
    text: "Your server gets a signed request for every status change.",
    action: "Add",
  },
  message: {
    title: "Send your first message",
    text: "Write it here. The price is shown before you send.",
    sent: "Sent, but not delivered yet. Its page shows its progress.",
    action: "Send",
    viewMessages: "View messages",
  },
};

/** The texts of the steps to the first message. */
export const firstStepsTexts = defineTexts({ en });
