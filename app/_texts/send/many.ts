import { defineTexts, plural } from "../define-texts";

const en = {
  title: "Send to many",
  description: "Paste numbers or upload a table. Every line is checked before anything is sent.",
  sendOne: "Send one message",
  noSender: {
    title: "You need an approved sender",
    explanation: "Recipients see the sender ID as the origin of your messages.",
    senders: "Senders",
  },
  recipients: {
    title: "Recipients",
    source: "Numbers or table",
    sourceHint: (max: string) => `One number per line, or a table with a heading. Up to ${max} recipients.`,
    tooMany: (lines: string, max: string) => `${lines} lines are too many: send at most ${max} at once.`,
    read: (count: number, shown: string) => plural(count, { one: `${shown} line read`, other: `${shown} lines read` }),
    numberColumn: "Column of the numbers",
  },
  text: {
    title: "Text",
    from: "From",
    text: "Text",
    insert: "Insert:",
    almost: {
      title: (written: readonly string[]) =>
        plural(written.length, {
          one: `${written.join(", ")} is not a placeholder`,
          other: `${written.join(", ")} are not placeholders`,
        }),
      explanation: "Recipients would read exactly this. Placeholders have double braces.",
      replace: (placeholders: string) => `Write ${placeholders}`,
    },
    smart: "Replace typographic punctuation",
    smartHint: "Curly quotes and dashes become plain ones, which can save segments.",
    messageTo: (number: string) => `The message to ${number}`,
    messageToFirst: "The message to the first recipient",
  },
  problems: {
    sameAs: (line: number) => `The same number as in line ${line}`,
    noValue: (placeholder: string) => `No value for ${placeholder}`,
    emptyText: "The text is empty",
    longText: (max: number) => `The text has more than ${max} characters`,
  },
  checkEveryLine: "Check every line",
  checkFailed: "The check failed",
  check: {
    title: "Ready to send",
    messages: "Messages",
    segments: "Segments",
    cost: "Cost",
    balanceAfter: "Balance after",
    notCovered: "Not covered",
    notCoveredTitle: "Your balance does not cover this",
    balance: (amount: string) => `It is ${amount}.`,
    refused: "This would be refused",
    send: (count: number, shown: string) =>
      plural(count, { one: `Send ${shown} message`, other: `Send ${shown} messages` }),
    leftOut: (count: number, shown: string) =>
      plural(count, { one: `${shown} line is left out.`, other: `${shown} lines are left out.` }),
  },
  progress: {
    done: "Send complete",
    sending: "Sending…",
    incomplete: "This send is not complete",
    confirmedBar: "Recipients confirmed",
    confirmed: (confirmed: string, all: string, accepted: string, failed: string) =>
      `${confirmed} of ${all} confirmed: ${accepted} accepted, ${failed} failed at once.`,
    batchFailed: "The last batch was not confirmed",
    continueTitle: "Continue where it stopped",
    continueExplanation:
      "Accepted messages are not sent again: the batch that was under way is repeated with its key, and carried out once.",
    tooOldTitle: "This send is too old to be continued safely",
    tooOldExplanation: "Download the results, and look in the messages for the recipients that are missing there.",
    continue: "Continue",
    stop: "Stop sending",
    download: "Download results",
    viewMessages: "View messages",
    sendToOthers: "Send to others",
    discardRest: "Discard the rest",
    discardQuestion: "Discard the rest?",
    discardConsequence:
      "Accepted messages are still sent, and those of the batch under way may be too. Download the results first: they name the recipients that were confirmed.",
  },
};

/** The texts of the page that sends to many. */
export const sendManyTexts = defineTexts({ en });
