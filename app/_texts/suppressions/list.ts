import { defineTexts } from "../define-texts";

const en = {
  title: "Suppressions",
  description: "Numbers that receive no messages from you. People who reply STOP are added automatically.",
  import: "Import",
  suppressNumber: "Suppress a number",
  number: "Number",
  from: "From",
  allSenders: "All senders",
  reason: "Reason",
  optedOut: "Opted out (STOP)",
  addedManually: "Added manually",
  since: "Since",
  actions: "Actions",
  noneYet: {
    title: "No suppressed numbers",
    explanation:
      "People who reply STOP to one of your numbers or short codes appear here. Add people who opted out in another way yourself, or import a list.",
  },
  notFound: {
    title: (number: string) => `No suppression of ${number}`,
    explanation: "Only complete numbers are found. Enter all digits, with + and country code.",
    showAll: "Show all suppressions",
  },
  remove: {
    label: "Remove",
    ofSender: (number: string, sender: string) => `Remove ${number} from “${sender}”`,
    ofAllSenders: (number: string) => `Remove ${number} from all senders`,
    title: (number: string) => `Remove the suppression of ${number}?`,
    stoppedSender: (sender: string) =>
      `This person opted out with STOP. Continue only if they have asked for messages from “${sender}” again.`,
    stoppedAllSenders:
      "This person opted out with STOP. Continue only if they have asked for messages from all senders again.",
    againFromSender: (sender: string) => `Messages from “${sender}” will reach this number again.`,
    againFromAllSenders: "Messages from all senders will reach this number again.",
    submit: "Remove suppression",
    done: (number: string) => `Suppression of ${number} removed`,
  },
};

/** The texts of the page of suppressions. */
export const suppressionsTexts = defineTexts({ en });
