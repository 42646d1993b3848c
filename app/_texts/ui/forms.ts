import { defineTexts } from "../define-texts";

const en = {
  newPasswordHint: "At least 10 characters. A few words in a row are easier to remember and harder to guess.",
  enterNumber: "Enter a number",
  notNegative: "Enter a number that is not below zero",
  unknown: {
    title: "The outcome is unknown",
    tryAgain: "A second try is safe: as long as you change nothing, it is carried out only once.",
    ofSave: "It is unknown whether this was saved",
    saveAgain: "Saving again is safe.",
    unreachable: "The service could not be reached. Check your connection.",
    unavailable: "The service is not available at the moment.",
    unconfirmed: "The service did not confirm it.",
    failed: "The service failed without saying what it had already carried out.",
    notStored: "The response was lost, and the stored data differ from what you entered.",
    failedNotStored: "The service failed, and the stored data differ from what you entered.",
  },
  secretCopied: "I have copied it",
  discard: {
    title: "Discard what you have entered?",
    question: "The dialog closes without saving it.",
    ofPage: "You leave this page without saving it.",
    confirm: "Discard",
  },
  leaveSecret: {
    title: "Leave without the secret?",
    question: "It is shown only now. If you have not copied it, you will need a new one.",
    confirm: "Leave",
  },
  draft: {
    label: "Draft",
    restored: "Your unsaved entries were restored.",
    discard: "Discard draft",
  },
};

/** The texts of parts of forms. */
export const formsTexts = defineTexts({ en });
