import { defineTexts } from "../define-texts";

const en = {
  title: "Suppress a number",
  form: "New suppression",
  failed: "The number was not suppressed",
  number: "Phone number",
  numberHint: "With + and country code (E.164)",
  enterNumber: "Enter the number",
  from: "From",
  fromHint: "Leave empty to suppress it for all your senders",
  allSenders: "All senders",
  note: "Note",
  noteHint: "Optional, for your own records: when and how the person opted out",
  submit: "Suppress",
  done: (number: string) => `${number} is suppressed`,
};

/** The texts of the dialog that suppresses a number. */
export const addSuppressionTexts = defineTexts({ en });
