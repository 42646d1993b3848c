import { defineTexts, plural } from "../define-texts";

const en = {
  title: "Import numbers",
  source: "Numbers or table",
  sourceHint: "One number per line, or a table with a heading, with country codes",
  removeFile: "Remove",
  numberColumn: "Column of the numbers",
  senderColumn: "Column of the sender IDs",
  from: "From",
  fromHint: "Leave empty to suppress them for all your senders",
  allSenders: "All senders",
  note: "Note",
  noteHint: "Optional, for your own records: where the list comes from",
  check: "Check of the list",
  read: "Read",
  toImport: "To import",
  duplicates: "Duplicates",
  refused: "Refused",
  notYourSender: (senderId: string) => `“${senderId}” is not one of your sender IDs`,
  downloadRefused: "Download refused lines",
  submit: "Import",
  submitCount: (count: number, shown: string) =>
    plural(count, { one: `Import ${shown} number`, other: `Import ${shown} numbers` }),
  states: { running: "Importing…", stopped: "This import is not complete", done: "Import complete" },
  confirmedBar: "Numbers confirmed",
  confirmed: (confirmed: string, total: string) => `${confirmed} of ${total} confirmed.`,
  added: "Added",
  existing: "Suppressed already",
  partFailed: "The last part was not confirmed",
  whileRunning:
    "Keep this page open. Confirmed numbers stay suppressed if it closes; importing the same list again is harmless.",
  whenStopped:
    "Confirmed numbers stay suppressed. Continue, or import the same list again later: no number is added twice.",
  stop: "Stop",
  continue: "Continue",
  done: "Done",
};

/** The texts of the dialog that imports a list of suppressions. */
export const importSuppressionsTexts = defineTexts({ en });
